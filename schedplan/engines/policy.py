"""A policy as parts: order x blocking x backfill x gang x node choice x admission x cycle. It says rules and follows none.

Each part says its rule in words, so that what is printed and what is done have one source.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from schedplan.model.view import LaneView, NodesView

OrderKey = Callable[[LaneView], tuple[int, ...]]
NodeScore = Callable[[NodesView, NDArray[np.float64]], NDArray[np.float64]]


class DependsOn(Enum):
    """What an order's key changes with, beside the job itself."""

    NOTHING = "nothing"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class Order:
    """Which waiting job is looked at first: the least key, then submission, then name. by_priority, by_tenant: what parts lanes."""

    says: str
    key: OrderKey
    depends_on: DependsOn = DependsOn.NOTHING
    by_priority: bool = False
    by_tenant: bool = False


class Blocking(Enum):
    """What a job that doesn't fit does to those behind it."""

    HEAD = "the first job of the order holds the queue until it fits"
    SKIP = "a job that does not fit is passed over, and looked at again when something is freed"
    PLAN = "a job waits for its planned start and place; it blocks nothing but what the plan gives it"


class BackfillKind(Enum):
    NONE = "none"
    EASY = "easy"


@dataclass(frozen=True, slots=True)
class Backfill:
    """Which later jobs may start before the blocked one."""

    says: str
    kind: BackfillKind = BackfillKind.NONE


class GangKind(Enum):
    ATOMIC = "atomic"
    PER_WORKER = "per worker"


@dataclass(frozen=True, slots=True)
class Gang:
    """How the workers of a job take their places."""

    says: str
    kind: GangKind = GangKind.ATOMIC


class Tie(Enum):
    """Which of the nodes with the best score is taken."""

    SMALLEST_NAME = "the smallest node name"
    RANDOM = "drawn among the best, by a hash of seed, job and worker"


@dataclass(frozen=True, slots=True)
class NodeChoice:
    """Which node a worker gets: the largest score among those that hold it. score None: the first by name."""

    says: str
    score: NodeScore | None = None
    tie: Tie = Tie.SMALLEST_NAME
    source: str = ""


@dataclass(frozen=True, slots=True)
class Admission:
    """Which jobs are looked at at all. overcommit: sum of what admitted jobs ask <= overcommit x machine - used; None = all."""

    says: str
    overcommit: float | None = None


class CycleKind(Enum):
    INSTANT = "instant"
    EVENT = "event"
    PERIOD = "period"


@dataclass(frozen=True, slots=True)
class Cycle:
    """When the policy decides. period_s: for PERIOD; binds_per_s: workers placed in a second at most.

    backoff_s: (first, longest) pause of jobs of one kind after a failed try, doubling; None = no pause.
    """

    kind: CycleKind = CycleKind.INSTANT
    period_s: int = 1
    binds_per_s: int | None = None
    backoff_s: tuple[int, int] | None = None

    def says(self) -> str:
        """Return the rule in words."""
        when = {
            CycleKind.INSTANT: "once per instant, after all that happened in it",
            CycleKind.EVENT: "after every single event",
            CycleKind.PERIOD: f"every {self.period_s} s, where something happened since",
        }[self.kind]
        rate = "" if self.binds_per_s is None else f"; at most {self.binds_per_s} workers a second"
        pause = (
            ""
            if self.backoff_s is None
            else f"; after a failed try a pause of {self.backoff_s[0]} s, doubling to {self.backoff_s[1]} s"
        )
        return when + rate + pause


ALL_ADMITTED = Admission("all jobs that are submitted")
NO_BACKFILL = Backfill("none")
WHOLE_GANG = Gang("all workers start together or none does; nothing is held before")
NO_PREEMPTION = "none: what runs, runs to its end or limit"
WITHIN_QUOTA = (
    "where tenants have quotas, a job with which its tenant would hold more than its max, or its cohort more than all that it is"
    " promised, is passed over until less is held; it holds no queue"
)
BY_LIMIT = "the time limit of a job where it has one, else its true run time"


@dataclass(frozen=True, slots=True)
class Policy:
    """A named row of parts. engine: whose behaviour it models, None for a textbook rule; differs: what it leaves out of it."""

    name: str
    summary: str
    order: Order
    blocking: Blocking
    nodes: NodeChoice
    backfill: Backfill = NO_BACKFILL
    gang: Gang = WHOLE_GANG
    admission: Admission = ALL_ADMITTED
    cycle: Cycle = Cycle()
    estimate: str = BY_LIMIT
    preemption: str = NO_PREEMPTION
    engine: str | None = None
    differs: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    def rules(self) -> tuple[tuple[str, str], ...]:
        """Return every rule as (name, words), in the order in which they act."""
        return (
            ("queue", self.order.says),
            ("admission", self.admission.says),
            ("quota", WITHIN_QUOTA),
            ("blocking", self.blocking.value),
            ("backfill", self.backfill.says),
            ("gang", self.gang.says),
            ("node choice", self.nodes.says),
            ("tie", f"jobs: earlier submission, then name; nodes: {self.nodes.tie.value}; devices: the smallest number"),
            ("estimate", self.estimate),
            ("preemption", self.preemption),
            ("cycle", self.cycle.says()),
        )
