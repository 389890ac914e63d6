"""An earlier plan, as far as a new one may want to keep to it: what stood where, and when. It knows no reasons."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stay:
    """A job as the earlier plan had it: started at an instant, with so many workers on each node, by node."""

    job: str
    start_s: int
    nodes: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Stood:
    """Replicas of a service on a node in one slot of the earlier plan."""

    service: str
    start_s: int
    end_s: int
    node: str
    replicas: int


@dataclass(frozen=True, slots=True)
class Earlier:
    """jobs by name; replicas by service, time and node; edges_s: the slots of the earlier plan; sha256: of its plan.json."""

    sha256: str
    edges_s: tuple[int, ...]
    jobs: tuple[Stay, ...] = ()
    replicas: tuple[Stood, ...] = ()
