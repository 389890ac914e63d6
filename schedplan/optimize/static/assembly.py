"""From fillings to nodes: each filling on a node of its type, no class beyond what is wanted; then best fit, whole gangs, thrift.

It knows how many units of each class stand where, not yet which job.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from schedplan.optimize.static.filling import Filling
from schedplan.optimize.static.instance import Instance, Integers
from schedplan.optimize.static.nodes import Hold, Nodes

THRIFT_MOVES = 40


class Assembly:
    """Nodes on which units are put, and how many of each class are still wanted."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.instance: Instance = nodes.instance
        self.wanted: Integers = self.instance.demand.copy()

    def settle(self, chosen: Sequence[tuple[Filling, int]]) -> None:
        """Put fillings on empty nodes of their types, leaving out what is no longer wanted."""
        free = {one.idx: [int(row) for row in self.nodes.rows_of(one.idx) if not self.nodes.holds[row]] for one in self.instance.types}
        for filling, copies in chosen:
            for _ in range(copies):
                if free[filling.of]:
                    self._put(free[filling.of].pop(0), filling)

    def fill(self, order: Sequence[int]) -> None:
        """Put what is still wanted where it fits best, classes in a given order; gangs of several units whole or not at all."""
        for k in order:
            if self.instance.classes[k].units > 1:
                self._fill_gangs(k)
                continue
            while self.wanted[k] > 0:
                node = self.nodes.best(k)
                if node is None:
                    break
                self._add(node, k)

    def complete_gangs(self) -> None:
        """Take back units that make no whole gang within one family of types."""
        for k, job_class in enumerate(self.instance.classes):
            if job_class.units > 1:
                for holds in self.by_family(k).values():
                    for hold in holds[len(holds) - len(holds) % job_class.units :]:
                        self._remove(hold)

    def by_family(self, k: int) -> dict[int, list[Hold]]:
        """Return the units of a class in the order of nodes, per family of types."""
        found: dict[int, list[Hold]] = {}
        for node, holds in enumerate(self.nodes.holds):
            for hold in holds:
                if hold.of == k:
                    found.setdefault(self.instance.families[k][int(self.nodes.type_of[node])], []).append(hold)
        return dict(sorted(found.items()))

    def save(self, price_order: Sequence[int]) -> None:
        """Empty nodes onto others that are in use, in a given order, where all that stands there finds room."""
        for node in price_order:
            if 0 < len(self.nodes.holds[node]) <= THRIFT_MOVES and all(hold.of is not None for hold in self.nodes.holds[node]):
                self._empty(node)

    def _empty(self, node: int) -> None:
        in_use = np.array([bool(holds) for holds in self.nodes.holds])
        in_use[node] = False
        before = list(self.nodes.holds[node])
        moved: list[Hold] = []
        for hold in sorted(before, key=lambda hold: (-len(hold.devices), -hold.need.size, hold.need.amounts)):
            assert hold.of is not None
            target = self.nodes.best(hold.of, in_use & self._same_family(hold.of, node))
            if target is None:
                break
            self.nodes.give_back(hold)
            moved.append(self.nodes.take(target, hold.of, self.nodes.need(hold.of, target)))
        if len(moved) == len(before):
            return
        for hold in moved:
            self.nodes.give_back(hold)
        for hold in [hold for hold in before if hold not in self.nodes.holds[node]]:
            self.nodes.take(node, hold.of, hold.need, tuple(device for device, _ in hold.devices) if hold.need.shares else None)

    def _same_family(self, k: int, node: int) -> NDArray[np.bool_]:
        if self.instance.classes[k].units == 1:
            return np.ones(len(self.nodes.type_of), dtype=np.bool_)
        families = np.array(self.instance.families[k])[self.nodes.type_of]
        return np.asarray(families == families[node])

    def _put(self, node: int, filling: Filling) -> None:
        for device, classes in enumerate(filling.shared):
            for k in classes:
                if self.wanted[k] > 0 and self._has_room(node, k):
                    self.nodes.take(node, k, self.nodes.need(k, node), (device,))
                    self.wanted[k] -= 1
        for k, units in filling.loose:
            for _ in range(min(units, int(self.wanted[k]))):
                if self._has_room(node, k):
                    self._add(node, k)

    def _has_room(self, node: int, k: int) -> bool:
        only = np.zeros(len(self.nodes.type_of), dtype=np.bool_)
        only[node] = True
        return self.instance.classes[k].job.shape.max_per_node is None or bool(self.nodes.room(k, only)[node])

    def _add(self, node: int, k: int) -> Hold:
        self.wanted[k] -= 1
        return self.nodes.take(node, k, self.nodes.need(k, node))

    def _remove(self, hold: Hold) -> None:
        assert hold.of is not None
        self.nodes.give_back(hold)
        self.wanted[hold.of] += 1

    def _fill_gangs(self, k: int) -> None:
        job_class = self.instance.classes[k]
        while self.wanted[k] >= job_class.units:
            if not any(self._gang(k, family) for family in sorted(set(self.instance.families[k]))):
                return

    def _gang(self, k: int, family: int) -> bool:
        among = np.array(self.instance.families[k])[self.nodes.type_of] == family
        held: list[Hold] = []
        for _ in range(self.instance.classes[k].units):
            node = self.nodes.best(k, among)
            if node is None:
                for hold in held:
                    self._remove(hold)
                return False
            held.append(self._add(node, k))
        return True
