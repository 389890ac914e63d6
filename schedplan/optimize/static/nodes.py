"""Nodes with what stands on them, down to slices of single devices: room, best fit, taking, giving back. It chooses no classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.optimize.static.instance import Instance, Integers, Need

Flags = NDArray[np.bool_]
NO_ROOM = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Hold:
    """One unit of a class (None: a replica) on a node: (device, slices) it took."""

    node: int
    of: int | None
    need: Need
    devices: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What one unit of a class takes of each node: bool, int64 [node] (size 1 where it takes no share); amounts [resource]."""

    may_stand: Flags
    whole: Integers
    shares: Integers
    size: Integers
    amounts: Integers


class Nodes:
    """Free capacity, mutable. Rows are the nodes of all types in turn: slices int64 [node, device], left int64 [node, resource]."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        types = instance.types
        self.type_of = np.repeat(np.arange(len(types)), [one.count for one in types]).astype(np.intp)
        self.cluster_idx = np.concatenate([np.zeros(0, dtype=np.intp), *(one.node_idx for one in types)])
        most = max((one.devices for one in types), default=0)
        self.per_device = np.maximum(np.array([one.slices for one in types], dtype=np.int64), 1)[self.type_of]
        exists = np.array([one.devices for one in types], dtype=np.int64)[self.type_of][:, None] > np.arange(most)
        self.slices = exists * self.per_device[:, None]
        self.capacity = np.array([one.capacity for one in types], dtype=np.int64).reshape(-1, len(instance.resources))[self.type_of]
        self.left = self.capacity.copy()
        self.is_rented = np.array([not one.pool.market.is_sunk for one in types], dtype=np.bool_)[self.type_of]
        self.holds: list[list[Hold]] = [[] for _ in self.type_of]
        self.n_holds = np.zeros(len(self.type_of), dtype=np.int64)
        self._asked: dict[int, _Asked] = {}

    def copy(self) -> Nodes:
        """Return nodes of the same capacity on which the same stands."""
        found = Nodes(self.instance)
        found.slices, found.left, found.n_holds = self.slices.copy(), self.left.copy(), self.n_holds.copy()
        found.holds = [list(holds) for holds in self.holds]
        return found

    def need(self, k: int, node: int) -> Need:
        """Return what one unit of a class takes of a node that may hold it."""
        found = self.instance.needs[k][int(self.type_of[node])]
        if found is None:
            raise AssertionError("only a node that may hold a class is asked what it takes")
        return found

    def take(self, node: int, of: int | None, need: Need, devices: tuple[int, ...] | None = None) -> Hold:
        """Take a need of a node that has room for it; shares of `devices`, else each of the fullest device that fits."""
        is_free_choice = devices is None or need.whole
        taken = self._devices(node, need) if is_free_choice else tuple((device, need.size) for device in devices or ())
        for device, slices in taken:
            self.slices[node, device] -= slices
        self.left[node] -= need.amounts
        hold = Hold(node, of, need, taken)
        self.holds[node].append(hold)
        self.n_holds[node] += 1
        return hold

    def give_back(self, hold: Hold) -> None:
        """Undo one take."""
        for device, slices in hold.devices:
            self.slices[hold.node, device] += slices
        self.left[hold.node] += hold.need.amounts
        self.holds[hold.node].remove(hold)
        self.n_holds[hold.node] -= 1

    def free_devices(self, node: int) -> NDArray[np.intp]:
        """Return the devices of a node that nothing holds."""
        return np.flatnonzero((self.slices[node] == self.per_device[node]) & (self.slices[node] > 0))

    def has_devices(self, node: int, need: Need) -> bool:
        """Whether a node has the devices of a need free, cores and memory aside."""
        if need.whole:
            return len(self.free_devices(node)) >= need.whole
        return not need.shares or int((self.slices[node] // need.size).sum()) >= need.shares

    def room(self, k: int) -> Flags:
        """Return the nodes that have room for one unit of a class, bool [node]."""
        asked = self._asked_of(k)
        fits = asked.may_stand & (self.left >= asked.amounts).all(axis=1)
        if asked.whole.any():
            fits &= ((self.slices == self.per_device[:, None]) & (self.slices > 0)).sum(axis=1) >= asked.whole
        if asked.shares.any():
            fits &= (self.slices // asked.size[:, None]).sum(axis=1) >= asked.shares
        return fits & self._below_limit(k)

    def best(self, k: int, among: Flags | None = None) -> int | None:
        """Return the node that one unit of a class fits best; None where it fits nowhere.

        Rented nodes on which nothing stands come last; then the device that a share leaves fullest, the fewest free devices, the
        fewest free cores.
        """
        room = self.room(k) if among is None else self.room(k) & among
        rows = np.flatnonzero(room)
        if not len(rows):
            return None
        asked = self._asked_of(k)
        free, per_device = self.slices[rows], self.per_device[rows]
        devices = free.sum(axis=1) / per_device
        spare = np.zeros(len(rows))
        if asked.shares.any():
            size = asked.size[rows][:, None]
            tightest = np.where(free >= size, free - size, NO_ROOM).min(axis=1) / per_device
            spare = np.where(asked.shares[rows] > 0, tightest, 0.0)
        cores = self.left[rows, 0] / np.maximum(self.capacity[rows, 0], 1)
        order = np.lexsort((rows, cores, devices, spare, self.is_rented[rows] & (self.n_holds[rows] == 0)))
        return int(rows[order[0]])

    def _asked_of(self, k: int) -> _Asked:
        if k not in self._asked:
            needs = [self.instance.needs[k][one.idx] for one in self.instance.types]
            known = next(need for need in (*needs, Need(0, 0, 0, (0,) * len(self.instance.resources))) if need is not None)
            self._asked[k] = _Asked(
                np.array([need is not None for need in needs], dtype=np.bool_)[self.type_of],
                np.array([need.whole if need else 0 for need in needs], dtype=np.int64)[self.type_of],
                np.array([need.shares if need else 0 for need in needs], dtype=np.int64)[self.type_of],
                np.array([need.size if need and need.shares else 1 for need in needs], dtype=np.int64)[self.type_of],
                np.array(known.amounts, dtype=np.int64),
            )
        return self._asked[k]

    def _below_limit(self, k: int) -> Flags | bool:
        job_class = self.instance.classes[k]
        limit = job_class.job.shape.max_per_node
        if limit is None:
            return True
        workers = job_class.job.workers if job_class.units == 1 else 1
        held = np.array([sum(hold.of == k for hold in holds) for holds in self.holds], dtype=np.int64)
        return np.asarray((held + 1) * workers <= limit)

    def _devices(self, node: int, need: Need) -> tuple[tuple[int, int], ...]:
        if need.whole:
            whole = int(self.per_device[node])
            return tuple((int(device), whole) for device in self.free_devices(node)[: need.whole])
        free = self.slices[node].copy()
        taken = []
        for _ in range(need.shares):
            fitting = np.flatnonzero(free >= need.size)
            device = int(fitting[free[fitting].argmin()])
            free[device] -= need.size
            taken.append((device, need.size))
        return tuple(taken)
