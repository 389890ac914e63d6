"""What hangs on other jobs, by trying: whether jobs decided so far keep their sequence and the rows of gangs stay together.

It is written from the description of the rules alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState
from tests.oracle.arithmetic import Option


def keeps_order(problem: Problem, decided: Mapping[str, Option | None]) -> bool:
    """Whether jobs that are placed (or left out: None) go together; jobs that are not decided yet are asked nothing."""
    waiting = [job for job in problem.jobs if job.name in decided and job.state is not JobState.RUNNING]
    return all(_follows(job, decided) for job in waiting) and all(
        _together(decided[one.name], decided[other.name])
        for one in waiting
        for other in waiting
        if one.gang is not None and one.gang == other.gang
    )


def _follows(job: Job, decided: Mapping[str, Option | None]) -> bool:
    own = decided[job.name]
    for name in job.after:
        if own is None or name not in decided:
            continue
        before = decided[name]
        if before is None or before.end_edge > own.start_slot:
            return False
    return True


def _together(one: Option | None, other: Option | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.start_slot == other.start_slot
