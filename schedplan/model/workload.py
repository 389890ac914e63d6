"""Work: finite jobs and endless services, as their owners describe them. It does not know where they will run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from schedplan.model.cluster import Market


class JobKind(Enum):
    TRAINING = "training"
    TUNING = "tuning"
    BATCH = "batch"
    PREPROCESS = "preprocess"
    OTHER = "other"


class JobState(Enum):
    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TIMEOUT = "timeout"
    PREEMPTED = "preempted"

    @property
    def is_open(self) -> bool:
        """Whether a plan covers it; all others are history."""
        return self in (JobState.PENDING, JobState.RUNNING)


class DeadlineKind(Enum):
    HARD = "hard"
    SOFT = "soft"


class Topology(Enum):
    """The domain that must hold all workers of a gang."""

    ANY = "any"
    DEVICE_GROUP = "device_group"
    NODE = "node"
    BLOCK = "block"
    RACK = "rack"
    ZONE = "zone"
    CLUSTER = "cluster"


@dataclass(frozen=True, slots=True)
class Toleration:
    """`key=value`; an empty value tolerates every value of the key."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class WorkerShape:
    """What one worker or replica asks of its node: devices (below 1: a share of one), cores, GiB, other resources.

    rules: texts of the rules (`[rules] forbid`) whose left side matches the work.
    """

    gpus: float = 0.0
    cpus: float = 0.0
    memory_gib: float = 0.0
    resources: tuple[tuple[str, float], ...] = ()
    gpu_memory_gib: float | None = None
    accelerators: tuple[str, ...] = ()
    slice_profile: str | None = None
    max_per_node: int | None = None
    tolerations: tuple[Toleration, ...] = ()
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Placed:
    """`workers` of a job stand on `node` (a single node, or a pool's name for any of its nodes)."""

    node: str
    workers: int


@dataclass(frozen=True, slots=True)
class Job:
    """One row of the table `jobs`. Instants in seconds, durations in minutes.

    runtime_minutes is on the reference accelerator; None until an estimate is made (history may have none). saved_minutes: of a job
    that ran and was stopped, what a checkpoint keeps of that; None for any other.
    """

    name: str
    kind: JobKind = JobKind.BATCH
    tenant: str = "default"
    user: str | None = None
    priority: int = 0
    preemptible: bool = True
    required: bool = False
    submit_s: int | None = None
    start_s: int | None = None
    end_s: int | None = None
    state: JobState = JobState.PENDING
    placement: tuple[Placed, ...] = ()
    workers: int = 1
    min_workers: int | None = None
    gang: str | None = None
    after: tuple[str, ...] = ()
    shape: WorkerShape = WorkerShape()
    runtime_minutes: float | None = None
    time_limit_minutes: float | None = None
    earliest_start_s: int | None = None
    deadline_s: int | None = None
    deadline_kind: DeadlineKind = DeadlineKind.HARD
    spot_ok: bool = False
    checkpoint_minutes: float | None = None
    checkpoint_cost_minutes: float = 0.0
    restart_minutes: float = 0.0
    topology: Topology = Topology.CLUSTER
    affinity: str | None = None
    load_minutes: float = 0.0
    saved_minutes: float | None = None

    @property
    def devices(self) -> float:
        """Devices of the whole gang."""
        return self.workers * self.shape.gpus

    @property
    def checkpoint_h(self) -> float | None:
        """Hours of work between two checkpoints; None where it writes none."""
        return None if self.checkpoint_minutes is None else self.checkpoint_minutes / 60.0

    @property
    def least_workers(self) -> int:
        """The fewest workers it may run with; all of them unless it is elastic."""
        return self.workers if self.min_workers is None else min(self.min_workers, self.workers)

    @property
    def is_elastic(self) -> bool:
        """Whether it may run with fewer workers than it asks for."""
        return self.least_workers < self.workers

    @property
    def standing_workers(self) -> int:
        """The workers it runs with already, where it does and that is stated; else all of them."""
        placed = sum(part.workers for part in self.placement) if self.state is JobState.RUNNING else 0
        return placed or self.workers

    @property
    def release_s(self) -> int | None:
        """The instant from which it may run and its wait counts: the later of submission and earliest start."""
        known = [instant for instant in (self.submit_s, self.earliest_start_s) if instant is not None]
        return max(known, default=None)


@dataclass(frozen=True, slots=True)
class Service:
    """One row of the table `services`: replicas behind a latency target.

    slo_ms holds at slo_quantile of the requests (None = for the mean). service_ms is the mean time of one request on the
    reference accelerator, service_cv its coefficient of variation, concurrency what a replica serves at once.
    """

    name: str
    slo_ms: float
    service_ms: float
    series: str = ""
    tenant: str = "default"
    priority: int = 0
    slo_quantile: float | None = 0.95
    service_cv: float = 1.0
    concurrency: int = 1
    shape: WorkerShape = WorkerShape()
    min_replicas: int = 1
    max_replicas: int | None = None
    min_hold_minutes: float = 0.0
    markets: tuple[Market, ...] = (Market.OWNED, Market.RESERVED, Market.ON_DEMAND)
    dedicated: bool = False
    startup_minutes: float = 0.0
    affinity: str | None = None
    load_minutes: float = 0.0
    spread: tuple[str, int] | None = None
    cache_hit_ratio: float = 0.0
