"""Waits as recorded beside waits as replayed, on schedules worked out by hand."""

from __future__ import annotations

from schedplan.engines.policy_table import policy
from schedplan.measures.recorded_waits import recorded_waits
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.workload import Job, WorkerShape
from schedplan.simulate.replay import replay

ONE_DEVICE = Cluster((Pool("n", gpus=1),))


def job(name: str, submit_s: int | None, start_s: int | None) -> Job:
    """Return a job of ten minutes on one device."""
    return Job(name, submit_s=submit_s, start_s=start_s, shape=WorkerShape(gpus=1), runtime_minutes=10)


def test_waits_are_compared_job_by_job() -> None:
    """a starts at once, as recorded; b waits 600 s in place of 100; c 1,200 s in place of 2,000."""
    jobs = (job("a", 0, 0), job("b", 0, 100), job("c", 0, 2000))
    found = recorded_waits(jobs, replay(ONE_DEVICE, jobs, policy("fcfs")).timeline)

    assert found is not None
    assert (3, 1, 1) == (found.jobs, found.earlier, found.later)
    assert (700, 600) == (found.recorded_mean_s, found.replayed_mean_s)
    assert (1810, 1140) == (round(found.recorded_p95_s), round(found.replayed_p95_s))


def test_jobs_without_a_recorded_wait_are_left_out() -> None:
    """Without a start, without a submission, or with a start before it."""
    jobs = (job("a", 0, None), job("b", None, 50), job("c", 100, 50))

    assert recorded_waits(jobs, replay(ONE_DEVICE, jobs, policy("fcfs")).timeline) is None
