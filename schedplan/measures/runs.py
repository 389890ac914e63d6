"""Runs: what the job parts of a plan mean in time, and what the replica parts mean as fleets.

It takes decisions as they are, feasible or not, and says nothing about cost.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.coverage import mix_of
from schedplan.measures.latency import fleet_latency_ms, reaching_rps
from schedplan.measures.missed import Asked, Shares, asked, is_priced
from schedplan.measures.spot import gang_rate
from schedplan.measures.warm_up import serving_parts
from schedplan.measures.work import duty, placed_workers, run_minutes
from schedplan.model.cluster import Market, Pool
from schedplan.model.plan import Decisions, JobPart, ReplicaPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, Service


@dataclass(frozen=True, slots=True)
class Run:
    """A job as placed: its parts in node order, all from start_slot to end_edge (exclusive); minutes of the slowest part.

    end_edge stays within the grid even where the work would not end there. duty: share of the booked slots in which it is busy.
    """

    job: Job
    parts: tuple[JobPart, ...]
    pools: tuple[Pool, ...]
    start_slot: int
    end_edge: int
    minutes: float
    start_s: int
    end_s: int
    run_end_s: int
    duty: float

    @property
    def slots(self) -> slice:
        return slice(self.start_slot, self.end_edge)

    @property
    def hours(self) -> float:
        return self.minutes / 60.0

    @property
    def workers(self) -> int:
        """The workers it has, of an elastic gang perhaps fewer than it asks for."""
        return sum(part.workers for part in self.parts)

    @property
    def on_spot(self) -> bool:
        return any(pool.market is Market.SPOT for pool in self.pools)

    @property
    def rate_per_h(self) -> float:
        """Interruptions per hour of the whole gang: those of all its spot nodes."""
        return sum(gang_rate(pool, 1) for pool in self.pools)

    @property
    def slack_h(self) -> float | None:
        """Hours between the end of the run, left alone, and the deadline; None without one."""
        return None if self.job.deadline_s is None else (self.job.deadline_s - self.run_end_s) / 3600.0


def runs_of(problem: Problem, decisions: Decisions) -> tuple[Run, ...]:
    """Return one run per placed job, by name. KeyError for a job or node that the problem does not have."""
    order = problem.cluster.node_idx
    by_job: dict[str, list[JobPart]] = {}
    for part in decisions.parts:
        by_job.setdefault(part.job, []).append(part)
    return tuple(_run(problem, name, sorted(by_job[name], key=lambda part: order[part.node])) for name in sorted(by_job))


def end_edges(problem: Problem, parts: Iterable[JobPart]) -> dict[str, int]:
    """Return the edge at which the booked slots of each placed job end, within the grid, by its name."""
    found: dict[str, int] = {}
    given = tuple(parts)
    workers = placed_workers(given)
    for part in given:
        pool = problem.cluster.pool_of_node[part.node]
        minutes = run_minutes(problem, problem.job_by_name[part.job], pool, workers[part.job])
        edge = problem.grid.end_edge(part.start_slot, minutes)
        found[part.job] = max(found.get(part.job, 0), problem.grid.n_slots if edge is None else edge)
    return found


def left_out(problem: Problem, decisions: Decisions) -> tuple[Job, ...]:
    """Return the jobs that no part places, by name."""
    placed = {part.job for part in decisions.parts}
    return tuple(job for job in problem.jobs if job.name not in placed)


def _run(problem: Problem, name: str, parts: list[JobPart]) -> Run:
    job, start_slot = problem.job_by_name[name], parts[0].start_slot
    pools = tuple(problem.cluster.pool_of_node[part.node] for part in parts)
    workers = sum(part.workers for part in parts)
    minutes = max(run_minutes(problem, job, pool, workers) for pool in pools)
    end_edge = problem.grid.end_edge(start_slot, minutes)
    end_edge = problem.grid.n_slots if end_edge is None else end_edge
    start_s = problem.grid.slot_start_s(start_slot)
    end_s = problem.grid.edges_s[end_edge]
    run_end_s = start_s + max(ceil(minutes * 60 - 6e-5), 1)
    busy = max(duty(problem, job, pool, workers, (end_s - start_s) / 3600.0) for pool in pools)
    return Run(job, tuple(parts), pools, start_slot, end_edge, minutes, start_s, end_s, run_end_s, busy)


@dataclass(frozen=True, slots=True)
class Fleet:
    """All replicas of one service over the slots.

    parts: per slot those of the slot, in node order; serving: those of them that serve, the others still warm up; replicas int64
    [n_slots]: all that stand. speed float64 [n_slots]: requests per second those that serve take when full, after cache hits;
    latency_ms by them as well. peak_rps, mean_rps float64 [n_slots], before cache hits; missed float64 [n_slots]: the share of
    either that is not served, which latency_ms and busy leave out.
    """

    service: Service
    parts: tuple[tuple[ReplicaPart, ...], ...]
    serving: tuple[tuple[ReplicaPart, ...], ...]
    replicas: NDArray[np.int64]
    speed: NDArray[np.float64]
    latency_ms: tuple[float | None, ...]
    peak_rps: NDArray[np.float64]
    mean_rps: NDArray[np.float64]
    missed: NDArray[np.float64]

    def load(self, rate_rps: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return offered load per capacity held at a rate before cache hits, float64 [n_slots]; 0 where nothing stands."""
        reaching = np.asarray(reaching_rps(self.service, 1.0) * rate_rps)
        return np.divide(reaching, self.speed, out=np.zeros_like(reaching), where=self.speed > 0)

    @property
    def busy(self) -> NDArray[np.float64]:
        """Share of every replica that is busy, float64 [n_slots]: the expected load, spread by speed, never above 1."""
        return np.minimum(self.load(self.mean_rps * (1.0 - self.missed)), 1.0)

    @property
    def met(self) -> NDArray[np.bool_]:
        """Whether what is served of a slot meets the SLO at the demand planned for; a slot without demand does."""
        fast = [found is not None and found <= self.service.slo_ms * (1 + 1e-9) for found in self.latency_ms]
        return np.asarray(fast) | ((self.peak_rps <= 0) & (self.mean_rps <= 0))


