"""From fillings to nodes: each filling on a node of its type, no class beyond what is wanted; then best fit, whole gangs, thrift.

It knows how many units of each class stand where, not yet which job.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from schedplan.optimize.static.filling import Filling
from schedplan.optimize.static.instance import Instance, Integers
from schedplan.optimize.static.nodes import Flags, Hold, Nodes
from schedplan.optimize.static.program import Floats
from schedplan.packing.allowance import Allowance

NOW = slice(0, 1)
"""The slots of a placement at one instant."""
THRIFT_MOVES = 40


class Assembly:
    """Nodes on which units are put, and how many of each class are still wanted."""

    def __init__(self, nodes: Nodes, allowance: Allowance) -> None:
        self.nodes = nodes
        self.allowance = allowance
        self.instance: Instance = nodes.instance
        self.wanted: Integers = self.instance.demand.copy()

    def copy(self) -> Assembly:
        """Return the same stands on nodes of their own."""
        found = Assembly(self.nodes.copy(), self.allowance.copy())
        found.wanted = self.wanted.copy()
        return found

    def settle(self, chosen: Sequence[tuple[Filling, int]], rows_of: Sequence[Sequence[int]]) -> None:
        """Put fillings on nodes, `rows_of` each filling's type in turn, leaving out what is no longer wanted."""
        open_rows = [list(rows) for rows in rows_of]
        for filling, copies in chosen:
            for _ in range(copies):
                self._put(open_rows[filling.of].pop(0), filling)

    def stand(self, node: int, units: Sequence[tuple[int, tuple[int, ...]]]) -> None:
        """Put units of classes on a node, shares on the devices named, counted among those that are free at first."""
        free = self.nodes.free_devices(node)
        for k, devices in units:
            self._add(node, k, tuple(int(free[device]) for device in devices) or None)

    def lift(self, rows: Sequence[int], movable: Flags) -> tuple[Hold, ...]:
        """Take the units of some classes, bool [class], off some nodes, and return them."""
        lifted = [hold for row in rows for hold in self.nodes.holds[row] if hold.of is not None and movable[hold.of]]
        self._take_back(lifted)
        return tuple(lifted)

    def put_back(self, lifted: Sequence[Hold]) -> None:
        """Put lifted units where they stood: shares on their devices first, so that whole devices find theirs free."""
        for hold in sorted(lifted, key=lambda hold: not hold.need.shares):
            self._add(hold.node, _class_of(hold), tuple(device for device, _ in hold.devices) or None)

    def fill(self, order: Sequence[int], among: Flags | None = None) -> None:
        """Put what is still wanted where it fits best, classes in a given order; `among` some nodes, None: all."""
        for k in order:
            while self.wanted[k] > 0 and self.add(k, among):
                pass

    def add(self, k: int, among: Flags | None = None) -> bool:
        """Put one more job of a class where it fits best, a gang whole within one family of types; return whether it fits.

        A row of a gang is put with all other rows of it, or not at all.
        """
        if k not in self.instance.bundle_of:
            return bool(self._add_job(k, among))
        held: list[Hold] = []
        for row in sorted(self.instance.bundle_of[k], key=lambda row: (-self.instance.weights[row], row)):
            while self.wanted[row] > 0:
                more = self._add_job(row, among)
                if not more:
                    self._take_back(held)
                    return False
                held += more
        return True

    def complete_gangs(self) -> None:
        """Take back units that make no whole gang within one family of types, and rows of gangs that miss others."""
        for k, job_class in enumerate(self.instance.classes):
            if job_class.units > 1:
                for holds in self.by_family(k).values():
                    self._take_back(holds[len(holds) - len(holds) % job_class.units :])
        for bundle in self.instance.bundles:
            if any(self.wanted[k] > 0 for k in bundle):
                self._take_back([hold for holds in self.nodes.holds for hold in holds if hold.of in bundle])

    def by_family(self, k: int) -> dict[int, list[Hold]]:
        """Return the units of a class in the order of nodes, per family of types."""
        found: dict[int, list[Hold]] = {}
        for node, holds in enumerate(self.nodes.holds):
            for hold in holds:
                if hold.of == k:
                    found.setdefault(self.instance.families[k][int(self.nodes.type_of[node])], []).append(hold)
        return dict(sorted(found.items()))

    def weight(self) -> float:
        """Return the weighed size of all units that stand."""
        return float(self.instance.weights @ (self.instance.demand - self.wanted))

    def upkeep(self) -> tuple[float, int]:
        """Return (rent per hour, nodes) of what is in use."""
        in_use = self.nodes.n_holds > 0
        return float(self._rents()[in_use].sum()), int(in_use.sum())

    def save(self) -> None:
        """Empty nodes onto others in use, where all that stands there finds room: dear rented ones first, then the emptiest."""
        prices = self._rents()
        rows = np.flatnonzero((self.nodes.n_holds > 0) & (self.nodes.n_holds <= THRIFT_MOVES))
        for node in rows[np.lexsort((rows, self.nodes.n_holds[rows], -prices[rows]))]:
            if all(hold.of is not None for hold in self.nodes.holds[node]):
                self._empty(int(node))

    def _rents(self) -> Floats:
        """Rent per hour of each node, float64 [node]."""
        return np.array([one.price if not one.pool.market.is_sunk else 0.0 for one in self.instance.types])[self.nodes.type_of]

    def _empty(self, node: int) -> None:
        in_use = self.nodes.n_holds > 0
        in_use[node] = False
        before = tuple(self.nodes.holds[node])
        moved: list[Hold] = []
        for hold in sorted(before, key=lambda hold: (-hold.need.whole, -hold.need.size, [-amount for amount in hold.need.amounts])):
            k = _class_of(hold)
            target = self.nodes.best(k, in_use & self._same_family(k, node) & self._counts_alike(k, node))
            if target is None:
                break
            moved.append(self.nodes.take(target, k, self.nodes.need(k, target)))
        if len(moved) == len(before):
            for hold in before:
                self.nodes.give_back(hold)
        else:
            for hold in moved:
                self.nodes.give_back(hold)

    def _same_family(self, k: int, node: int) -> Flags:
        if self.instance.classes[k].units == 1:
            return np.ones(len(self.nodes.type_of), dtype=np.bool_)
        families = np.array(self.instance.families[k])[self.nodes.type_of]
        return np.asarray(families == families[node])

    def _counts_alike(self, k: int, node: int) -> Flags:
        """Nodes on which a class counts for the same quotas as on a node, bool [node]."""
        if not self._is_counted(k):
            return np.ones(len(self.nodes.type_of), dtype=np.bool_)
        accelerator = self._accelerator(node)
        return np.array([one.pool.accelerator == accelerator for one in self.instance.types], dtype=np.bool_)[self.nodes.type_of]

    def _put(self, node: int, filling: Filling) -> None:
        devices = self.nodes.free_devices(node)
        for device, classes in zip(devices, filling.shared, strict=False):
            for k in classes:
                if self.wanted[k] > 0 and self._is_allowed(node, k):
                    self._add(node, k, (int(device),))
        for k, units in filling.loose:
            for _ in range(min(units, int(self.wanted[k]))):
                if self._is_allowed(node, k):
                    self._add(node, k)

    def _is_allowed(self, node: int, k: int) -> bool:
        """Fillings keep devices, cores and memory; what else a node is short of, or a quota allows of a class, is asked here."""
        job = self.instance.classes[k].job
        if job.shape.max_per_node is not None and not self.nodes.room(k)[node]:
            return False
        return self.allowance.refusal(job, self._accelerator(node), self._workers(k), NOW) is None

    def _is_counted(self, k: int) -> bool:
        return self.instance.classes[k].job.tenant in self.instance.problem.ceilings_over

    def _workers(self, k: int) -> int:
        """Workers of one unit."""
        job_class = self.instance.classes[k]
        return job_class.job.workers if job_class.units == 1 else 1

    def _accelerator(self, node: int) -> str | None:
        return self.instance.types[int(self.nodes.type_of[node])].pool.accelerator

    def _allowed(self, k: int) -> Flags | None:
        """Nodes on which quotas let one more job of a class stand, bool [node]; None: all."""
        if not self._is_counted(k):
            return None
        job, types = self.instance.classes[k].job, self.instance.types
        models = dict.fromkeys(one.pool.accelerator for one in types)
        open_to = {model for model in models if self.allowance.refusal(job, model, job.workers, NOW) is None}
        return np.array([one.pool.accelerator in open_to for one in types], dtype=np.bool_)[self.nodes.type_of]

    def _add_job(self, k: int, among: Flags | None) -> list[Hold]:
        """Put one more job of a class and return its units; none where it does not fit."""
        allowed = self._allowed(k)
        if among is not None:
            allowed = among if allowed is None else among & allowed
        if self.instance.classes[k].units == 1:
            node = self.nodes.best(k, allowed)
            return [] if node is None else [self._add(node, k)]
        families = np.array(self.instance.families[k])[self.nodes.type_of]
        for family in sorted(set(self.instance.families[k])):
            of_family = families == family
            held = self._add_gang(k, of_family if allowed is None else of_family & allowed)
            if held:
                return held
        return []

    def _add(self, node: int, k: int, devices: tuple[int, ...] | None = None) -> Hold:
        self.wanted[k] -= 1
        self.allowance.add(self.instance.classes[k].job, self._accelerator(node), self._workers(k), NOW)
        return self.nodes.take(node, k, self.nodes.need(k, node), devices)

    def _take_back(self, holds: Sequence[Hold]) -> None:
        for hold in holds:
            k = _class_of(hold)
            self.nodes.give_back(hold)
            self.allowance.add(self.instance.classes[k].job, self._accelerator(hold.node), -self._workers(k), NOW)
            self.wanted[k] += 1

    def _add_gang(self, k: int, among: Flags) -> list[Hold]:
        held: list[Hold] = []
        for _ in range(self.instance.classes[k].units):
            node = self.nodes.best(k, among)
            if node is None:
                self._take_back(held)
                return []
            held.append(self._add(node, k))
        return held


def _class_of(hold: Hold) -> int:
    if hold.of is None:
        raise AssertionError("replicas stand where they stand")
    return hold.of
