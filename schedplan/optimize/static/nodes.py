"""Nodes with what stands on them, down to slices of single devices: best fit, and moves. It chooses no classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.optimize.static.instance import Instance, Integers, Need


@dataclass(frozen=True, slots=True)
class Hold:
    """One unit of a class (None: a replica) on a node: slices it took per device."""

    node: int
    of: int | None
    need: Need
    devices: tuple[tuple[int, int], ...]


class Nodes:
    """Free capacity, mutable. Rows are the nodes of all types in turn: slices int64 [node, device], left int64 [node, resource]."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.type_of = np.concatenate([np.full(one.count, one.idx) for one in instance.types] or [np.zeros(0)]).astype(np.intp)
        self.cluster_idx = np.concatenate([one.node_idx for one in instance.types] or [np.zeros(0, dtype=np.intp)])
        most = max((one.devices for one in instance.types), default=0)
        self.slices = np.zeros((len(self.type_of), most), dtype=np.int64)
        self.left = np.zeros((len(self.type_of), len(instance.resources)), dtype=np.int64)
        for one in instance.types:
            rows = self.type_of == one.idx
            self.slices[rows, : one.devices] = one.slices
            self.left[rows] = one.capacity
        self.per_device = np.array([one.slices for one in instance.types], dtype=np.int64)[self.type_of]
        self.rented = np.array([not one.pool.market.is_sunk for one in instance.types], dtype=np.bool_)[self.type_of]
        self.holds: list[list[Hold]] = [[] for _ in self.type_of]

    def rows_of(self, t: int) -> NDArray[np.intp]:
        """Return the rows of the nodes of a type."""
        return np.flatnonzero(self.type_of == t)

    def take(self, node: int, of: int | None, need: Need, devices: tuple[int, ...] | None = None) -> Hold:
        """Take a need of a node; shares go to `devices`, else each to the fullest device that fits."""
        taken = self._devices(node, need) if devices is None else tuple((device, need.size) for device in devices)
        for device, slices in taken:
            self.slices[node, device] -= slices
        self.left[node] -= need.amounts
        hold = Hold(node, of, need, taken)
        self.holds[node].append(hold)
        return hold

    def give_back(self, hold: Hold) -> None:
        """Undo one take."""
        for device, slices in hold.devices:
            self.slices[hold.node, device] += slices
        self.left[hold.node] += hold.need.amounts
        self.holds[hold.node].remove(hold)

    def room(self, k: int, among: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """Return the nodes that have room for one unit of a class, bool [node]."""
        found = np.zeros(len(self.type_of), dtype=np.bool_)
        for t, need in enumerate(self.instance.needs[k]):
            if need is not None:
                rows = self.rows_of(t)
                found[rows] = self._fits(rows, need)
        limit = self.instance.classes[k].job.shape.max_per_node
        return (found if among is None else found & among) & self._below(k, limit)

    def best(self, k: int, among: NDArray[np.bool_] | None = None) -> int | None:
        """Return the node that one unit of a class fits best: open ones before rented idle ones, then the least room left."""
        room = self.room(k, among)
        rows = np.flatnonzero(room)
        if not len(rows):
            return None
        is_idle = np.array([not self.holds[row] for row in rows])
        order = np.lexsort((rows, *self._leftover(k, rows), is_idle & self.rented[rows]))
        return int(rows[order[0]])

    def need(self, k: int, node: int) -> Need:
        """Return what one unit of a class takes of a node that may hold it."""
        found = self.instance.needs[k][int(self.type_of[node])]
        if found is None:
            raise AssertionError("only a node with room is asked for a need")
        return found

    def _below(self, k: int, limit: int | None) -> NDArray[np.bool_]:
        if limit is None:
            return np.ones(len(self.type_of), dtype=np.bool_)
        workers = self.instance.classes[k].job.workers if self.instance.classes[k].units == 1 else 1
        held = np.array([sum(hold.of == k for hold in holds) for holds in self.holds])
        return (held + 1) * workers <= limit

    def _fits(self, rows: NDArray[np.intp], need: Need) -> NDArray[np.bool_]:
        fits = (self.left[rows] >= need.amounts).all(axis=1)
        if need.whole:
            fits &= (self.slices[rows] == self.per_device[rows, None]).sum(axis=1) >= need.whole
        if need.shares:
            fits &= (self.slices[rows] // need.size).sum(axis=1) >= need.shares
        return fits

    def _leftover(self, k: int, rows: NDArray[np.intp]) -> tuple[NDArray[np.float64], ...]:
        """Keys of a sort, the last one first: what a share would leave of its device, free devices, free cores."""
        sizes = np.array([self.need(k, int(row)).size for row in rows], dtype=np.int64)
        free = self.slices[rows]
        tightest = np.where(free >= np.maximum(sizes, 1)[:, None], free - sizes[:, None], np.iinfo(np.int64).max).min(axis=1)
        spare = np.where(sizes > 0, tightest, 0) / np.maximum(self.per_device[rows], 1)
        devices = free.sum(axis=1) / np.maximum(self.per_device[rows], 1)
        capacity = np.array([self.instance.types[int(t)].capacity[0] for t in self.type_of[rows]], dtype=np.float64)
        return self.left[rows, 0] / np.maximum(capacity, 1.0), devices, spare

    def _devices(self, node: int, need: Need) -> tuple[tuple[int, int], ...]:
        free = self.slices[node].copy()
        if need.whole:
            whole = int(self.per_device[node])
            return tuple((int(device), whole) for device in np.flatnonzero(free == whole)[: need.whole])
        taken = []
        for _ in range(need.shares):
            fitting = np.flatnonzero(free >= need.size)
            device = int(fitting[free[fitting].argmin()])
            free[device] -= need.size
            taken.append((device, need.size))
        return tuple(taken)


def occupied(nodes: Nodes) -> Integers:
    """Return the rows of nodes on which something stands."""
    return np.array([row for row, holds in enumerate(nodes.holds) if holds], dtype=np.int64)
