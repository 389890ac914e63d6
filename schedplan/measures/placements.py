"""Rows about work: placements of jobs and replicas of services, with their cost, devices and the reason in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from schedplan.measures.costs import Prices, hold_cost, part_hold_costs, part_rework_costs, run_cost_on
from schedplan.measures.devices import DeviceUse
from schedplan.measures.eligibility import job_refusal
from schedplan.measures.fallback import Fallback
from schedplan.measures.runs import Fleet, Run
from schedplan.measures.warm_up import lag_minutes
from schedplan.measures.work import release_s
from schedplan.model.cluster import Pool
from schedplan.model.plan import Placement, ReplicaPart, ReplicaRow
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState, Topology, WorkerShape

SAME_COST = 1e-9


def placements(
    problem: Problem, runs: Sequence[Run], devices: DeviceUse, prices: Prices, fallbacks: dict[str, Fallback]
) -> tuple[Placement, ...]:
    """Return one row per job and node, of a job in pieces per piece and node, jobs by name, nodes in their order; workers are
    numbered from 0 along them."""
    reasons = _Reasons(problem, prices)
    rows: list[Placement] = []
    for run in runs:
        first, reason, fallback = 0, reasons.of(run), fallbacks.get(run.job.name)
        held, reworked = part_hold_costs(run, prices), part_rework_costs(run, prices)
        for part, pool, hold, rework in zip(run.parts, run.pools, held, reworked, strict=True):
            rows.append(
                Placement(
                    job=part.job,
                    worker_first=first,
                    worker_last=first + part.workers - 1,
                    node=part.node,
                    start_s=run.start_s,
                    end_s=run.end_s,
                    run_end_s=run.run_end_s,
                    devices=float(part.workers * run.job.shape.gpus),
                    device_slots=devices.device_slots.get((part.job, part.node, part.start_slot), ""),
                    market=pool.market.value,
                    cost=hold + rework,
                    fallback_pool=fallback.pool.name if fallback and fallback.pool and fallback.switch_by_s is not None else None,
                    switch_by_s=fallback.switch_by_s if fallback else None,
                    reason=reason,
                )
            )
            first += part.workers
    return tuple(rows)


def replica_rows(problem: Problem, fleets: Sequence[Fleet], prices: Prices) -> tuple[ReplicaRow, ...]:
    """Return one row per service, slot and node.

    latency_ms is that of the whole service in the slot.
    """
    return tuple(
        _replica_row(problem, fleet, slot, part, prices)
        for fleet in fleets
        for slot, parts in enumerate(fleet.parts)
        for part in parts
    )


def requested_at_s(problem: Problem, fleet: Fleet, slot: int, part: ReplicaPart) -> int:
    """Return the instant at which the last of a part's replicas is asked for.

    It stands there, and holds its devices, since the slot in which the node first held as many without a break, and it serves when
    its lag has passed. What stands from the first slot on is warm, so it was asked for its lag before the plan.
    """
    since = slot
    while since > 0 and any(stand.node == part.node and stand.replicas >= part.replicas for stand in fleet.parts[since - 1]):
        since -= 1
    if since > 0:
        return problem.grid.slot_start_s(since)
    lag_s = lag_minutes(fleet.service, problem.cluster.pool_of_node[part.node]) * 60
    return problem.grid.slot_start_s(0) - round(lag_s)


def _replica_row(problem: Problem, fleet: Fleet, slot: int, part: ReplicaPart, prices: Prices) -> ReplicaRow:
    pool = problem.cluster.pool_of_node[part.node]
    return ReplicaRow(
        service=part.service,
        ds_s=problem.grid.slot_start_s(slot),
        slot_minutes=float(problem.grid.hours[slot]) * 60.0,
        node=part.node,
        replicas=part.replicas,
        requested_at_s=requested_at_s(problem, fleet, slot, part),
        latency_ms=fleet.latency_ms[slot],
        cost=hold_cost(prices, pool, fleet.service.shape, part.replicas, slice(slot, slot + 1)),
    )


@dataclass(frozen=True)
class _Reasons:
    """Why a run stands where and when it does, in one sentence; eligible pools are looked up once per kind of job."""

    problem: Problem
    prices: Prices
    _eligible: dict[tuple[WorkerShape, bool, Topology, int], tuple[tuple[Pool, int], ...]] = field(default_factory=dict)
    _cheapest: dict[tuple[Job, int, int], tuple[int, float, str]] = field(default_factory=dict)

    def of(self, run: Run) -> str:
        if run.job.state is JobState.RUNNING:
            return ("runs already and stays on its nodes" if run.job.placement else "runs already") + _workers(run)
        if run.count > 1:
            return f"piece {run.number + 1} of {run.count} of a best-effort run; {self._time(run)}"
        return f"{self._place(run)}; {self._time(run)}{_workers(run)}"

    def _place(self, run: Run) -> str:
        pools = tuple(dict.fromkeys(pool.name for pool in run.pools))
        names, are_many = " and ".join(pools), len(pools) > 1
        n_pools, cheapest, name = self._cheapest_pool(run)
        if n_pools <= 1:
            return f"{names} {'are the only pools' if are_many else 'is the only pool'} that may hold it"
        here = sum(part_hold_costs(run, self.prices)) + sum(part_rework_costs(run, self.prices))
        if here <= cheapest + SAME_COST * max(1.0, abs(cheapest)):
            return f"{names} {'are the cheapest pools' if are_many else 'is the cheapest pool'} that may hold it"
        dearer = f"{here - cheapest:.2f} {self.problem.currency} more"
        return f"{names} {'cost' if are_many else 'costs'} {dearer} than {name}, the cheapest pool that may hold it"

    def _cheapest_pool(self, run: Run) -> tuple[int, float, str]:
        """(pools that could hold the job from its start, the least cost, its pool); looked up once per kind of run."""
        job = run.job
        name = job.name if job.name in self._own_speeds else ""
        kind = replace(job, name=name, user=None, tenant="", submit_s=None, earliest_start_s=None, deadline_s=None)
        key = (kind, run.start_slot, run.workers)
        if key not in self._cheapest:
            costs = [
                (cost, pool.name, count)
                for pool, count in self._pools(job)
                if (cost := run_cost_on(self.problem, job, pool, run.start_slot, self.prices, run.workers)) is not None
            ]
            cheapest, pool_name, _ = min(costs, default=(0.0, "", 0))
            self._cheapest[key] = (sum(count for _, _, count in costs), cheapest, pool_name)
        return self._cheapest[key]

    @cached_property
    def _own_speeds(self) -> frozenset[str]:
        return frozenset(row.kind for row in self.problem.cluster.speeds)

    def _time(self, run: Run) -> str:
        if run.number:
            return "goes on from its checkpoint"
        released_s = release_s(self.problem, run.job)
        if run.start_slot == self.problem.grid.release_slot(released_s):
            return "starts at its earliest instant"
        return f"starts {(run.start_s - released_s) / 3600.0:.2f} h after its earliest instant"

    def _pools(self, job: Job) -> tuple[tuple[Pool, int], ...]:
        """(the first pool, how many) of each kind of pools that may hold a job."""
        key = (job.shape, job.spot_ok, job.topology, job.workers)
        if key not in self._eligible:
            self._eligible[key] = tuple((pool, count) for pool, count in self._kinds if job_refusal(pool, job) is None)
        return self._eligible[key]

    @cached_property
    def _kinds(self) -> tuple[tuple[Pool, int], ...]:
        """(the first, how many) of the pools that differ in nothing but name and count."""
        found: dict[tuple[Pool, bytes], tuple[Pool, int]] = {}
        for pool in self.problem.cluster.pools:
            alike = replace(pool, name="", count=1, min_count=0, max_count=1, labels=(), caches=())
            first, count = found.get((alike, self.prices.per_h[pool.name].tobytes()), (pool, 0))
            found[alike, self.prices.per_h[pool.name].tobytes()] = (first, count + 1)
        return tuple(found.values())


def _workers(run: Run) -> str:
    """Tell how many workers an elastic gang has; nothing where it has all."""
    if not run.job.is_elastic or run.workers == run.job.workers:
        return ""
    return f"; runs with {run.workers} of its {run.job.workers} workers, {run.job.workers / run.workers:.3g} times as long"
