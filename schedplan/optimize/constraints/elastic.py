"""elastic: a gang with fewer workers than it asks for, at least min_workers, runs the longer in proportion.

Sets: elastic jobs c of W_c workers, at least m_c of them; a workers that it gets; starts t; d_cp run time with all workers.
Formula: one column x[c,site,t,a] per a in [m_c, W_c] that is worth one: Σ_cell w = a x, booked for d_cp W_c / a, rounded up.
Intuition: the work is W_c d_cp whatever a is, and idle hours and emissions count that work, not what is held for it: rounding up
to slots must not make a gang look busier. So of all a that end with one slot the fewest holds least of everything, and costs no
goal more; the others are no columns. On spot nodes that are taken back all stay: a longer run is lost more often, one on fewer
nodes less often; so they do where a least chance of ending in time is asked.
Our choice: linear speed-up between m_c and W_c. Where a gang scales worse than that, raise min_workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from schedplan.measures.min_on_time import is_asked
from schedplan.measures.work import duty, last_end, run_minutes
from schedplan.model.cluster import Market, Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState
from schedplan.optimize.constraints.window import windows, windows_from


@dataclass(frozen=True, slots=True, order=True)
class Choice:
    """A start slot, the edge at which the booked slots end, and the number of workers that make it so."""

    start_slot: int
    end_edge: int
    workers: int


def choices(problem: Problem, job: Job, pool: Pool, most: int | None = None) -> Iterator[Choice]:
    """Give every choice of a job on a pool that is worth a column, in order of start, with at most so many workers."""
    if job.state is JobState.RUNNING:
        yield from (Choice(start, end, job.standing_workers) for start, end in windows(problem, job, pool))
    elif not job.is_elastic:
        first = problem.grid.release_slot(job.release_s)
        yield from (Choice(start, end, job.workers) for start, end in windows_from(problem, job, pool, first))
    elif is_taken_back(pool) or is_asked(problem, job, pool):
        yield from _all_numbers(problem, job, pool, job.workers if most is None else min(most, job.workers))
    else:
        yield from _fewest_per_end(problem, job, pool, job.workers if most is None else min(most, job.workers))


def booked_h(problem: Problem, choice: Choice) -> float:
    """Return the hours between start and booked end."""
    return (problem.grid.edges_s[choice.end_edge] - problem.grid.edges_s[choice.start_slot]) / 3600


def choice_duty(problem: Problem, job: Job, pool: Pool, choice: Choice) -> float:
    """Return the share of its booked hours in which a job counts as busy."""
    return duty(problem, job, pool, choice.workers, booked_h(problem, choice))


def is_taken_back(pool: Pool) -> bool:
    """Whether work on a pool has rework to expect."""
    return pool.market is Market.SPOT and pool.interruptions_per_hour > 0


def _all_numbers(problem: Problem, job: Job, pool: Pool, most: int) -> Iterator[Choice]:
    """Give every number of workers for each start, most workers first."""
    for start_slot in _starts(problem, job):
        for workers in range(most, job.least_workers - 1, -1):
            window = next(windows_from(problem, job, pool, start_slot, workers), None)
            if window is None or window[0] != start_slot:
                break
            yield Choice(*window, workers)


def _fewest_per_end(problem: Problem, job: Job, pool: Pool, most: int) -> Iterator[Choice]:
    """Give, for each start, the fewest workers for each edge at which they can end, the earliest edge first.

    How many these are hangs on the time between start and edge alone, and that is looked up once.
    """
    edges_s, last = problem.grid.edges_s, last_end(problem, job)
    fewest_in: dict[int, int] = {}
    for start_slot in _starts(problem, job):
        before = most + 1
        for end_edge in range(start_slot + 1, last + 1):
            booked_s = edges_s[end_edge] - edges_s[start_slot]
            if booked_s not in fewest_in:
                fewest_in[booked_s] = _fewest(problem, job, pool, start_slot, end_edge, most)
            workers = fewest_in[booked_s]
            if workers < before:
                yield Choice(start_slot, end_edge, workers)
                before = workers
            if workers == job.least_workers:
                break


def _starts(problem: Problem, job: Job) -> range:
    return range(problem.grid.release_slot(job.release_s), problem.grid.n_slots)


def _fewest(problem: Problem, job: Job, pool: Pool, start_slot: int, end_edge: int, most: int) -> int:
    """Return the fewest workers that end by an edge, one more than `most` where none do."""
    few, many = job.least_workers - 1, most + 1
    while many - few > 1:
        middle = (few + many) // 2
        edge = problem.grid.end_edge(start_slot, run_minutes(problem, job, pool, middle))
        if edge is None or edge > end_edge:
            few = middle
        else:
            many = middle
    return many
