"""The e-commerce day as a bare sinusoid, and a plan for it worked by arithmetic: what most tests of this folder start from."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.plan import Decisions, JobPart, ReplicaPart
from schedplan.model.problem import Demand, Intensity, Limits, Problem
from schedplan.model.workload import Job, JobKind, Service, WorkerShape
from schedplan.timegrid import TimeGrid

T0 = 1_796_083_200
H = 3600


@pytest.fixture(scope="session")
def day() -> Problem:
    """Ten A100 on-demand at 300/h, ten on spot at 100/h; 1,000 to 10,000 requests/s; a gang of 10 for 4 h from 02:00 to 06:00."""
    rps = np.array([5500 - 4500 * np.cos(2 * np.pi * (hour - 3) / 24) for hour in range(24)])
    power = {"region": "east", "power_idle_w": 100.0, "power_max_w": 500.0, "pue": 1.2}
    a100 = {"accelerator": "A100", "gpus": 1} | power
    pools = (
        Pool("od", 10, 0, 10, market=Market.ON_DEMAND, price_per_hour=300.0, **a100),
        Pool("spot", 10, 0, 10, market=Market.SPOT, price_per_hour=100.0, interruptions_per_hour=0.01, **a100),
    )
    recommender = Service(
        "recommender",
        200,
        96,
        service_cv=0.3,
        concurrency=150,
        shape=WorkerShape(gpus=1),
        markets=(Market.ON_DEMAND,),
        dedicated=True,
    )
    nightly = Job(
        "nightly",
        JobKind.TRAINING,
        tenant="research",
        workers=10,
        shape=WorkerShape(gpus=1),
        runtime_minutes=240.0,
        submit_s=T0 - 9 * H,
        earliest_start_s=T0 + 2 * H,
        deadline_s=T0 + 6 * H,
        required=True,
        spot_ok=True,
        checkpoint_minutes=30.0,
    )
    return Problem(
        "day",
        TimeGrid.regular(T0, 60, 24),
        Cluster(pools),
        (nightly,),
        (recommender,),
        (Demand("recommender", rps, rps),),
        limits=Limits(max_utilization=0.9),
        intensities=(Intensity("east", np.linspace(200.0, 430.0, 24)),),
    )


@pytest.fixture(scope="session")
def day_plan(day: Problem) -> Decisions:
    """ceil(rate / 1406.25) replicas on the first on-demand nodes, the gang on all spot nodes from 02:00."""
    replicas = np.ceil(day.demands[0].peak_rps / 1406.25 - 1e-9).astype(int)
    on = np.zeros((20, 24), dtype=np.bool_)
    for slot, count in enumerate(replicas):
        on[:count, slot] = True
    on[10:, 2:6] = True
    parts = tuple(JobPart("nightly", f"spot/{number:02d}", 2, 1) for number in range(1, 11))
    stands = (
        ReplicaPart("recommender", slot, f"od/{n:02d}", 1) for slot, count in enumerate(replicas) for n in range(1, count + 1)
    )
    return Decisions(parts, tuple(sorted(stands)), on)
