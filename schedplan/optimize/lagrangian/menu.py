"""The menu of a long horizon as arrays: where each job may stand, how long, and what waiting adds to F. It knows no prices.

A choice is a job on a pool with a number of workers; its starts are all slots from its release to the last from which it ends in
time. Choices of one run time on one pool that hold for one tenant are a course: their starts all have the same ends.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.eligibility import workers_per_node
from schedplan.measures.spot import gang_rate
from schedplan.measures.work import counted_share, job_size, last_end, release_s, run_minutes
from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import DeadlineKind, Job, JobState
from schedplan.optimize.constraints.spot import fewest_nodes, rework_node_h
from schedplan.optimize.job_pools import JobPools
from schedplan.optimize.nodes.rates import Rates
from schedplan.optimize.run_times import RunTimes

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Course:
    """Choices with the same ends. ends: the edge at which a start with each slot ends, int64, of the slots from which it ends in
    the horizon. pool: index in the cluster; tenant: index, -1 where no plain quota counts it.

    Per choice: job (index), held (counted resource), wait (F per hour of waiting), late (F per hour behind the soft deadline),
    due_h (that deadline in hours from the grid's start; infinite without), release_h, release (first start slot), last (last start
    slot), plain (F of rework, and of work that counts whatever its booking). is_booked: whether it counts as busy while booked.
    """

    pool: int
    tenant: int
    ends: Ints
    is_booked: bool
    job: Ints
    held: Floats
    wait: Floats
    late: Floats
    due_h: Floats
    release_h: Floats
    release: Ints
    last: Ints
    plain: Floats


@dataclass(frozen=True)
class Menu:
    """left_out: F of leaving each job out, infinite where it must be placed though it may; float64 [job]."""

    problem: Problem
    rates: Rates
    tenants: tuple[str, ...]
    courses: tuple[Course, ...]
    left_out: Floats


def menu(problem: Problem, rates: Rates, tenants: tuple[str, ...]) -> Menu:
    """Return the menu of all jobs; tenants: whose work is counted by a plain quota."""
    collected = _Collector(problem, rates, tenants)
    left_out = np.zeros(len(problem.jobs))
    for idx, job in enumerate(problem.jobs):
        is_offered = collected.add(idx, job)
        must = is_offered and (job.required or job.state is JobState.RUNNING)
        left_out[idx] = np.inf if must else rates.left_out(job)
    return Menu(problem, rates, tenants, collected.courses(), left_out)


class _Collector:
    """Courses in the making; what only hangs on the shape of a job is looked up once."""

    def __init__(self, problem: Problem, rates: Rates, tenants: tuple[str, ...]) -> None:
        self.problem, self.rates = problem, rates
        self.pool_idx = {pool.name: idx for idx, pool in enumerate(problem.cluster.pools)}
        self.tenant_idx = {tenant: idx for idx, tenant in enumerate(tenants)}
        self.begin_s = problem.grid.start_s
        self.pools, self.run_times = JobPools(problem.cluster), RunTimes(problem)
        self.last_start: dict[Hashable, int] = {}
        self.found: dict[tuple[int, int, float, bool], list[tuple[float, ...]]] = defaultdict(list)

    def add(self, idx: int, job: Job) -> bool:
        """Add the choices of a job; whether there are any."""
        problem, rates = self.problem, self.rates
        pools = self.pools.of(job)
        urgent = problem.urgency[job.priority] * job_size(problem.cluster, job) * rates.latency
        wait = urgent * problem.objective.rates.wait
        is_soft = job.deadline_s is not None and job.deadline_kind is DeadlineKind.SOFT
        late = urgent * problem.objective.rates.tardiness if is_soft else 0.0
        due_h = ((job.deadline_s or 0) - self.begin_s) / 3600.0 if is_soft else float("inf")
        release_h = (release_s(problem, job) - self.begin_s) / 3600.0
        release = 0 if job.state is JobState.RUNNING else problem.grid.release_slot(job.release_s)
        tenant = self.tenant_idx.get(job.tenant, -1)
        has_any = False
        for pool in pools:
            for workers in self._numbers(job):
                minutes = self._minutes(job, pool, workers)
                last = 0 if job.state is JobState.RUNNING else self._last(minutes, last_end(problem, job))
                if last < release:
                    continue
                has_any = True
                held = workers * counted_share(job.shape, problem.cluster)
                plain = self._rework(job, pool, pools, workers)
                if job.is_elastic:
                    plain -= rates.utilization * held * minutes / 60.0
                key = (self.pool_idx[pool.name], tenant, minutes, not job.is_elastic)
                self.found[key].append((idx, held, wait, late, due_h, release_h, release, last, plain))
        return has_any

    def courses(self) -> tuple[Course, ...]:
        """Return what was added, in an order that hangs on nothing but the problem."""
        made = []
        for pool, tenant, minutes, is_booked in sorted(self.found):
            ends = np.array([end for end in self.problem.grid.end_edges(minutes) if end is not None], dtype=np.int64)
            rows = np.array(self.found[pool, tenant, minutes, is_booked], dtype=np.float64)
            job, held, wait, late, due_h, release_h, release, last, plain = rows.T
            whole = (part.astype(np.int64) for part in (job, release, last))
            job_idx, release_idx, last_idx = whole
            made.append(
                Course(pool, tenant, ends, is_booked, job_idx, held, wait, late, due_h, release_h, release_idx, last_idx, plain)
            )
        return tuple(made)

    @staticmethod
    def _numbers(job: Job) -> range:
        if job.state is JobState.RUNNING:
            return range(job.standing_workers, job.standing_workers + 1)
        return range(job.least_workers, job.workers + 1)

    def _minutes(self, job: Job, pool: Pool, workers: int) -> float:
        if job.state is JobState.RUNNING or job.is_elastic:
            return run_minutes(self.problem, job, pool, workers)
        return self.run_times.minutes(job, pool)

    def _last(self, minutes: float, edge: int) -> int:
        """Return the last slot from which a run of so many minutes ends by an edge, -1 without any."""
        key = (minutes, edge)
        if key not in self.last_start:
            ends = self.problem.grid.end_edges(minutes)
            self.last_start[key] = max((slot for slot, end in enumerate(ends) if end is not None and end <= edge), default=-1)
        return self.last_start[key]

    def _rework(self, job: Job, pool: Pool, pools: tuple[Pool, ...], workers: int) -> float:
        """Return the least that the rework of a gang adds to F: on the fewest nodes, at the lowest price."""
        if not self.rates.cost or gang_rate(pool, 1) == 0:
            return 0.0
        roomiest = max(workers_per_node(one, job.shape) for one in pools) or 1
        node_h = rework_node_h(self.problem, job, pool, fewest_nodes(workers, roomiest), workers)
        return self.rates.cost * node_h * float(self.problem.price_per_h(pool).min())
