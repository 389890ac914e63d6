"""Run times that are looked up once for jobs that are alike: the same as those of each job by itself."""

from __future__ import annotations

import pytest

from schedplan.measures.eligibility import pools_for_job
from schedplan.measures.work import run_minutes
from schedplan.model.problem import Problem
from schedplan.optimize.run_times import RunTimes
from tests.oracle.instances import instances


@pytest.mark.parametrize("problem", [pytest.param(one, id=one.name) for one in instances(1)])
def test_run_times_are_those_of_each_job_by_itself(problem: Problem) -> None:
    times, grid = RunTimes(problem), problem.grid
    for job in problem.jobs:
        for pool in pools_for_job(problem.cluster, job):
            minutes = run_minutes(problem, job, pool)

            assert minutes == times.minutes(job, pool)
            assert tuple(grid.end_edge(slot, minutes) for slot in range(grid.n_slots)) == times.ends(job, pool)
