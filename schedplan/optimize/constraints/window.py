"""window: work starts after its release and is over by its hard deadline and by the end of the horizon.

Sets: jobs c, pools p, slots t; r_c release, D_c hard deadline, d_cp slots on p: its run, and its load
where the caches of p do not hold its key; a gang loads on all of its nodes or on none.
Formula: x[c,p,t] exists only for t >= r_c (rounded up) and t + d_cp <= min(D_c (rounded down), T).
Intuition: a start that breaks its window is no choice, so it is never a column; lateness behind a soft deadline is priced
in the objective instead. What already runs starts with slot 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from schedplan.measures.work import last_end, run_minutes
from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState


def windows(problem: Problem, job: Job, pool: Pool) -> tuple[tuple[int, int], ...]:
    """Return the (start slot, end edge) a job may have on a pool, in order of start."""
    if job.state is JobState.RUNNING:
        return tuple(islice(windows_from(problem, job, pool, 0), 1))
    return tuple(windows_from(problem, job, pool, problem.grid.release_slot(job.release_s)))


def windows_from(problem: Problem, job: Job, pool: Pool, first_slot: int, workers: int | None = None) -> Iterator[tuple[int, int]]:
    """Give the (start slot, end edge) of a job on a pool that start with a slot or later, in order of start; with all its workers
    unless so many are named."""
    last_edge = last_end(problem, job)
    ends = problem.grid.end_edges(run_minutes(problem, job, pool, workers))
    for start_slot in range(first_slot, len(ends)):
        end_edge = ends[start_slot]
        if end_edge is None or end_edge > last_edge:
            return
        yield start_slot, end_edge
