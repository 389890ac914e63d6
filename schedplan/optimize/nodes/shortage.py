"""Shortage: what services lack in some slots of a floor, and how much of that a job would give by going. It takes nothing off."""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.model.workload import Job, Service
from schedplan.optimize.nodes.berth import Berth
from schedplan.optimize.nodes.fleets import Demands
from schedplan.optimize.nodes.floor import Floor


@dataclass(frozen=True)
class Shortage:
    """by_slot: (nodes on which a service may stand, what it lacks of their first counted resource), for each that lacks some."""

    floor: Floor
    by_slot: dict[int, tuple[tuple[frozenset[int], int], ...]]

    @classmethod
    def of(cls, floor: Floor, demands: Demands, slots: tuple[int, ...]) -> Shortage:
        """Return what is lacking in some slots."""
        nodes = {idx: frozenset(demands.nodes(idx).tolist()) for idx, _ in demands.services}
        services = dict(demands.services)
        found = {}
        for slot in slots:
            lacking = demands.short(floor, slot)
            found[slot] = tuple(
                (nodes[idx], count * cls._taken(floor, nodes[idx], services[idx])) for idx, count in lacking.items()
            )
        return cls(floor, found)

    def by(self, berth: Berth) -> int:
        """Return how much of what is lacking a job would give."""
        given = 0
        for slot in range(berth.start_slot, berth.end_edge):
            for nodes, missing in self.by_slot.get(slot, ()):
                here = sum(workers * self._held(node, berth.job) for node, workers in berth.nodes if node in nodes)
                given += min(here, missing)
        return given

    @staticmethod
    def _taken(floor: Floor, nodes: frozenset[int], service: Service) -> int:
        return max((amount for node in sorted(nodes)[:1] for _, amount in floor.demands(node, service.shape)[:1]), default=1)

    def _held(self, node: int, job: Job) -> int:
        return max((amount for _, amount in self.floor.demands(node, job.shape)[:1]), default=0)
