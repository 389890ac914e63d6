"""Fillings: what one node of a type may hold together, down to single devices. Built from whole-number plans, or sampled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.optimize.static.instance import Instance, Integers, Need, NodeType, is_unknown
from schedplan.optimize.static.ladder import TypePlan
from schedplan.optimize.static.nodes import Nodes
from schedplan.optimize.static.program import Answer, Floats
from schedplan.optimize.static.relaxation import Relaxation

FAILED_DRAWS = 4


@dataclass(frozen=True, slots=True)
class Filling:
    """Units on one node of type `of`: `shared`: the classes on each device that is cut; `loose`: (class, units) of all others."""

    of: int
    shared: tuple[tuple[int, ...], ...]
    loose: tuple[tuple[int, int], ...]

    def counts(self) -> Counter[int]:
        """Return the units per class."""
        found: Counter[int] = Counter()
        for classes in self.shared:
            found.update(classes)
        for k, units in self.loose:
            found[k] += units
        return found


@dataclass(frozen=True, slots=True)
class _Block:
    """What goes to a node together: one device cut for `classes`, or one unit that is no share."""

    classes: tuple[int, ...]
    is_shared: bool
    devices: int
    amounts: Integers


class _Blank:
    """Nodes of one type while they are filled: what is left of devices and amounts, and what was put there."""

    def __init__(self, node_type: NodeType, count: int) -> None:
        self.of = node_type
        self.devices = np.full(count, node_type.devices, dtype=np.int64)
        self.left = np.tile(node_type.capacity, (count, 1))
        bound = np.array([0 if is_unknown(int(has)) else int(has) for has in node_type.capacity[:2]])
        self.per_share = np.divide(1.0, bound, out=np.zeros(len(bound)), where=bound > 0)
        self.is_known = bound > 0
        self.shared: list[list[tuple[int, ...]]] = [[] for _ in range(count)]
        self.loose: list[Counter[int]] = [Counter() for _ in range(count)]

    def put(self, block: _Block) -> bool:
        """Put a block on the node that stays best balanced; return whether there is room for it."""
        fits = (self.devices >= block.devices) & (self.left >= block.amounts).all(axis=1)
        if not fits.any():
            return False
        after = (self.left[:, :2] - block.amounts[:2]) * self.per_share
        scarce = np.where(self.is_known, after, 1.0).min(axis=1)
        score = scarce - (self.devices - block.devices) / max(self.of.devices, 1)
        node = int(np.where(fits, score, -np.inf).argmax())
        self.devices[node] -= block.devices
        self.left[node] -= block.amounts
        if block.is_shared:
            self.shared[node].append(block.classes)
        else:
            self.loose[node].update(block.classes)
        return True

    def fillings(self) -> list[Filling]:
        pairs = zip(self.shared, self.loose, strict=True)
        return [Filling(self.of.idx, tuple(sorted(shared)), tuple(sorted(loose.items()))) for shared, loose in pairs]


def planned_fillings(relaxation: Relaxation, plan: TypePlan) -> list[Filling]:
    """Return the fillings into which the nodes of all types divide a whole-number plan; what finds no node is not in them."""
    found: list[Filling] = []
    for one in relaxation.instance.types:
        blank = _Blank(one, one.count)
        for block in _blocks(relaxation, one, plan):
            if not blank.put(block) and block.is_shared:
                for k in block.classes:
                    blank.put(_shared_block(relaxation.instance, one, (k,)))
        found += blank.fillings()
    return found


def sampled_fillings(relaxation: Relaxation, answer: Answer, rng: np.random.Generator, per_type: int) -> list[Filling]:
    """Return so many fillings of each type, drawn as its optimum mixes classes and patterns."""
    found = []
    for one in relaxation.instance.types:
        draw = _Draw(relaxation, answer, one)
        if draw.is_empty:
            continue
        found += [draw.filling(rng) for _ in range(per_type)]
    return found


def standing_fillings(nodes: Nodes, type_of: Integers) -> list[Filling]:
    """Return what stands on each node, a node's type being type_of[node]; nodes with replicas or no type (below 0) give none."""
    found = []
    for node, holds in enumerate(nodes.holds):
        if holds and type_of[node] >= 0 and all(hold.of is not None and hold.need.shares <= 1 for hold in holds):
            devices: dict[int, list[int]] = {}
            loose: Counter[int] = Counter()
            for hold in holds:
                if hold.need.shares:
                    devices.setdefault(hold.devices[0][0], []).append(hold.of or 0)
                else:
                    loose[hold.of or 0] += 1
            shared = tuple(sorted(tuple(sorted(classes)) for classes in devices.values()))
            found.append(Filling(int(type_of[node]), shared, tuple(sorted(loose.items()))))
    return found


def _blocks(relaxation: Relaxation, one: NodeType, plan: TypePlan) -> list[_Block]:
    """Blocks of one type, largest first: by devices, then by the largest share of cores or memory."""
    instance, units = relaxation.instance, plan.units[one.idx]
    blocks = [_shared_block(instance, one, classes) for classes in _shared_devices(relaxation, one, plan) if classes]
    for k in np.flatnonzero(units):
        need = _need(instance, int(k), one.idx)
        if not need.shares:
            block = _Block((int(k),), False, need.whole, np.array(need.amounts, dtype=np.int64))
            blocks += [block] * int(units[k])
    capacity = np.maximum(one.capacity[:2], 1)
    return sorted(blocks, key=lambda block: (-block.devices, -float((block.amounts[:2] / capacity).max()), block.classes))


