"""The least chance of ending in time: on how many spot nodes a gang with a hard deadline may stand.

What runs already stays where it runs and is not asked; nor is a deadline that is soft, for being late has a price of its own.
"""

from __future__ import annotations

from schedplan.measures.on_time import on_time_floor
from schedplan.measures.runs import Run
from schedplan.measures.spot import gang_rate
from schedplan.measures.work import run_minutes
from schedplan.model.cluster import Market, Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import DeadlineKind, Job, JobState


def is_asked(problem: Problem, job: Job, pool: Pool) -> bool:
    """Whether a least chance of ending in time holds for a job on a pool."""
    has_deadline = job.deadline_s is not None and job.deadline_kind is DeadlineKind.HARD
    is_there = pool.market is Market.SPOT and job.state is not JobState.RUNNING
    return problem.limits.min_on_time > 0 and has_deadline and is_there


def chance_on(problem: Problem, job: Job, pool: Pool, nodes: int, start_slot: int, workers: int | None = None) -> float:
    """Return a lower bound of the chance that a gang on `nodes` nodes of a pool ends by its deadline; 1 without one.

    workers: how many of an elastic gang run, by default all.
    """
    hours = run_minutes(problem, job, pool, workers) / 60
    if job.deadline_s is None:
        return 1.0
    slack_h = (job.deadline_s - problem.grid.slot_start_s(start_slot)) / 3600 - hours
    return on_time_chance(job, hours, slack_h, gang_rate(pool, nodes))


def on_time_chance(job: Job, work_h: float, slack_h: float, rate_per_h: float) -> float:
    """Return the same for so many hours of work, of slack, and interruptions of the gang an hour."""
    return on_time_floor(work_h, slack_h, rate_per_h, job.checkpoint_h, job.checkpoint_cost_minutes / 60, job.restart_minutes / 60)


def run_chance(run: Run) -> float:
    """Return the same for a run as it stands, on all of its nodes; 1 without a deadline."""
    return 1.0 if run.slack_h is None else on_time_chance(run.job, run.hours, run.slack_h, run.rate_per_h)


def most_nodes(problem: Problem, job: Job, pool: Pool, start_slot: int, workers: int | None = None) -> int | None:
    """Return the most nodes of a pool on which a gang still ends in time as surely as asked; None where nothing is asked.

    0 where not even one will do. workers: how many of an elastic gang run, by default all. The bound falls with the number of
    nodes, so the first that is too many ends the search.
    """
    if not is_asked(problem, job, pool):
        return None
    least, count = problem.limits.min_on_time, job.workers if workers is None else workers
    chances = ((nodes, chance_on(problem, job, pool, nodes, start_slot, count)) for nodes in range(1, count + 1))
    return next((nodes - 1 for nodes, chance in chances if chance < least - 1e-12), count)
