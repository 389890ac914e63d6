"""window: work starts after its release and is over by its hard deadline and by the end of the horizon.

Sets: jobs c, pools p, slots t; r_c release, D_c hard deadline, d_cp slots on p.
Formula: x[c,p,t] exists only for t >= r_c (rounded up) and t + d_cp <= min(D_c (rounded down), T).
Intuition: a start that breaks its window is no choice, so it is never a column; lateness behind a soft deadline is priced
in the objective instead. What already runs starts with slot 0.
"""

from __future__ import annotations

from schedplan.measures.work import run_minutes
from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import DeadlineKind, Job, JobState


def windows(problem: Problem, job: Job, pool: Pool) -> tuple[tuple[int, int], ...]:
    """Return the (start slot, end edge) a job may have on a pool, in order of start."""
    grid = problem.grid
    last_edge = grid.n_slots
    if job.deadline_s is not None and job.deadline_kind is DeadlineKind.HARD:
        last_edge = grid.deadline_edge(job.deadline_s)
    starts = range(1) if job.state is JobState.RUNNING else range(grid.release_slot(job.release_s), grid.n_slots)
    found = []
    for start_slot in starts:
        end_edge = grid.end_edge(start_slot, run_minutes(problem, job, pool))
        if end_edge is None or end_edge > last_edge:
            break
        found.append((start_slot, end_edge))
    return tuple(found)
