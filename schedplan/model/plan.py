"""A plan: the decisions, and everything that is said about them. It does not know how they were found.

`Decisions` is the least that determines a plan; every number of a `Plan` follows from (Problem, Decisions) alone, which is
what `measures.account` computes and `verify` recomputes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from schedplan.model.findings import Measure
from schedplan.model.front import Front


class PlanStatus(Enum):
    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, order=True)
class JobPart:
    """`workers` of a job run on one node from the start of `start_slot`; all parts of a job share their start slot.

    end_edge: of a job that runs in pieces, the edge at which this one ends; all parts of a piece share both. None where the job
    runs in one piece, which lasts as long as its run time.
    """

    job: str
    node: str
    start_slot: int
    workers: int
    end_edge: int | None = None


@dataclass(frozen=True, slots=True, order=True)
class ReplicaPart:
    """`replicas` of a service stand on one node during one slot."""

    service: str
    slot: int
    node: str
    replicas: int


@dataclass(frozen=True, slots=True)
class Decisions:
    """parts and replicas sorted; `on` bool [node, slot] over Cluster.nodes: the node is paid for (start-up included)."""

    parts: tuple[JobPart, ...]
    replicas: tuple[ReplicaPart, ...]
    on: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Placement:
    """A row of placements.parquet: workers worker_first..worker_last of a job on one node. Instants in seconds, UTC.

    end_s = start + booked slots, run_end_s = start + run time. device_slots: `0,1`, or `0:0-2` for slices of device 0.
    cost: this part's share of the node price over the booked slots, plus its share of expected rework.
    """

    job: str
    worker_first: int
    worker_last: int
    node: str
    start_s: int
    end_s: int
    run_end_s: int
    devices: float
    device_slots: str
    market: str
    cost: float
    fallback_pool: str | None = None
    switch_by_s: int | None = None
    reason: str = ""


def jobs_in_pieces(rows: Iterable[Placement]) -> frozenset[str]:
    """Return the jobs that rows tell to run in several pieces: those that start more than once."""
    starts: dict[str, set[int]] = {}
    for row in rows:
        starts.setdefault(row.job, set()).add(row.start_s)
    return frozenset(job for job, found in starts.items() if len(found) > 1)


@dataclass(frozen=True, slots=True)
class ReplicaRow:
    """A row of replicas.parquet. latency_ms: at the SLO quantile and the demand planned for; None = no steady state."""

    service: str
    ds_s: int
    slot_minutes: float
    node: str
    replicas: int
    requested_at_s: int
    latency_ms: float | None
    cost: float


@dataclass(frozen=True, slots=True)
class NodeUse:
    """nodes.parquet as arrays over [node, slot] (rows = Cluster.nodes): float64 but for `on` (bool).

    devices_used: held by work; busy_devices: by jobs, and by replicas for their offered load; cost in currency. energy_kwh and
    carbon_g are NaN where the power of a node, or the intensity of its region, is not known.
    """

    nodes: tuple[str, ...]
    on: NDArray[np.bool_]
    devices_used: NDArray[np.float64]
    busy_devices: NDArray[np.float64]
    devices_stranded: NDArray[np.float64]
    cost: NDArray[np.float64]
    energy_kwh: NDArray[np.float64]
    carbon_g: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Unplaced:
    """A job left out: the rule that keeps it out first, numbers as evidence, a repair and its cost where known."""

    kind: str
    name: str
    count: int
    rule: str
    evidence: str
    repair: str
    repair_cost: float | None = None


@dataclass(frozen=True, slots=True)
class Term:
    """One term of the objective: natural value and unit, its weight, what it is divided by, and its share of F.

    reference: the same value in the reference plan; ideal: its bound by arithmetic; in_conflict False where reference = ideal;
    size: how much the goal is about in all, below a tenth of which no divisor falls.
    """

    name: str
    value: float
    unit: str
    weight: float
    divisor: float
    reference: float
    ideal: float
    in_conflict: bool
    size: float = 0.0

    @property
    def contribution(self) -> float:
        return self.weight * self.value / self.divisor


@dataclass(frozen=True, slots=True)
class Rate:
    """`what` counts as much as `worth` in `unit`, by the weights and divisors of an objective."""

    what: str
    worth: float
    unit: str


@dataclass(frozen=True, slots=True)
class ConflictItem:
    """A rule of a minimal conflict, with the numbers that show it.

    group: which of several conflicts it belongs to; each of them alone leaves no plan.
    """

    rule: str
    subject: str
    evidence: str
    group: int = 0


@dataclass(frozen=True, slots=True)
class Edit:
    """One value of the inputs to be written: a column of the row with that key; row empty: a key of the project file.

    value: as the table has it, instants as UTC ISO 8601; empty = nothing.
    """

    table: str
    row: str
    column: str
    value: str

    @property
    def text(self) -> str:
        """Return `nodes."a100".count=11`, or `limits.budget_per_day=100`."""
        row = f'."{self.row}"' if self.row else ""
        return f"{self.table}{row}.{self.column}={self.value}"


@dataclass(frozen=True, slots=True)
class Repair:
    """A change that makes an infeasible problem feasible; cost in currency per horizon, None where it has no price.

    edits: the same as values of the inputs; applied, they end in a plan.
    """

    change: str
    cost: float | None
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class Price:
    """One price of a proof by prices: what one `item` of every node like those of `pool` is worth, in weighed size; never below 0.

    item: a resource (cpus, ...), device, `share Z` (Z slices of one device), `place R J` (one of the J places on a node for units
    that need more than its (J + 1)th part of R), `limit JOB` (a place for one worker like those of JOB).
    """

    pool: str
    item: str
    value: float


@dataclass(frozen=True, slots=True)
class Proof:
    """How good a plan is, and how that is known. All of F; None = not known.

    route: which solver ways were taken, in words; work: deterministic counts, never seconds. prices: from which alone the bound
    of a static plan follows; empty where it rests on something else.
    """

    status: PlanStatus
    objective: float | None
    bound: float | None
    gap: float | None
    gap_avoidable: float | None
    route: str
    work: tuple[tuple[str, float], ...] = ()
    conflict: tuple[ConflictItem, ...] = ()
    repairs: tuple[Repair, ...] = ()
    prices: tuple[Price, ...] = ()


@dataclass(frozen=True, slots=True)
class Baseline:
    """A named way to run the same work without a plan: its cost in currency and what it is made of, in words."""

    name: str
    description: str
    cost: float


@dataclass(frozen=True, slots=True)
class PolicyValue:
    """A simple policy for the same work: F of its plan, None where that breaks a rule, which `broken` then tells; jobs left out."""

    name: str
    description: str
    objective: float | None
    left_out: int
    broken: str


@dataclass(frozen=True, slots=True)
class WaterfallStep:
    """One step from a baseline's cost to the plan's: amount < 0 saves."""

    name: str
    amount: float
    description: str


@dataclass(frozen=True, slots=True)
class Stage:
    """One goal of a plan made goal by goal: its value when it was solved for, with those before it held; goal `unplaced` is first.

    bound, gap, status: of that solve, in the goal's own unit. held_at: what every later stage keeps it at or below.
    """

    goal: str
    value: float
    unit: str
    bound: float | None
    gap: float | None
    status: PlanStatus
    held_at: float


@dataclass(frozen=True)
class Plan:
    """Decisions with every number that follows from them. stages: of a plan made goal by goal. front: where one was asked for."""

    decisions: Decisions
    proof: Proof
    terms: tuple[Term, ...] = ()
    measures: tuple[Measure, ...] = ()
    placements: tuple[Placement, ...] = ()
    replicas: tuple[ReplicaRow, ...] = ()
    node_use: NodeUse | None = None
    unplaced: tuple[Unplaced, ...] = ()
    warnings: tuple[str, ...] = ()
    baselines: tuple[Baseline, ...] = ()
    policies: tuple[PolicyValue, ...] = ()
    waterfall: tuple[WaterfallStep, ...] = ()
    seed: int = 0
    stages: tuple[Stage, ...] = ()
    front: Front | None = None
    rates: tuple[Rate, ...] = ()