def _shared_devices(relaxation: Relaxation, one: NodeType, plan: TypePlan) -> list[tuple[int, ...]]:
    """Classes on each cut device: in rounds per size, the largest asks to the devices that carry least so far."""
    cuts = [pattern for pattern, devices in plan.cuts[one.idx] for _ in range(devices)]
    classes: list[list[int]] = [[] for _ in cuts]
    load = np.zeros(len(cuts))
    sizes = relaxation.sizes[one.idx]
    for position in sorted(range(len(sizes)), key=lambda idx: -sizes[idx]):
        waiting = _waiting(relaxation.instance, one, plan.units[one.idx], sizes[position])
        slots = np.array([pattern[position] for pattern in cuts], dtype=np.int64)
        while waiting and slots.any():
            open_devices = np.flatnonzero(slots)
            for device in open_devices[np.argsort(load[open_devices], kind="stable")]:
                if not waiting:
                    break
                k, weight = waiting.pop(0)
                classes[device].append(k)
                load[device] += weight
                slots[device] -= 1
    return [tuple(sorted(of_device)) for of_device in classes]


def _waiting(instance: Instance, one: NodeType, units: Integers, size: int) -> list[tuple[int, float]]:
    """(class, its largest share of cores or memory) of each single share of a size, largest first."""
    capacity = np.maximum(one.capacity[:2], 1)
    found = []
    for k in np.flatnonzero(units):
        need = _need(instance, int(k), one.idx)
        if need.shares == 1 and need.size == size:
            found += [(int(k), float((np.array(need.amounts[:2]) / capacity).max()))] * int(units[k])
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))


def _shared_block(instance: Instance, one: NodeType, classes: tuple[int, ...]) -> _Block:
    amounts = np.array([_need(instance, k, one.idx).amounts for k in classes], dtype=np.int64).sum(axis=0)
    return _Block(classes, True, 1, amounts)


def _need(instance: Instance, k: int, t: int) -> Need:
    need = instance.needs[k][t]
    if need is None:
        raise AssertionError("a plan has units of a class only on types that may hold it")
    return need


class _Draw:
    """Draws fillings of one type with the odds of an optimum."""

    def __init__(self, relaxation: Relaxation, answer: Answer, one: NodeType) -> None:
        self.instance, self.of = relaxation.instance, one
        self.sizes = relaxation.sizes[one.idx]
        units = {k: max(float(x), 0.0) for (t, k), x in zip(relaxation.units, answer.x, strict=False) if t == one.idx}
        cuts = enumerate(relaxation.cuts, start=relaxation.n_before_cuts)
        self.patterns = [(pattern, float(answer.x[idx])) for idx, (t, pattern) in cuts if t == one.idx and answer.x[idx] > 0]
        needs = {k: _need(self.instance, k, one.idx) for k in units}
        self.whole = [(k, units[k] * needs[k].whole) for k in units if needs[k].whole and units[k] > 0]
        self.none = [(k, units[k]) for k in units if not needs[k].whole and not needs[k].shares and units[k] > 0]
        self.by_size = {
            size: [(k, units[k]) for k in units if needs[k].shares == 1 and needs[k].size == size and units[k] > 0]
            for size in self.sizes
        }

    @property
    def is_empty(self) -> bool:
        return not (self.patterns or self.whole or self.none)

    def filling(self, rng: np.random.Generator) -> Filling:
        """Draw devices until none is left or draws fail, then units without devices until they fail."""
        blank = _Blank(self.of, 1)
        odds = [weight for _, weight in self.whole] + [weight for _, weight in self.patterns]
        failed = 0
        while odds and blank.devices[0] > 0 and failed < FAILED_DRAWS:
            failed += not self._device(blank, _drawn(odds, rng), rng)
        failed, wanted = 0, int(sum(self.instance.demand[k] for k, _ in self.none))
        for _ in range(wanted):
            k = self.none[_drawn([weight for _, weight in self.none], rng)][0]
            failed += not blank.put(self._loose(k))
            if failed == FAILED_DRAWS:
                break
        return blank.fillings()[0]

    def _device(self, blank: _Blank, drawn: int, rng: np.random.Generator) -> bool:
        if drawn < len(self.whole):
            return blank.put(self._loose(self.whole[drawn][0]))
        classes: list[int] = []
        pattern = self.patterns[drawn - len(self.whole)][0]
        for size, count in zip(self.sizes, pattern, strict=True):
            for _ in range(count if self.by_size[size] else 0):
                k = self.by_size[size][_drawn([weight for _, weight in self.by_size[size]], rng)][0]
                trial = _shared_block(self.instance, self.of, (*classes, k))
                if (blank.left[0] >= trial.amounts).all():
                    classes.append(k)
        return bool(classes) and blank.put(_shared_block(self.instance, self.of, tuple(sorted(classes))))

    def _loose(self, k: int) -> _Block:
        need = _need(self.instance, k, self.of.idx)
        return _Block((k,), False, need.whole, np.array(need.amounts, dtype=np.int64))


def _drawn(odds: Sequence[float], rng: np.random.Generator) -> int:
    grown: NDArray[np.float64] = np.cumsum(odds)
    return min(int(np.searchsorted(grown, rng.random() * grown[-1], side="right")), len(odds) - 1)


def counts_of(fillings: Sequence[Filling], n_classes: int) -> Floats:
    """Return units per class of each filling, float64 [filling, class]."""
    found = np.zeros((len(fillings), n_classes))
    for idx, filling in enumerate(fillings):
        for k, units in filling.counts().items():
            found[idx, k] = units
    return found
