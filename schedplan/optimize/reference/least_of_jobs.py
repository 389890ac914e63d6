"""What a job holds at most and costs at least in any plan, by arithmetic; looked up once for jobs that are alike in it.

It knows one job and the cluster, not what else is there.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import fields

from schedplan.measures.eligibility import workers_per_node
from schedplan.measures.work import counted_share, last_end, node_share
from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState
from schedplan.optimize.constraints.elastic import Choice, booked_h, choice_duty, choices
from schedplan.optimize.constraints.spot import fewest_nodes, rework_cost
from schedplan.optimize.job_pools import JobPools
from schedplan.optimize.run_times import RunTimes

ASIDE = ("name", "user", "tenant", "priority", "submit_s", "start_s", "earliest_start_s", "deadline_s", "gang", "after")
DECIDING = tuple(field.name for field in fields(Job) if field.name not in ASIDE)


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
        self._run_times, self._pools = RunTimes(problem), JobPools(problem.cluster)
        self._most_work_h: dict[Hashable, float] = {}
        self._price: dict[Hashable, float] = {}
        self._booked_s: dict[Hashable, int] = {}

    def most_work_h(self, job: Job) -> float:
        """Return the counted-resource-hours in which a job is busy at most."""
        key = self._key(job)
        if key not in self._most_work_h:
            self._most_work_h[key] = self._busiest_h(job)
        return self._most_work_h[key]

    def price(self, job: Job) -> float:
        """Return the least that a job adds to the bill."""
        key = self._key(job)
        if key not in self._price:
            self._price[key] = self._cheapest(job)
        return self._price[key]

    def _key(self, job: Job) -> Hashable:
        """Return what decides both: all of a job but its name, owner, urgency and the instants that fall into the same slots."""
        problem = self._problem
        is_own = job.state is JobState.RUNNING or job.name in problem.pin_of_job or self._run_times.has_own_speed(job)
        span = (problem.grid.release_slot(job.release_s), last_end(problem, job), job.deadline_s is None)
        return job if is_own else (span, *(getattr(job, name) for name in DECIDING))

    def _busiest_h(self, job: Job) -> float:
        problem = self._problem
        if job.state is not JobState.RUNNING and not job.is_elastic:
            booked_s = max((self._longest_s(job, pool) for pool in self._pools.of(job)), default=0)
            return counted_share(job.shape, problem.cluster) * (job.workers * (booked_s / 3600))
        busy = (
            choice.workers * booked_h(problem, choice) * choice_duty(problem, job, pool, choice)
            for pool in self._pools.of(job)
            for choice in choices(problem, job, pool)
        )
        return counted_share(job.shape, problem.cluster) * max(busy, default=0.0)

    def _longest_s(self, job: Job, pool: Pool) -> int:
        """Return the seconds that a job which is not elastic is booked for at most on a pool; 0 where it has no start."""
        grid, length = self._problem.grid, self._run_times.key(job)
        first, last = grid.release_slot(job.release_s), last_end(self._problem, job)
        key = (pool.name, length, first, last)
        if key not in self._booked_s:
            ends = self._run_times.ends(job, pool, length)
            pairs = ((slot, end) for slot in range(first, grid.n_slots) if (end := ends[slot]) is not None and end <= last)
            self._booked_s[key] = max((grid.edges_s[end] - grid.edges_s[slot] for slot, end in pairs), default=0)
        return self._booked_s[key]

    def _cheapest(self, job: Job) -> float:
        problem, pools = self._problem, self._pools.of(job)
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
