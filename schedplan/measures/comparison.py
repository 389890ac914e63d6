"""Two plans side by side: what moved, what started, what stopped, and what that does to every measure.

It compares what the plans say, by instants and names, so that their slots, horizons and clusters may differ. It judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from math import fsum

import numpy as np

from schedplan.model.findings import Measure
from schedplan.model.plan import Placement, Plan, ReplicaRow, jobs_in_pieces
from schedplan.timegrid import TimeGrid

S_PER_H = 3600


@dataclass(frozen=True)
class ComparedPlan:
    """A plan with what is needed beside it: its slots, and the SHA-256 of each input by path."""

    plan: Plan
    grid: TimeGrid
    inputs: tuple[tuple[str, str], ...] = ()


class JobChangeKind(Enum):
    NEWLY_PLACED = "newly placed"
    DROPPED = "dropped"
    MOVED = "moved"
    EARLIER = "earlier"
    LATER = "later"
    CUT_ANEW = "in other pieces"


@dataclass(frozen=True, slots=True)
class JobChange:
    """What became of a job. nodes: (node, workers) in order, of a job in pieces the most of any.

    start None and no nodes where it is not placed.
    """

    job: str
    kinds: tuple[JobChangeKind, ...]
    before_start_s: int | None
    after_start_s: int | None
    before_nodes: tuple[tuple[str, int], ...]
    after_nodes: tuple[tuple[str, int], ...]
    cost_delta: float


@dataclass(frozen=True, slots=True)
class ReplicaChange:
    """A stretch of time in which a service has another number of replicas. Instants in seconds, half open."""

    service: str
    start_s: int
    end_s: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class NodeHours:
    """Hours for which the nodes of a pool are paid, in both plans."""

    pool: str
    before_h: float
    after_h: float


@dataclass(frozen=True, slots=True)
class MeasureChange:
    """A measure that both or one of the plans has; None where one has no value."""

    name: str
    labels: tuple[tuple[str, str], ...]
    unit: str
    before: float | None
    after: float | None

    @property
    def delta(self) -> float | None:
        return None if self.before is None or self.after is None else self.after - self.before


class InputChangeKind(Enum):
    CHANGED = "changed"
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class InputChange:
    path: str
    kind: InputChangeKind


@dataclass(frozen=True)
class PlanDiff:
    """All differences; every tuple is empty where two plans are the same. cost_delta None where a plan has no cost.

    moved_jobs, moved_devices: of jobs that both plans place, elsewhere or at another time; replica_h: hours of replicas that one
    plan has and the other has not.
    """

    jobs: tuple[JobChange, ...]
    replicas: tuple[ReplicaChange, ...]
    node_hours: tuple[NodeHours, ...]
    cost_delta: float | None
    objective_delta: float | None
    measures: tuple[MeasureChange, ...]
    inputs: tuple[InputChange, ...]
    moved_jobs: int = 0
    moved_devices: float = 0.0
    replica_h: float = 0.0

    @property
    def decisions_differ(self) -> bool:
        """Whether work or nodes stand elsewhere, whatever the numbers say."""
        return bool(self.jobs or self.replicas or self.node_hours)


def compare(before: ComparedPlan, after: ComparedPlan) -> PlanDiff:
    """Return what differs from one plan to another: jobs, services, pools, measures and inputs by name."""
    measures = _measure_changes(before.plan.measures, after.plan.measures)
    jobs = _job_changes(before.plan.placements, after.plan.placements)
    replicas = _replica_changes(before.plan.replicas, after.plan.replicas)
    moved = [change.job for change in jobs if change.before_start_s is not None and change.after_start_s is not None]
    devices = _devices_of(after.plan.placements)
    return PlanDiff(
        jobs=jobs,
        replicas=replicas,
        node_hours=_node_hours(before, after),
        cost_delta=_delta(_whole(before.plan.measures, "cost"), _whole(after.plan.measures, "cost")),
        objective_delta=_delta(before.plan.proof.objective, after.plan.proof.objective),
        measures=tuple(change for change in measures if change.before != change.after),
        inputs=_input_changes(dict(before.inputs), dict(after.inputs)),
        moved_jobs=len(moved),
        moved_devices=fsum(devices[job] for job in moved),
        replica_h=fsum(abs(one.after - one.before) * (one.end_s - one.start_s) / S_PER_H for one in replicas),
    )


def _devices_of(placements: tuple[Placement, ...]) -> dict[str, float]:
    """Return how many devices each job holds, of a job in pieces the most of any."""
    held: dict[tuple[str, int], list[float]] = {}
    for row in placements:
        held.setdefault((row.job, row.start_s), []).append(row.devices)
    most: dict[str, float] = {}
    for (job, _), devices in held.items():
        most[job] = max(most.get(job, 0.0), fsum(devices))
    return most


def _delta(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def _whole(measures: tuple[Measure, ...], name: str) -> float | None:
    return next((measure.value for measure in measures if measure.name == name and not measure.labels), None)


def _job_changes(before: tuple[Placement, ...], after: tuple[Placement, ...]) -> tuple[JobChange, ...]:
    olds, news = _stands_of(before), _stands_of(after)
    changes = (_job_change(job, olds.get(job), news.get(job)) for job in sorted({*olds, *news}))
    return tuple(change for change in changes if change.kinds)


@dataclass(frozen=True, slots=True)
class _Stand:
    start_s: int
    nodes: tuple[tuple[str, int], ...]
    cost: float
    spans: tuple[tuple[int, int], ...] = ()


def _stands_of(placements: tuple[Placement, ...]) -> dict[str, _Stand]:
    rows: dict[str, list[Placement]] = {}
    for placement in placements:
        rows.setdefault(placement.job, []).append(placement)
    cut = jobs_in_pieces(placements)
    return {
        job: _Stand(
            min(row.start_s for row in found),
            _nodes(found),
            sum(row.cost for row in found),
            tuple(sorted({(row.start_s, row.end_s) for row in found})) if job in cut else (),
        )
        for job, found in rows.items()
    }


def _nodes(rows: list[Placement]) -> tuple[tuple[str, int], ...]:
    workers: dict[tuple[str, int], int] = {}
    for row in rows:
        key = (row.node, row.start_s)
        workers[key] = workers.get(key, 0) + row.worker_last - row.worker_first + 1
    most: dict[str, int] = {}
    for (node, _), count in workers.items():
        most[node] = max(most.get(node, 0), count)
    return tuple(sorted(most.items()))


def _job_change(job: str, old: _Stand | None, new: _Stand | None) -> JobChange:
    return JobChange(
        job=job,
        kinds=_job_kinds(old, new),
        before_start_s=old.start_s if old else None,
        after_start_s=new.start_s if new else None,
        before_nodes=old.nodes if old else (),
        after_nodes=new.nodes if new else (),
        cost_delta=(new.cost if new else 0.0) - (old.cost if old else 0.0),
    )


def _job_kinds(old: _Stand | None, new: _Stand | None) -> tuple[JobChangeKind, ...]:
    if old is None:
        return (JobChangeKind.NEWLY_PLACED,)
    if new is None:
        return (JobChangeKind.DROPPED,)
    kinds = []
    if old.nodes != new.nodes:
        kinds.append(JobChangeKind.MOVED)
    if new.start_s != old.start_s:
        kinds.append(JobChangeKind.EARLIER if new.start_s < old.start_s else JobChangeKind.LATER)
    if new.spans != old.spans:
        kinds.append(JobChangeKind.CUT_ANEW)
    return tuple(kinds)


def _replica_changes(before: tuple[ReplicaRow, ...], after: tuple[ReplicaRow, ...]) -> tuple[ReplicaChange, ...]:
    services = sorted({row.service for row in (*before, *after)})
    return tuple(
        change
        for service in services
        for change in _service_changes(
            service, [row for row in before if row.service == service], [row for row in after if row.service == service]
        )
    )


def _service_changes(service: str, before: list[ReplicaRow], after: list[ReplicaRow]) -> Iterable[ReplicaChange]:
    """Stretches between any two bounds of slots, neighbours with the same numbers joined."""
    old_steps, new_steps = _steps(before), _steps(after)
    bounds = sorted({*old_steps, *new_steps})
    old = new = 0
    found: list[ReplicaChange] = []
    for start_s, end_s in pairwise(bounds):
        old += old_steps.get(start_s, 0)
        new += new_steps.get(start_s, 0)
        if old == new:
            continue
        last = found[-1] if found else None
        if last is not None and (last.end_s, last.before, last.after) == (start_s, old, new):
            found[-1] = ReplicaChange(service, last.start_s, end_s, old, new)
        else:
            found.append(ReplicaChange(service, start_s, end_s, old, new))
    return found


def _steps(rows: list[ReplicaRow]) -> dict[int, int]:
    """Return by how much the number of replicas changes at each instant."""
    steps: dict[int, int] = {}
    for row in rows:
        for instant_s, change in ((row.ds_s, row.replicas), (row.ds_s + round(row.slot_minutes * 60), -row.replicas)):
            steps[instant_s] = steps.get(instant_s, 0) + change
    return steps


def _node_hours(before: ComparedPlan, after: ComparedPlan) -> tuple[NodeHours, ...]:
    olds, news = _hours_on(before), _hours_on(after)
    pools = sorted({*olds, *news})
    rows = (NodeHours(pool, olds.get(pool, 0.0), news.get(pool, 0.0)) for pool in pools)
    return tuple(row for row in rows if row.before_h != row.after_h)


def _hours_on(side: ComparedPlan) -> dict[str, float]:
    """Return the paid node-hours per pool; a node's name is its pool's, or begins with it and a slash."""
    use = side.plan.node_use
    if use is None:
        return {}
    found: dict[str, float] = {}
    for node, hours in zip(use.nodes, np.asarray(use.on @ side.grid.hours), strict=True):
        pool = node.partition("/")[0]
        found[pool] = found.get(pool, 0.0) + float(hours)
    return found


def _measure_changes(before: tuple[Measure, ...], after: tuple[Measure, ...]) -> tuple[MeasureChange, ...]:
    olds = {(row.name, row.labels, row.unit): row.value for row in before}
    news = {(row.name, row.labels, row.unit): row.value for row in after}
    return tuple(MeasureChange(*key, olds.get(key), news.get(key)) for key in sorted({*olds, *news}))


def _input_changes(before: dict[str, str], after: dict[str, str]) -> tuple[InputChange, ...]:
    changes = []
    for path in sorted({*before, *after}):
        if path not in before:
            changes.append(InputChange(path, InputChangeKind.ADDED))
        elif path not in after:
            changes.append(InputChange(path, InputChangeKind.REMOVED))
        elif before[path] != after[path]:
            changes.append(InputChange(path, InputChangeKind.CHANGED))
    return tuple(changes)
