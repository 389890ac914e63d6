"""The size of a model on pools, told without building it."""

from __future__ import annotations

from schedplan.optimize.size import Size
from tests.optimize.problems import problem

JOB = {"gpus": 1, "runtime_minutes": 60.0}
NODES = [{"name": "a", "gpus": 8}, {"name": "b", "gpus": 8}]


def test_jobs_that_are_alike_count_once() -> None:
    # Two kinds of jobs on two pools: one starts in each of 6 slots, the other from slot 2 on. In each slot of each pool two
    # numbers: nodes, and replicas of the service.
    jobs = [{"name": name} | JOB for name in "pq"] + [{"name": "r", "earliest_start": 2} | JOB]
    service = {"name": "s", "slo_ms": 400, "service_ms": 100, "concurrency": 4, "gpus": 1}
    size = Size(problem({"slots": 6, "nodes": NODES, "jobs": jobs, "services": [service]}))

    assert 2 * 6 + 2 * 4 + 2 * 6 * 2 == size.columns
    assert 3 * 2 * 6 == size.most_columns
    assert (44 * 4 / 1000, 44 * 2 / 1000) == (size.memory_mb, size.wide_memory_mb)
