"""First come, first served single-device jobs against queueing theory: M/M/c, whose answers are known in closed form."""

from __future__ import annotations

import random
from math import factorial

import numpy as np
import pytest

from schedplan.engines.policy_table import policy
from schedplan.measures.replay import waits_s
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.workload import Job, WorkerShape
from schedplan.simulate.options import Detail, ReplayOptions
from schedplan.simulate.replay import replay

MEAN_RUN_S = 10_000
JOBS = 30_000
SEEDS = 4


def erlang_c(servers: int, load: float) -> float:
    """P(wait) = (a^c / c!) / ((1 - a/c) sum_{k<c} a^k / k! + a^c / c!)."""
    last = load**servers / factorial(servers)
    return last / ((1 - load / servers) * sum(load**k / factorial(k) for k in range(servers)) + last)


def test_the_formula_gives_the_known_values() -> None:
    # c = 2, a = 1: (1/2) / (1/2 x (1 + 1) + 1/2) = 1/3.
    assert 1 / 3 == pytest.approx(erlang_c(2, 1))
    assert 0.409180 == pytest.approx(erlang_c(10, 8), abs=5e-7)


@pytest.mark.parametrize(("servers", "load"), [(2, 1.0), (3, 2.0)])
def test_share_and_length_of_waits(servers: int, load: float) -> None:
    """Held against the formula at the load that each seed drew, which takes most of the noise of drawing out."""
    waited, means, chances, expected_s = [], [], [], []
    for seed in range(SEEDS):
        jobs = poisson_jobs(seed, load)
        found = replay(Cluster((Pool("n", gpus=servers),)), jobs, policy("fcfs"), ReplayOptions(detail=Detail.POOL)).timeline
        drawn = float(found.run_s.sum()) / int(found.submit_s[-1])
        waits = waits_s(found)
        waited.append(float((waits > 0).mean()))
        means.append(float(waits.mean()))
        chances.append(erlang_c(servers, drawn))
        # E[wait] = C / (c - a) service times.
        expected_s.append(erlang_c(servers, drawn) / (servers - drawn) * float(found.run_s.mean()))

    assert np.mean(chances) == pytest.approx(np.mean(waited), rel=0.03)
    assert np.mean(expected_s) == pytest.approx(np.mean(means), rel=0.03)


def poisson_jobs(seed: int, load: float) -> tuple[Job, ...]:
    draw = random.Random(seed)
    at_s, found = 0.0, []
    for idx in range(JOBS):
        at_s += draw.expovariate(load / MEAN_RUN_S)
        run_s = max(round(draw.expovariate(1 / MEAN_RUN_S)), 1)
        found.append(Job(f"j{idx:06d}", submit_s=round(at_s), shape=WorkerShape(gpus=1), runtime_minutes=run_s / 60))
    return tuple(found)
