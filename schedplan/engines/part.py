"""The parts of a policy: order, share, blocking, backfill, gang, node choice, preemption, admission, scaling, cycle. It follows no
rule.

Each part says its rule in words, so that what is printed and what is done have one source.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from schedplan.model.view import LaneView, NodesView, QueuesView, TenantView

OrderKey = Callable[[LaneView], tuple[int, ...]]
ShareKey = Callable[[TenantView], int]
Due = Callable[[QueuesView], list[list[float]]]
PASSED_OVER = 1 << 61
"""A key of a tenant none of whose jobs starts until it holds less, or more is due to it."""
NodeScore = Callable[[NodesView, NDArray[np.float64]], NDArray[np.float64]]
DeviceChoice = Callable[[NodesView, NDArray[np.float64]], int]


class DependsOn(Enum):
    """What an order's key changes with, beside the job itself."""

    NOTHING = "nothing"
    TIME = "time"


class Within(Enum):
    """Which of the jobs that ask for the same comes first; an order's key must agree with it."""

    ARRIVAL = "the earliest submission"
    SHORTEST = "the shortest estimate, then the earliest submission"


@dataclass(frozen=True, slots=True)
class Order:
    """Which waiting job is looked at first: the least key, then submission, then name. by_priority, by_tenant: what parts lanes."""

    says: str
    key: OrderKey
    depends_on: DependsOn = DependsOn.NOTHING
    by_priority: bool = False
    by_tenant: bool = False
    within: Within = Within.ARRIVAL


@dataclass(frozen=True, slots=True)
class Share:
    """Which tenant is served first, before the order of its jobs: the one of the least key; key None: tenants make no difference.

    half_life_s: over which usage that is past counts half; None where only what is held now counts. due: what each tenant should
    hold of each resource, found once a decision; None where the key needs no such thing.
    """

    says: str
    key: ShareKey | None = None
    half_life_s: int | None = None
    due: Due | None = None


class Blocking(Enum):
    """What a job that doesn't fit does to those behind it."""

    HEAD = "the first job of the order holds the queue until it fits"
    SKIP = "a job that does not fit is passed over, and looked at again when something is freed"
    PLAN = "a job waits for its planned start and place; it blocks nothing but what the plan gives it"


class BackfillKind(Enum):
    NONE = "none"
    EASY = "easy"
    CONSERVATIVE = "conservative"


class Compression(Enum):
    """What becomes of reservations when something ends before its estimate."""

    REBUILD = "rebuild"
    ARRIVAL = "arrival"
    START_NOW = "start-now"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Backfill:
    """Which later jobs may start before the blocked one.

    scan: in which order later jobs are looked at. depth: how many jobs are looked at behind the head (EASY), or hold a reservation
    (conservative); None = all.
    """

    says: str
    kind: BackfillKind = BackfillKind.NONE
    scan: Within = Within.ARRIVAL
    depth: int | None = None
    compression: Compression = Compression.REBUILD


class GangKind(Enum):
    ATOMIC = "atomic"
    PER_WORKER = "per worker"


@dataclass(frozen=True, slots=True)
class Hold:
    """How workers that have a place wait for the rest of their gang, and when they let go of it.

    longest_s: from the first place on. reject_above: they let go at once while more than this share of the gang has no place; None:
    never. is_bound: their pods run meanwhile, and wait for the others from inside; else places are only reserved. pause_s: (first,
    longest) pause after letting go, doubling. then_apart: after letting go once, workers are bound one by one and keep their place.
    fails: after letting go once, the job leaves the queue, and never runs.
    """

    longest_s: int
    reject_above: float | None = None
    is_bound: bool = False
    pause_s: tuple[int, int] = (0, 0)
    then_apart: bool = False
    fails: bool = False


@dataclass(frozen=True, slots=True)
class Gang:
    """How the workers of a job take their places. hold: for PER_WORKER; None: workers are bound, and keep their place for ever."""

    says: str
    kind: GangKind = GangKind.ATOMIC
    hold: Hold | None = None


class Tie(Enum):
    """Which of the nodes with the best score is taken."""

    SMALLEST_NAME = "the smallest node name"
    RANDOM = "drawn among the best, by a hash of seed, job and worker"