def fleets_of(problem: Problem, decisions: Decisions) -> tuple[Fleet, ...]:
    """Return one fleet per service of the problem, in its order."""
    order = problem.cluster.node_idx
    by_service: dict[str, list[list[ReplicaPart]]] = {
        service.name: [[] for _ in range(problem.grid.n_slots)] for service in problem.services
    }
    for part in sorted(decisions.replicas, key=lambda part: order[part.node]):
        by_service[part.service][part.slot].append(part)
    return tuple(_fleet(problem, service, by_service[service.name]) for service in problem.services)


def missed_shares(problem: Problem, fleets: Iterable[Fleet]) -> Shares:
    """Return what fleets miss, by service; empty where no demand may be missed."""
    return {fleet.service.name: fleet.missed for fleet in fleets} if is_priced(problem) else {}


def _fleet(problem: Problem, service: Service, parts: list[list[ReplicaPart]]) -> Fleet:
    n_slots = problem.grid.n_slots
    demand = problem.demand_of.get(service.name)
    peak, mean = (np.zeros(n_slots), np.zeros(n_slots)) if demand is None else (demand.peak_rps, demand.mean_rps)
    serving = serving_parts(problem, service, (part for slot_parts in parts for part in slot_parts))
    mixes = [_by_speed(problem, service, slot_parts) for slot_parts in serving]
    wanted: tuple[Asked, ...] = asked(problem, service) if is_priced(problem) else ()
    missed = np.zeros(n_slots)
    missed[: len(wanted)] = [one.missed(mix_of(problem.cluster, on)) for one, on in zip(wanted, serving, strict=False)]
    served = peak * (1.0 - missed)
    return Fleet(
        service=service,
        parts=tuple(tuple(slot_parts) for slot_parts in parts),
        serving=serving,
        replicas=np.array([sum(part.replicas for part in slot_parts) for slot_parts in parts], dtype=np.int64),
        speed=np.array([sum(count * service.concurrency * 1000.0 / service_ms for service_ms, count in mix) for mix in mixes]),
        latency_ms=tuple(fleet_latency_ms(service, mix, float(rate)) for mix, rate in zip(mixes, served, strict=True)),
        peak_rps=peak,
        mean_rps=mean,
        missed=missed,
    )


def _by_speed(problem: Problem, service: Service, parts: Iterable[ReplicaPart]) -> tuple[tuple[float, int], ...]:
    """Pairs of (service_ms, replicas) by service_ms."""
    counts: dict[float, int] = {}
    for part in parts:
        service_ms = problem.service_ms(service, problem.cluster.pool_of_node[part.node].accelerator)
        counts[service_ms] = counts.get(service_ms, 0) + part.replicas
    return tuple(sorted(counts.items()))
