"""Runs: what the job parts of a plan mean in time, and what the replica parts mean as fleets.

It takes decisions as they are, feasible or not, and says nothing about cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.coverage import mix_of
from schedplan.measures.latency import fleet_latency_ms, reaching_rps
from schedplan.measures.missed import Asked, Shares, asked, is_priced
from schedplan.measures.pieces import (
    Piece,
    gained_minutes,
    overhead_minutes,
    piece_at,
    piece_lateness,
    pieces_of,
    work_minutes,
    work_share,
)
from schedplan.measures.spot import gang_rate
from schedplan.measures.warm_up import serving_parts
from schedplan.measures.work import booked_slots, duty, placed_workers, release_s, run_minutes
from schedplan.model.cluster import Market, Pool
from schedplan.model.plan import Decisions, JobPart, ReplicaPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, Service


@dataclass(frozen=True, slots=True)
class Run:
    """A job as placed, or one piece of it: its parts in node order, all from start_slot to end_edge (exclusive); minutes of the
    slowest part.

    end_edge stays within the grid even where the work would not end there. duty: share of the booked slots in which it is busy.
    number, count: which piece it is, from 0, of how many.
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
    number: int = 0
    count: int = 1

    @property
    def piece(self) -> Piece:
        """Which piece of its job it is."""
        return piece_at(self.number, self.count)

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
    """Return one run per placed job, by name, or one per piece of it. KeyError for a job or node that the problem does not have."""
    by_job: dict[str, list[JobPart]] = {}
    for part in decisions.parts:
        by_job.setdefault(part.job, []).append(part)
    return tuple(run for name in sorted(by_job) for run in _runs(problem, name, by_job[name]))


def run_lateness(problem: Problem, run: Run) -> float:
    """Return what a run adds to the latency goal."""
    return piece_lateness(problem, run.job, run.pools[0], run.piece, run.start_s, run.end_s)


def waits_s(problem: Problem, runs: Iterable[Run]) -> tuple[float, ...]:
    """Return how long each placed job waits from its release until it is over, its run aside, in the order of the runs."""
    found: dict[str, float] = {}
    for run in runs:
        if run.piece.ends:
            resumes_s = 0.0 if run.piece.begins else overhead_minutes(run.job, run.pools[0], run.piece) * 60.0
            waited_s = float(run.start_s - release_s(problem, run.job)) + resumes_s
        else:
            waited_s = -gained_minutes(run.job, run.pools[0], run.piece, (run.end_s - run.start_s) / 60.0) * 60.0
        found[run.job.name] = found.get(run.job.name, 0.0) + waited_s
    return tuple(found.values())


def end_edges(problem: Problem, parts: Iterable[JobPart]) -> dict[str, int]:
    """Return the edge at which the booked slots of each placed job end, within the grid, by its name."""
    found: dict[str, int] = {}
    given = tuple(parts)
    workers = placed_workers(given)
    for part in given:
        found[part.job] = max(found.get(part.job, 0), booked_slots(problem, part, workers[part.job]).stop)
    return found


def left_out(problem: Problem, decisions: Decisions) -> tuple[Job, ...]:
    """Return the jobs that no part places, by name."""
    placed = {part.job for part in decisions.parts}
    return tuple(job for job in problem.jobs if job.name not in placed)


def _runs(problem: Problem, name: str, parts: list[JobPart]) -> Iterator[Run]:
    order = problem.cluster.node_idx
    pieces = [sorted(piece, key=lambda part: order[part.node]) for piece in pieces_of(parts)]
    if len(pieces) == 1 and pieces[0][0].end_edge is None:
        yield _run(problem, name, pieces[0])
        return
    done = 0.0
    for number, piece in enumerate(pieces):
        run = _piece_run(problem, name, piece, number, len(pieces), done)
        done += work_share(problem, run.job, run.pools[0], run.piece, (run.end_s - run.start_s) / 60.0)
        yield run


def _piece_run(problem: Problem, name: str, parts: list[JobPart], number: int, count: int, done: float) -> Run:
    """Return one piece of a job of whose work a share is done before it."""
    job, piece, grid = problem.job_by_name[name], piece_at(number, count), problem.grid
    pools = tuple(problem.cluster.pool_of_node[part.node] for part in parts)
    start_slot = parts[0].start_slot
    end_edge = parts[0].end_edge or start_slot + 1
    start_s, end_s = grid.slot_start_s(start_slot), grid.edges_s[end_edge]
    booked_minutes = (end_s - start_s) / 60.0
    work = work_minutes(job, pools[0], piece, booked_minutes)
    minutes = booked_minutes
    if piece.ends:
        rest = max(1.0 - done, 0.0) * problem.runtime_minutes(job, pools[0])
        minutes = overhead_minutes(job, pools[0], piece) + rest
    run_end_s = start_s + max(ceil(minutes * 60 - 6e-5), 1)
    return Run(
        job=job,
        parts=tuple(parts),
        pools=pools,
        start_slot=start_slot,
        end_edge=end_edge,
        minutes=minutes,
        start_s=start_s,
        end_s=end_s,
        run_end_s=run_end_s,
        duty=work / booked_minutes,
        number=number,
        count=count,
    )


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