class Spill(Enum):
    """How many workers of a gang the chosen node takes before the next choice."""

    WORKER = "one worker"
    NODE = "as many workers as it holds"
    SPREAD = "one worker, and nodes that have none of the gang come first"


@dataclass(frozen=True, slots=True)
class NodeChoice:
    """Which node a worker gets: the largest score among those that hold it. score None: all alike.

    spill: how much of a gang goes there. is_domain_by_score: of several racks, or nodes, that hold a whole gang the one of the best
    node is taken, else the one with the least room.

    sees_devices, sees_kinds: whether the score looks at single devices, or at what kinds of workers stand on a node. device: which
    device of the chosen node a share goes to; None: the fullest that holds it. is_guided: places are kept for expected work.
    """

    says: str
    score: NodeScore | None = None
    tie: Tie = Tie.SMALLEST_NAME
    source: str = ""
    sees_devices: bool = False
    sees_kinds: bool = False
    device: DeviceChoice | None = None
    is_guided: bool = False
    spill: Spill = Spill.WORKER
    is_domain_by_score: bool = False


class PreemptionKind(Enum):
    NONE = "none"
    PRIORITY = "priority"
    RECLAIM = "reclaim"


@dataclass(frozen=True, slots=True)
class Preemption:
    """For whom what runs is stopped. grace_s: how long a victim keeps its place after it was told to go."""

    says: str
    kind: PreemptionKind = PreemptionKind.NONE
    grace_s: int = 0


@dataclass(frozen=True, slots=True)
class Admission:
    """Which jobs are looked at at all. overcommit: sum of what admitted jobs ask <= overcommit x machine - used; None = all.

    by_quota: quotas are held against what is admitted, not against what has its place. per_s: jobs admitted in a second at most.
    least_borrowed_first: those whose tenant would stay within its promise come before all others, whatever their priority.
    """

    says: str
    overcommit: float | None = None
    by_quota: bool = False
    per_s: float | None = None
    least_borrowed_first: bool = False


@dataclass(frozen=True, slots=True)
class NodeStart:
    """Nodes that come when they are asked for. start_s: until one takes work; idle_s: after which an empty one is given back."""

    says: str
    start_s: int = 0
    idle_s: int = 0


class ScalingKind(Enum):
    NONE = "none"
    UTILIZATION = "target-utilization"
    QUEUE = "queue-length"
    FORECAST = "forecast"
    BREAKER = "forecast-breaker"
    SLO = "slo"

    @property
    def asks_for_a_forecast(self) -> bool:
        return self in (ScalingKind.FORECAST, ScalingKind.BREAKER)


@dataclass(frozen=True, slots=True)
class Scaling:
    """How many replicas of a service are asked for. target: share that is to be busy; patience_s: how long more must not be needed
    before fewer are asked for.
    """

    says: str
    kind: ScalingKind = ScalingKind.NONE
    target: float = 1.0
    period_s: int = 15
    tolerance: float = 0.0
    patience_s: int = 0


class CycleKind(Enum):
    INSTANT = "instant"
    EVENT = "event"
    PERIOD = "period"


@dataclass(frozen=True, slots=True)
class Cycle:
    """When the policy decides. period_s: for PERIOD; binds_per_s: workers placed in a second at most, in the long run.

    burst: workers that may be placed at once after a rest; None = binds_per_s. backoff_s: (first, longest) pause of jobs of one
    kind after a failed try, doubling; None = no pause.
    """

    kind: CycleKind = CycleKind.INSTANT
    period_s: int = 1
    binds_per_s: int | None = None
    backoff_s: tuple[int, int] | None = None
    burst: int | None = None

    def says(self) -> str:
        """Return the rule in words."""
        when = {
            CycleKind.INSTANT: "once per instant, after all that happened in it",
            CycleKind.EVENT: "after every single event",
            CycleKind.PERIOD: f"every {self.period_s} s, where something happened since",
        }[self.kind]
        rate = "" if self.binds_per_s is None else f"; at most {self.binds_per_s} workers a second"
        rate += "" if self.burst is None else f", after a rest {self.burst} at once"
        pause = (
            ""
            if self.backoff_s is None
            else f"; after a failed try a pause of {self.backoff_s[0]} s, doubling to {self.backoff_s[1]} s"
        )
        return when + rate + pause
