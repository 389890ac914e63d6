"""What happened to services in a replay: where replicas stood, and how their requests fared. It knows no queueing theory."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class ReplicaEnd(Enum):
    """Why a replica went."""

    SCALED_DOWN = "the autoscaler asks for fewer"
    NODE_GONE = "its node went"
    REPLAY_OVER = "the replay is over"


@dataclass(frozen=True, slots=True)
class ReplicaRun:
    """One replica from when it took its place until it gave it back. service, node: indices; amount: counted resource.

    asked_s: when the autoscaler first asked for it; ready_s: from when on it serves, None where it went before that.
    """

    service: int
    node: int
    amount: float
    devices: tuple[int, ...]
    asked_s: int
    taken_s: int
    ready_s: int | None
    gone_s: int
    end: ReplicaEnd


@dataclass(frozen=True, slots=True)
class ServiceSpan:
    """A stretch in which a service's rate and its replicas that serve stay as they are. service: index.

    rate_rps: what reaches the replicas; wanted: replicas that the autoscaler asks for; ready: those that serve; backlog: requests
    that wait beyond the steady state, at both ends; late: requests that miss the SLO; latency_ms: mean over the requests of what
    the SLO's quantile of them takes, None where nothing serves or nothing is asked; busy: replicas kept busy.
    """

    service: int
    start_s: int
    end_s: int
    rate_rps: float
    wanted: int
    ready: int
    backlog_start: float
    backlog_end: float
    late: float
    latency_ms: float | None
    busy: float

    @property
    def requests(self) -> float:
        """Requests that arrive."""
        return self.rate_rps * (self.end_s - self.start_s)


@dataclass(frozen=True)
class ServicesRun:
    """All services of a replay. names, tenants: per service. spans: by service, then time, without gaps from start_s to end_s."""

    names: tuple[str, ...]
    tenants: tuple[str, ...]
    start_s: int
    end_s: int
    spans: tuple[ServiceSpan, ...]
    replicas: tuple[ReplicaRun, ...]
