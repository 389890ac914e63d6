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

from schedplan.measures.costs import job_rework_h
from schedplan.measures.spot import gang_rate
from schedplan.measures.work import node_share, run_minutes
from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Job


def fewest_nodes(workers: int, per_node: int) -> int:
    """Return the fewest nodes that hold a gang."""
    return ceil(workers / per_node)


def rework_cost(problem: Problem, job: Job, pool: Pool, nodes: int, start_slot: int, workers: int) -> float:
    """Return the expected cost of lost and repeated work of a gang of `workers` on `nodes` spot nodes, currency; 0 off spot."""
    return rework_node_h(problem, job, pool, nodes, workers) * float(problem.price_per_h(pool)[start_slot])


def rework_node_h(problem: Problem, job: Job, pool: Pool, nodes: int, workers: int) -> float:
    """Return the same in hours of a whole node, whatever they cost."""
    rate_per_h = gang_rate(pool, nodes)
    if rate_per_h == 0:
        return 0.0
    return job_rework_h(job, run_minutes(problem, job, pool, workers) / 60, rate_per_h) * workers * node_share(pool, job.shape)
