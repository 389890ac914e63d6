"""The objective by hand: what jobs, replicas and nodes add to it, from the records of the model alone.

It is written anew from the description of the objective, and shares no line with what it checks. It knows nothing of what
is feasible.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp

import numpy as np

from schedplan.model.cluster import Market, Pool
from schedplan.model.plan import Decisions, JobPart
from schedplan.model.problem import GOALS, Problem
from schedplan.model.workload import DeadlineKind, Job, JobState, Service, WorkerShape
from tests.oracle.emissions import idle_g, replica_g, worker_g
from tests.oracle.missed import all_demand_importance, busy_h, demand_importance, may_miss, missed_share
from tests.oracle.pieces import Span, idle_minutes
from tests.oracle.quotas import borrow_cost
from tests.oracle.services import serving_counts
from tests.oracle.standing import replicas_moved, workers_moved


@dataclass(frozen=True, slots=True)
class Option:
    """One way to run a job: workers per node from a slot to an edge; `own` is its part of the objective, without nodes.

    pieces: of a job in several, all of them; it starts with the first, with the workers of that one, and ends with the last.
    """

    job: str
    start_slot: int
    end_edge: int
    workers: tuple[int, ...]
    own: float
    rework_cost: float
    pieces: tuple[Span, ...] = ()

    @property
    def spans(self) -> tuple[Span, ...]:
        """What it holds, and when."""
        return self.pieces or ((self.start_slot, self.end_edge, self.workers),)


def objective_of(problem: Problem, decisions: Decisions, divisors: Mapping[str, float]) -> float:
    """Return the objective of given decisions by the same arithmetic; they are taken to be feasible."""
    arithmetic = Arithmetic(problem, divisors)
    total = arithmetic.constant + arithmetic.weight["cost"] * borrow_cost(problem, arithmetic.run_minutes, decisions)
    for job in problem.jobs:
        parts = [part for part in decisions.parts if part.job == job.name]
        if not parts:
            total += arithmetic.left_out(job)
            continue
        total += arithmetic.planned(job, parts).own
    total += sum(
        part.replicas
        * arithmetic.replica_value(problem.service_by_name[part.service], problem.cluster.node_idx[part.node], part.slot)
        for part in decisions.replicas
    )
    for slot in range(problem.grid.n_slots):
        for service in problem.services:
            stands = {
                problem.cluster.node_idx[part.node]: part.replicas
                for part in decisions.replicas
                if (part.service, part.slot) == (service.name, slot)
            }
            total += arithmetic.move_value(service, slot, stands)
    if may_miss(problem):
        for service in problem.services:
            by_slot = serving_counts(problem, service, arithmetic.pools, decisions)
            total += sum(arithmetic.missed_value(service, slot, serving) for slot, serving in enumerate(by_slot))
    return total + sum(arithmetic.on_value(node, slot) for node, slot in zip(*np.nonzero(decisions.on), strict=True))


class Arithmetic:
    """Objective and single-node facts of one problem; nodes by their index in Cluster.nodes."""

    def __init__(self, problem: Problem, divisors: Mapping[str, float]) -> None:
        self.problem = problem
        self.grid = problem.grid
        self.names = problem.cluster.nodes
        self.pools = tuple(problem.cluster.pool_of_node[name] for name in self.names)
        self.number = tuple(problem.cluster.pool_of_node[name].node_names().index(name) for name in self.names)
        self.price = {pool.name: problem.price_per_h(pool) for pool in problem.cluster.pools}
        self.weight = {goal: _share(problem.objective.weight(goal), divisors.get(goal)) for goal in GOALS}

    def counted(self, pool: Pool) -> float:
        """Devices of a node where the cluster has any, else its cores."""
        return float(pool.gpus) if self.problem.cluster.has_devices else pool.cpus or 0.0

    def counted_worker(self, shape: WorkerShape) -> float:
        return shape.gpus if self.problem.cluster.has_devices else shape.cpus

    @cached_property
    def constant(self) -> float:
        """Offered load of the services at the reference device, which is never idle."""
        total = 0.0
        for service in self.problem.services:
            demand = self.problem.demand_of[service.name]
            busy = demand.mean_rps * (1 - service.cache_hit_ratio) * service.service_ms / 1000 / service.concurrency
            total += float((busy * self.grid.hours).sum()) * self.counted_worker(service.shape)
        return -self.weight["utilization"] * total

    def on_value(self, node: int, slot: int) -> float:
        """Objective of paying for a node in a slot before any work on it: price, and devices that would be idle."""
        hours = float(self.grid.hours[slot])
        emitted = self.weight["carbon"] * idle_g(self.problem, self.pools[node], slot)
        idle = self.weight["utilization"] * self.counted(self.pools[node]) * hours
        return self.weight["cost"] * self.on_cost(node, slot) + idle + emitted

    def on_cost(self, node: int, slot: int) -> float:
        return float(self.price[self.pools[node].name][slot] * self.grid.hours[slot])

    def size(self, job: Job) -> float:
        """Largest share of the cluster's devices, cores and memory, times its devices (1 where it has none); where a job asks for
        nothing of what there is, a thousandth takes the place of its share."""
        totals = np.zeros(3)
        for pool in self.problem.cluster.pools:
            totals += pool.nodes * np.array([pool.gpus, pool.cpus or 0.0, pool.memory_gib or 0.0])
        asked = job.workers * np.array([job.shape.gpus, job.shape.cpus, job.shape.memory_gib])
        shares = [a / total for a, total in zip(asked, totals, strict=True) if total > 0]
        return float((max(shares, default=0.0) or 1e-3) * (totals[0] or 1.0))

    def urgency(self, job: Job) -> int:
        return 1 + sorted({other.priority for other in self.problem.jobs}).index(job.priority)

    def importance(self, job: Job) -> float:
        return self.urgency(job) * self.size(job) * _runtime_minutes(job) / 60

    def left_out(self, job: Job) -> float:
        """The price of the work itself, and a wait (and lateness) that lasts until the horizon ends."""
        share = self.importance(job) / (self.all_importance or 1.0)
        endless = self._lateness_h(job, self.grid.n_slots, self.grid.n_slots) * self.urgency(job) * self.size(job)
        return self.problem.objective.unplaced * share + self.weight["latency"] * endless

    @cached_property
    def all_importance(self) -> float:
        return sum(self.importance(other) for other in self.problem.jobs) + all_demand_importance(self.problem)

    def missed_value(self, service: Service, slot: int, serving: Mapping[int, int]) -> float:
        """What a service adds by the demand that its serving replicas (per node, by index) miss; 0 where none may be."""
        if not may_miss(self.problem):
            return 0.0
        by_pool: dict[str, int] = {}
        for node, count in serving.items():
            by_pool[self.pools[node].name] = by_pool.get(self.pools[node].name, 0) + count
        share = missed_share(self.problem, service, slot, by_pool)
        if share == 0:
            return 0.0
        weighs = demand_importance(self.problem, service, slot)
        return share * (
            self.weight["latency"] * self.problem.objective.rates.missed * weighs
            + self.problem.objective.unplaced * weighs / self.all_importance
            + self.weight["utilization"] * busy_h(self.problem, service, slot)
        )

    def run_minutes(self, job: Job, pool: Pool, workers: int) -> float:
        """Load and run time on a pool with so many workers; of a running job what is left of it, at least the first slot."""
        minutes = _runtime_minutes(job) / self.speed(job, pool.accelerator)
        if job.min_workers is not None:
            minutes *= job.workers / workers
        if job.saved_minutes is not None:
            minutes = minutes * (_runtime_minutes(job) - job.saved_minutes) / _runtime_minutes(job) + job.restart_minutes
        stands = [self.pools[self.names.index(placed.node)] for placed in job.placement if placed.node in self.names]
        on = stands if job.state is JobState.RUNNING else [pool]
        minutes += job.load_minutes if any(job.affinity is None or job.affinity not in one.caches for one in on) else 0.0
        if job.state is JobState.RUNNING:
            has_run = 0.0 if job.start_s is None else (self.grid.start_s - job.start_s) / 60
            return max(minutes - has_run, float(self.grid.hours[0]) * 60)
        return minutes

    def speed(self, job: Job, accelerator: str | None) -> float:
        for names in (job.name, job.kind.value):
            for row in self.problem.cluster.speeds:
                if row.accelerator == accelerator and row.kind == names:
                    return row.speed
        return 1.0

    def option(self, job: Job, start_slot: int, workers: tuple[int, ...]) -> Option:
        """Return a way to run a job with its share of the objective; `workers` per node, at least one in all."""
        used = [node for node, count in enumerate(workers) if count]
        minutes = self.run_minutes(job, self.pools[used[0]], sum(workers))
        end_edge = self.grid.end_edge(start_slot, minutes)
        if end_edge is None:
            raise ValueError(f"job {job.name} does not end within the horizon")
        lateness = self._lateness_h(job, start_slot, end_edge) * self.urgency(job) * self.size(job)
        places = {self.names[node]: workers[node] for node in used}
        moved = workers_moved(self.problem, job, start_slot, places) * self.counted_worker(job.shape)
        booked_h = (self.grid.edges_s[end_edge] - self.grid.edges_s[start_slot]) / 3600
        busy_h = min(self._busy_minutes(job, self.pools[used[0]], minutes) / 60, booked_h) if _is_elastic(job) else booked_h
        rework = self._rework_cost(job, minutes / 60, start_slot, workers)
        own = (
            self.weight["latency"] * (lateness + moved * self.problem.objective.move_device_h)
            - self.weight["utilization"] * sum(workers) * self.counted_worker(job.shape) * busy_h
            + self.weight["cost"] * rework
            + self.weight["carbon"] * self._emitted(job, start_slot, end_edge, workers) * busy_h / booked_h
        )
        return Option(job.name, start_slot, end_edge, workers, own, rework)

    def planned(self, job: Job, parts: Sequence[JobPart]) -> Option:
        """Return how a plan runs a job."""
        spans: dict[tuple[int, int | None], list[int]] = {}
        for part in parts:
            workers = spans.setdefault((part.start_slot, part.end_edge), [0] * len(self.pools))
            workers[self.problem.cluster.node_idx[part.node]] += part.workers
        if all(end is None for _, end in spans):
            return self.option(job, parts[0].start_slot, tuple(next(iter(spans.values()))))
        pieces = sorted((start, end or 0, tuple(workers)) for (start, end), workers in spans.items())
        return self.in_pieces(job, tuple(pieces))

    def again(self, job: Job, option: Option) -> Option:
        """Return the same way to run a job, counted anew."""
        return self.in_pieces(job, option.pieces) if option.pieces else self.option(job, option.start_slot, option.workers)

    def in_pieces(self, job: Job, pieces: tuple[Span, ...]) -> Option:
        """Return a job that leaves and goes on: what keeps it from its work from its release until it is done is its wait."""
        edges_s, n_devices = self.grid.edges_s, sum(pieces[0][2]) * self.counted_worker(job.shape)
        left_minutes, busy_h, worked_minutes, emitted, over_s = _runtime_minutes(job), 0.0, 0.0, 0.0, 0.0
        for number, (start, end, workers) in enumerate(pieces):
            pool = self.pools[next(node for node, count in enumerate(workers) if count)]
            speed, booked = self.speed(job, pool.accelerator), (edges_s[end] - edges_s[start]) / 60
            idle = idle_minutes(job, pool, number, len(pieces))
            works = min(booked - idle, left_minutes / speed)
            left_minutes -= works * speed
            worked_minutes += works + (idle_minutes(job, pool, 0, 1) if number == 0 else 0.0)
            over_s = edges_s[start] + 60 * (idle + works)
            busy_h += (booked - idle) / 60
            emitted += self._emitted(job, start, end, workers) * (booked - idle) / booked
        first, last = pieces[0], pieces[-1]
        late = self._lateness_h(job, first[0], last[1])
        late += self.problem.objective.rates.wait * ((over_s - edges_s[first[0]]) / 3600 - worked_minutes / 60)
        before = any(stay.job == job.name for stay in self.problem.earlier.jobs) if self.problem.earlier is not None else False
        own = (
            self.weight["latency"] * late * self.urgency(job) * self.size(job)
            + self.weight["latency"] * self.problem.objective.move_device_h * (n_devices if before else 0.0)
            - self.weight["utilization"] * n_devices * busy_h
            + self.weight["carbon"] * emitted
        )
        return Option(job.name, first[0], last[1], first[2], own, 0.0, pieces)

    def _busy_minutes(self, job: Job, pool: Pool, minutes: float) -> float:
        """Minutes of a run in which a waiting job does not load; of a running one all."""
        is_loading = job.state is not JobState.RUNNING and (job.affinity is None or job.affinity not in pool.caches)
        return minutes - job.load_minutes if is_loading else minutes

    def _emitted(self, job: Job, start_slot: int, end_edge: int, workers: tuple[int, ...]) -> float:
        return sum(
            count * worker_g(self.problem, self.pools[node], job.shape, slot)
            for node, count in enumerate(workers)
            for slot in range(start_slot, end_edge)
        )

    def move_value(self, service: Service, slot: int, stands: Mapping[int, int]) -> float:
        """What the replicas of a slot (per node, by index) add because they stand where the earlier plan had fewer."""
        moved = replicas_moved(self.problem, service, slot, {self.names[node]: count for node, count in stands.items()})
        return self.weight["latency"] * self.problem.objective.move_device_h * moved * self.counted_worker(service.shape)

    def replica_value(self, service: Service, node: int, slot: int) -> float:
        """Objective of one replica on a node in a slot, the node aside: what it emits."""
        return self.weight["carbon"] * replica_g(self.problem, self.pools[node], service, slot)

    def _lateness_h(self, job: Job, start_slot: int, end_edge: int) -> float:
        known = [instant for instant in (job.submit_s, job.earliest_start_s) if instant is not None]
        release_s = max([self.grid.start_s, *known])
        rates = self.problem.objective.rates
        hours = rates.wait * (self.grid.edges_s[start_slot] - release_s) / 3600
        if job.deadline_s is not None and job.deadline_kind is DeadlineKind.SOFT:
            hours += rates.tardiness * max(0.0, (self.grid.edges_s[end_edge] - job.deadline_s) / 3600)
        return hours

    def _rework_cost(self, job: Job, work_h: float, start_slot: int, workers: tuple[int, ...]) -> float:
        """Expected hours of lost and repeated work of a gang on spot, at its share of the price of its nodes when it starts."""
        used = [node for node, count in enumerate(workers) if count]
        if self.pools[used[0]].market is not Market.SPOT:
            return 0.0
        rate = sum(self.pools[node].interruptions_per_hour for node in used)
        if rate == 0:
            return 0.0
        per_hour = 0.0
        for node in used:
            pool = self.pools[node]
            share = workers[node] * (job.shape.gpus / pool.gpus if pool.gpus else job.shape.cpus / (pool.cpus or 1.0))
            per_hour += share * float(self.price[pool.name][start_slot])
        return per_hour * (_expected_run_h(job, work_h, rate) - work_h)


def _share(weight: float, divisor: float | None) -> float:
    return weight / divisor if weight and divisor else 0.0


def _runtime_minutes(job: Job) -> float:
    if job.runtime_minutes is None:
        raise ValueError(f"job {job.name} has no runtime")
    return job.runtime_minutes


def _is_elastic(job: Job) -> bool:
    return job.min_workers is not None and job.min_workers < job.workers


def _expected_run_h(job: Job, work_h: float, rate_per_h: float) -> float:
    """Expected hours of a run of `work_h` that loses its work since the last checkpoint at every interruption."""
    mean_h = 1 / rate_per_h
    restart = exp(job.restart_minutes / 60 / mean_h)
    if job.checkpoint_minutes is None or job.checkpoint_minutes / 60 >= work_h:
        return mean_h * restart * (exp(work_h / mean_h) - 1)
    interval_h, cost_h = job.checkpoint_minutes / 60, job.checkpoint_cost_minutes / 60
    return mean_h * restart * (exp((interval_h + cost_h) / mean_h) - 1) * work_h / interval_h
