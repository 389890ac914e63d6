"""More nodes: how many of which pool would hold what a place lacks, and what they cost for the length of a run. It tries nothing:
an added node is empty, so what it holds is arithmetic."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

from schedplan.explain.room import Tightness, windows
from schedplan.explain.wording import amount, counted
from schedplan.measures.eligibility import workers_per_node
from schedplan.measures.work import run_minutes
from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Job


def cheapest_pool(problem: Problem, job: Job, pools: Iterable[Pool]) -> Pool:
    """Return the pool that holds a worker for the lowest price over the horizon, the first of equals."""
    hours = problem.grid.hours
    return min(pools, key=lambda pool: float(problem.price_per_h(pool) @ hours) / max(workers_per_node(pool, job.shape), 1))


def pools_of(problem: Problem, tight: Tightness) -> tuple[Pool, ...]:
    """Return the pools of the nodes among which a job lacks room, in their order."""
    return tuple(dict.fromkeys(problem.cluster.pool_of_node[node] for node in tight.nodes))


def more_nodes(problem: Problem, job: Job, pool: Pool, workers: int) -> tuple[str, float | None]:
    """Return (words, currency) of so many more nodes of a pool that they hold `workers` for the length of the run."""
    nodes = ceil(workers / max(workers_per_node(pool, job.shape), 1))
    hours = run_minutes(problem, job, pool) / 60.0
    stretch = next(windows(problem, job, pool, problem.grid.release_slot(job.release_s)), None)
    if stretch is None:
        return f"{counted(nodes, 'more node')} of {pool.name}", None
    span = slice(stretch.start_slot, stretch.end_edge)
    cost = nodes * float((problem.price_per_h(pool) * problem.grid.hours)[span].sum())
    return f"{counted(nodes, 'more node')} of {pool.name} for {amount(hours)} h", cost
