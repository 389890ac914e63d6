"""A machine whose nodes are chosen by a guide: places kept for expected work. Nothing that fits is refused.

What comes takes a place kept for its shape, else one kept for the same devices where the node has room, else room that no place is
kept in (the tightest), else it breaks the places with the least devices. `spare` is the machine with all kept places taken: what
is free there is free beside them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.engines.part import NodeChoice
from schedplan.simulate.ask_state import AskState
from schedplan.simulate.capacity import Held, Spots
from schedplan.simulate.free_nodes import joined
from schedplan.simulate.guide import Guide
from schedplan.simulate.kept_places import KeptPlaces
from schedplan.simulate.machine import Machine
from schedplan.simulate.nodes import NO_TYPICAL, NodeCapacity
from schedplan.simulate.work import Ask


@dataclass(slots=True)
class _Worker:
    """place: the kept place that it stands on, None for other room."""

    held: Held
    place: int | None


class GuidedCapacity(NodeCapacity):
    """Every node with what is free of it, and the places that are kept."""

    def __init__(
        self,
        machine: Machine,
        asks: tuple[Ask, ...],
        choice: NodeChoice,
        guide: Guide,
        seed: int = 0,
        typical: NDArray[np.float64] = NO_TYPICAL,
    ) -> None:
        super().__init__(machine, asks, choice, seed, typical)
        self._spare = NodeCapacity(machine, asks, choice, seed, typical)
        self._kept = KeptPlaces(self._spare, guide, asks)
        self._workers: dict[tuple[int, tuple[Held, ...]], list[list[_Worker]]] = {}

    def place(self, ask: int, job: int, workers: int, first: int) -> tuple[Held, ...]:
        state = self.caught_up(ask)
        domain = state.tightest_domain(workers)
        taken = []
        for _ in range(workers):
            taken.append(self._place_one(ask, domain))
            self.caught_up(ask)
        return self._noted(ask, taken)

    def place_on(self, ask: int, spots: Spots) -> tuple[Held, ...]:
        raise TypeError("a guide chooses the nodes itself")

    def release(self, ask: int, parts: Iterable[Held]) -> None:
        parts = tuple(parts)
        waiting = self._workers[ask, parts]
        for worker in waiting.pop():
            super().release(ask, (worker.held,))
            if worker.place is not None:
                self._kept.reopen(worker.place)
            else:
                self._spare.release(ask, (worker.held,))
            self._kept.mend(worker.held.node)
        if not waiting:
            del self._workers[ask, parts]

    def set_down(self, node: int, *, is_down: bool) -> None:
        super().set_down(node, is_down=is_down)
        self._spare.set_down(node, is_down=is_down)

    def _noted(self, ask: int, taken: list[_Worker]) -> tuple[Held, ...]:
        parts = tuple(joined([worker.held for worker in taken]))
        self._workers.setdefault((ask, parts), []).append(taken)
        return parts

    def _place_one(self, ask: int, domain: int | None) -> _Worker:
        state, kept = self.asks[ask], self._kept
        place = kept.for_shape(ask, state, domain)
        if place is not None:
            held = kept.held(place)
            kept.take(place)
            self.take_exactly(state, held)
            return _Worker(held, place)
        place = kept.for_devices(ask, state, domain)
        if place is not None:
            held = kept.held(place)
            kept.drop(place)
            self._spare.take_exactly(self._spare.asks[ask], held)
            self.take_exactly(state, held)
            return _Worker(held, None)
        if self._spare.workers_fit(ask):
            spare_state = self._spare.caught_up(ask)
            if domain is None or spare_state.domain_total[domain] > 0:
                node = self._spare.chosen(spare_state, domain)
                return self._beside(ask, state, node, None)
        node, device, broken = kept.cheapest_to_break(self.free, state, domain)
        for place in broken:
            kept.drop(place)
        return self._beside(ask, state, node, device)

    def _beside(self, ask: int, state: AskState, node: int, device: int | None) -> _Worker:
        """Take room beside the places that are still kept."""
        held = self._spare.take_worker(ask, node, device)
        self.take_exactly(state, held)
        return _Worker(held, None)
