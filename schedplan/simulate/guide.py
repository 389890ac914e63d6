"""A guide: places kept for expected work on single devices. It knows where, not who comes or when."""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.model.workload import Topology, WorkerShape
from schedplan.simulate.work import Ask


@dataclass(frozen=True, slots=True)
class GuidePlace:
    """Room for one worker of a shape on a node. devices: numbers of whole ones, or of the one that a share is on; none where it
    asks for none.
    """

    shape: WorkerShape
    node: str
    devices: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Guide:
    """Places kept. multiple: of the expected work that all has a place; expected: workers that were expected."""

    places: tuple[GuidePlace, ...]
    multiple: float
    expected: int

    def asks(self) -> tuple[Ask, ...]:
        """Return what the places are for, each once."""
        return tuple(dict.fromkeys(Ask(place.shape, 1, Topology.CLUSTER, True) for place in self.places))
