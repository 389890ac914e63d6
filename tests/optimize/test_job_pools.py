"""Pools that are looked up once for jobs that are alike: those of each job by itself."""

from __future__ import annotations

import pytest

from schedplan.measures.eligibility import pools_for_job
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState, Placed
from schedplan.optimize.job_pools import JobPools
from tests.oracle.instances import instances


@pytest.mark.parametrize("problem", [pytest.param(one, id=one.name) for one in instances(1)])
def test_pools_are_those_of_each_job_by_itself(problem: Problem) -> None:
    pools = JobPools(problem.cluster)
    waiting = [job for job in problem.jobs if job.state is JobState.PENDING]

    assert [tuple(pools_for_job(problem.cluster, job)) for job in waiting] == [pools.of(job) for job in waiting]


def test_what_runs_has_the_pools_it_stands_on_once_each() -> None:
    cluster = Cluster((Pool("a", 2, 2, 2), Pool("b"), Pool("c")))
    job = Job("j", state=JobState.RUNNING, workers=3, placement=(Placed("c", 1), Placed("a/1", 1), Placed("a/2", 1)))

    assert ["c", "a"] == [pool.name for pool in JobPools(cluster).of(job)]
