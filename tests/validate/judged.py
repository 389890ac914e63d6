"""Small data of every kind, and what the rules find in it."""

from __future__ import annotations

import numpy as np

from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.findings import Finding
from schedplan.model.forecast import Series
from schedplan.model.workload import Job, Service, WorkerShape
from schedplan.validate.registry import validate
from schedplan.validate.subject import Subject

POOL = Pool("p", count=3, min_count=3, max_count=3, accelerator="A100", gpus=8)
JOB = Job("j", shape=WorkerShape(gpus=1.0), runtime_minutes=60.0)
SERVICE = Service("s", slo_ms=200.0, service_ms=50.0, series="s", shape=WorkerShape(gpus=1.0))
LOAD = Series("s", 0, 3600, np.array([1.0, 1.5, 1.0]))
SPOT = Pool(
    "spot", count=10, min_count=0, max_count=10, gpus=1, market=Market.SPOT, price_per_hour=1.0, interruptions_per_hour=0.01
)
NIGHT = Job(
    "night",
    workers=10,
    shape=WorkerShape(gpus=1.0),
    runtime_minutes=240.0,
    earliest_start_s=0,
    deadline_s=4 * 3600,
    spot_ok=True,
    checkpoint_minutes=30.0,
)


def found(*pools: Pool, jobs: tuple[Job, ...] = (), services: tuple[Service, ...] = (), **rest: object) -> tuple[Finding, ...]:
    speeds = rest.pop("speeds", ())
    return validate(Subject(Cluster(pools, speeds), jobs, services, **rest))  # type: ignore[arg-type]


def codes(findings: tuple[Finding, ...]) -> list[str]:
    return [finding.code for finding in findings]
