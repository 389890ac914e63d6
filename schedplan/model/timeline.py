"""What happened in a replay: when each job was submitted, started and ended, and what it held where. It knows no policy.

Arrays are over jobs (in the order of submission, then name), or over parts: what one job holds of one node from an instant on.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from schedplan.model.service_run import ServicesRun


class StartReason(Enum):
    """Why a job started when it did."""

    IN_ORDER = "in its turn"
    SKIPPED_AHEAD = "fits while earlier jobs do not"
    BEFORE_RESERVATION = "ends by its estimate before the reservation"
    BESIDE_RESERVATION = "uses only what the reservation does not need"
    RESERVED = "its reservation has come, ahead of others"
    AS_PLANNED = "at its planned time and place"
    PLANNED_LATE = "at its planned place, later than planned"
    PLANNED_ELSEWHERE = "its planned place is not free; elsewhere, beside the plan"
    BESIDE_PLAN = "not in the plan; beside what the plan needs"


REASONS = tuple(StartReason)


class StopCause(Enum):
    """Why a job that ran was stopped, to run again later."""

    PREEMPTED = "for a higher priority"
    RECLAIMED = "to give back what its tenant borrowed"
    SPOT_RECLAIM = "its spot node was taken back"
    NODE_FAILURE = "its node failed"
    MAINTENANCE = "its node was taken out for maintenance"


CAUSES = tuple(StopCause)
PREEMPTIONS = (StopCause.PREEMPTED, StopCause.RECLAIMED)


class DropReason(Enum):
    """Why a job of the input is not replayed."""

    NO_RUNTIME = "no positive run time"
    NO_SIZE = "asks for nothing the machine counts"
    TOO_LARGE = "larger than the machine"


@dataclass(frozen=True)
class Parts:
    """What jobs hold, one entry per job, node and instant at which workers took their place.

    job, node: int64 [n_parts], indices. workers: int64. amount: float64, counted resource held. taken_s: int64, when it was taken
    (before the job's start where an engine binds a gang worker by worker). devices: numbers of the devices of each part; empty
    where the machine has none or its single nodes were not kept. stopped_s: when it was given back by a stop, or let go of before
    its job ran, -1 where it was held to the job's end; None: there was none of either.
    """

    job: NDArray[np.int64]
    node: NDArray[np.int64]
    workers: NDArray[np.int64]
    amount: NDArray[np.float64]
    taken_s: NDArray[np.int64]
    devices: tuple[tuple[int, ...], ...] = ()
    stopped_s: NDArray[np.int64] | None = None

    @property
    def was_stopped(self) -> NDArray[np.bool_]:
        """Whether each part was given back before the end of its job, bool [n_parts]."""
        return np.zeros(len(self.job), dtype=np.bool_) if self.stopped_s is None else self.stopped_s >= 0

    def gone_s(self, end_s: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return when each part was given back, int64 [n_parts]; end_s: of each part's job, where nothing stopped it."""
        return end_s if self.stopped_s is None else np.where(self.stopped_s >= 0, self.stopped_s, end_s)


@dataclass(frozen=True, slots=True)
class Stop:
    """A job (index) was stopped at an instant; lost_s: seconds of that run that no checkpoint kept."""

    job: int
    at_s: int
    cause: StopCause
    lost_s: int


@dataclass(frozen=True)
class Timeline:
    """One replay. Instants in seconds, UTC; start_s and end_s mean something only where `started`.

    nodes: names, empty where only the sum of the machine was kept; capacity: counted resource per node, float64 [n_nodes], or [1]
    for the sum. unit: `device` or `core`. tenant: index into tenants. submit_s: from when the job might run. start_s: of its
    first run; started: it ran, to its end. run_s: what it ran in all its runs, or would have run. stops: in the order of time.
    amount: counted resource of the whole gang; worker_amount: of one worker. killed: ended by its limit. reason: index into
    REASONS. is_gang: more than one worker or device. deadline_s: means something only where has_deadline. price_per_h: of all
    nodes together, currency per hour. dropped: jobs of the input that were not replayed, by reason. in_parts: workers of the job
    were bound before the last could be, bool; None: of no job. admitted_s: when it was last given quota, int64, -1 for never; None
    where quota isn't given before nodes are.
    """

    policy: str
    unit: str
    nodes: tuple[str, ...]
    capacity: NDArray[np.float64]
    jobs: tuple[str, ...]
    tenants: tuple[str, ...]
    tenant: NDArray[np.int64]
    workers: NDArray[np.int64]
    amount: NDArray[np.float64]
    worker_amount: NDArray[np.float64]
    is_gang: NDArray[np.bool_]
    submit_s: NDArray[np.int64]
    run_s: NDArray[np.int64]
    started: NDArray[np.bool_]
    start_s: NDArray[np.int64]
    end_s: NDArray[np.int64]
    killed: NDArray[np.bool_]
    reason: NDArray[np.int64]
    has_deadline: NDArray[np.bool_]
    deadline_s: NDArray[np.int64]
    parts: Parts
    price_per_h: float = 0.0
    dropped: tuple[tuple[DropReason, int], ...] = ()
    stops: tuple[Stop, ...] = ()
    services: ServicesRun | None = None
    in_parts: NDArray[np.bool_] | None = None
    admitted_s: NDArray[np.int64] | None = None

    @property
    def let_go(self) -> NDArray[np.bool_]:
        """Whether each part was given back before its job ran, as the rest of its gang found no place; bool [n_parts]."""
        found = self.parts.was_stopped
        stops = {(stop.job, stop.at_s) for stop in self.stops}
        for idx in np.flatnonzero(found):
            assert self.parts.stopped_s is not None
            found[idx] = (int(self.parts.job[idx]), int(self.parts.stopped_s[idx])) not in stops
        return found

    @property
    def first_s(self) -> int:
        """The first submission, or the start of services where that is earlier; 0 where there is neither."""
        first = [] if self.services is None else [self.services.start_s]
        return min([*first, *([int(self.submit_s.min())] if len(self.jobs) else [])], default=0)

    @property
    def last_s(self) -> int:
        """The last end of a job or of services, or the last submission where nothing ever ran."""
        last = [] if self.services is None else [self.services.end_s]
        if len(self.jobs):
            last.append(int(self.end_s[self.started].max()) if self.started.any() else int(self.submit_s.max()))
        return max(last, default=0)

    @property
    def total(self) -> float:
        """Counted resource of the machine."""
        return float(self.capacity.sum())

    def count_dropped(self, reason: DropReason) -> int:
        return dict(self.dropped).get(reason, 0)
