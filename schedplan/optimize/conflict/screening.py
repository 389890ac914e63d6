"""The arithmetic screen over a whole problem: the jobs that have no column, by themselves or beside those that they hang on."""

from __future__ import annotations

from schedplan.model.problem import Problem
from schedplan.optimize.cells import Level
from schedplan.optimize.conflict.chain import chained
from schedplan.optimize.layout import Layout, layout
from schedplan.packing.screen import Screened, screened


def screened_jobs(problem: Problem, shape: Layout | None = None) -> tuple[Screened, ...]:
    """Return the jobs without any column, and those that can't be placed because of others, with the reason.

    shape: the layout of all jobs on pools, where it is made already.
    """
    shape = shape or layout(problem, problem.jobs, Level.POOLS)
    columns = [0] * len(shape.classes)
    for column in shape.columns:
        columns[column.class_idx] += 1
    found = (
        screened(problem, job, len(job_class.sites), columns[job_class.idx])
        for job_class in shape.classes
        for job in job_class.jobs
    )
    return chained(shape, tuple(result for result in found if result is not None))
