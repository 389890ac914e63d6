"""What a job holds at most and costs at least in any plan, by arithmetic; looked up once for jobs that are alike in it.

It knows one job and the cluster, not what else is there.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from schedplan.measures.eligibility import pools_for_job, workers_per_node
from schedplan.measures.work import counted_share, last_end, node_share
from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState
from schedplan.optimize.constraints.elastic import Choice, booked_h, choice_duty, choices
from schedplan.optimize.constraints.spot import fewest_nodes, rework_cost
from schedplan.optimize.constraints.window import windows


def job_price(problem: Problem, job: Job, pool: Pool, choice: Choice) -> float:
    """Return what a job adds to the bill on a pool: its share of node-hours that are not paid anyway; currency."""
    if pool.market.is_sunk:
        return 0.0
    span = slice(choice.start_slot, choice.end_edge)
    price = float(problem.price_per_h(pool)[span] @ problem.grid.hours[span])
    return price * choice.workers * node_share(pool, job.shape)


class LeastOfJobs:
    """What a job holds at most and costs at least, looked up once for jobs that are alike in what decides that."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._own_speeds = {row.kind for row in problem.cluster.speeds}
        self._most_work_h: dict[Hashable, float] = {}
        self._price: dict[Hashable, float] = {}

    def most_work_h(self, job: Job) -> float:
        """Return the counted-resource-hours in which a job is busy at most."""
        key = self._key(job)
        if key not in self._most_work_h:
            self._most_work_h[key] = _most_work_h(self._problem, job)
        return self._most_work_h[key]

    def price(self, job: Job) -> float:
        """Return the least that a job adds to the bill."""
        key = self._key(job)
        if key not in self._price:
            self._price[key] = _cheapest_job(self._problem, job)
        return self._price[key]

    def _key(self, job: Job) -> Hashable:
        problem = self._problem
        is_own = job.state is JobState.RUNNING or job.name in problem.pin_of_job or job.name in self._own_speeds
        alike = replace(
            job,
            name=job.name if is_own else "",
            user=None,
            tenant="",
            priority=0,
            submit_s=None,
            start_s=job.start_s if is_own else None,
            earliest_start_s=None,
            deadline_s=None,
            gang=None,
            after=(),
        )
        return alike, problem.grid.release_slot(job.release_s), last_end(problem, job), job.deadline_s is None


def _most_work_h(problem: Problem, job: Job) -> float:
    if job.state is not JobState.RUNNING and not job.is_elastic:
        edges_s = problem.grid.edges_s
        pairs = (pair for pool in _job_pools(problem, job) for pair in windows(problem, job, pool))
        booked_s = max((edges_s[end_edge] - edges_s[start_slot] for start_slot, end_edge in pairs), default=0)
        return counted_share(job.shape, problem.cluster) * (job.workers * (booked_s / 3600))
    busy = (
        choice.workers * booked_h(problem, choice) * choice_duty(problem, job, pool, choice)
        for pool in _job_pools(problem, job)
        for choice in choices(problem, job, pool)
    )
    return counted_share(job.shape, problem.cluster) * max(busy, default=0.0)


def _cheapest_job(problem: Problem, job: Job) -> float:
    pools = _job_pools(problem, job)
    is_for_nothing = any(pool.market.is_sunk and next(choices(problem, job, pool), None) is not None for pool in pools)
    if is_for_nothing and all(problem.price_per_h(pool).min() >= 0.0 for pool in pools):
        return 0.0
    prices = (
        job_price(problem, job, pool, choice)
        + rework_cost(problem, job, pool, fewest_nodes(choice.workers, per_node), choice.start_slot, choice.workers)
        for pool in pools
        if (per_node := max(workers_per_node(pool, job.shape), 1))
        for choice in choices(problem, job, pool)
    )
    return min(prices, default=0.0)


def _job_pools(problem: Problem, job: Job) -> list[Pool]:
    if job.state is JobState.RUNNING:
        return [problem.cluster.pool_of_node[placed.node] for placed in job.placement]
    return pools_for_job(problem.cluster, job)
