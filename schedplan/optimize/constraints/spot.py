"""spot: only jobs that allow it run on spot nodes, and their expected rework is part of the cost.

Sets: spot cells with reclaim rate λ per node-hour; a gang on K nodes loses its run when any of them goes.
Formula: rework[c,t] = W_c · share · price[t] · (E[T](K λ) − W) hours; E[T] by the closed forms for restart and checkpoint.
On pools K is the fewest nodes that hold the gang (a lower bound, since E[T] grows with K). On single nodes K is counted:
w[c,n,t] <= per_node · b[c,n,t], Σ_n b = Σ_K K e[c,t,K], Σ_K e[c,t,K] = x[c,t], and e carries the cost.
Intuition: a wide gang on spot is reclaimed K times as often; the price of that stands beside the price of the node.
Source of the closed forms: Young 1974, doi.org/10.1145/361147.361115; Daly 2006, doi.org/10.1016/j.future.2004.11.016.
"""

from __future__ import annotations

from math import ceil

from schedplan.measures.spot import rework_h
from schedplan.measures.work import node_share, run_minutes
from schedplan.model.cluster import Market, Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Job


def fewest_nodes(workers: int, per_node: int) -> int:
    """Return the fewest nodes that hold a gang."""
    return ceil(workers / per_node)


def rework_cost(problem: Problem, job: Job, pool: Pool, nodes: int, start_slot: int, workers: int) -> float:
    """Return the expected cost of lost and repeated work of a gang of `workers` on `nodes` spot nodes, currency; 0 off spot."""
    if pool.market is not Market.SPOT or pool.interruptions_per_hour == 0:
        return 0.0
    hours = rework_h(
        run_minutes(problem, job, pool, workers) / 60,
        pool.interruptions_per_hour * nodes,
        None if job.checkpoint_minutes is None else job.checkpoint_minutes / 60,
        job.checkpoint_cost_minutes / 60,
        job.restart_minutes / 60,
    )
    return hours * workers * node_share(pool, job.shape) * float(problem.price_per_h(pool)[start_slot])
