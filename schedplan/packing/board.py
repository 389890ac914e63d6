"""The board: what is free on every single node in every slot, down to slices of devices.

A share goes to the fullest device that fits, and so does a profile. Of its legal starts there it takes the one beside which the
largest profile can still be placed, then the one that leaves most places to all profiles, then the lowest. Workers bound to one
device group go to the group that is left with least room. It places and removes; it does not choose jobs, times or prices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedplan.model.problem import Problem
from schedplan.model.slices import SliceProfile
from schedplan.model.workload import WorkerShape
from schedplan.packing.allowance import Allowance
from schedplan.packing.footprint import (
    Footprint,
    cpu_capacity_micro,
    footprint,
    memory_capacity_micro,
    resource_capacity_micro,
)

MOST_BITS = 64


@dataclass(frozen=True, slots=True)
class Hold:
    """What one placing took, so that it can be given back: (device index, slices, memory slices that a profile holds, as bits)."""

    node_idx: int
    first_slot: int
    end_slot: int
    workers: int
    print: Footprint
    devices: tuple[tuple[int, int, int], ...]


class Board:
    """Free capacity, mutable. All arrays are int64: slices [node, device, slot], cpu and memory [node, slot], in millionths.

    occupied [node, device, slot]: memory slices that profiles hold, as bits. untouched [node, slot]: the devices of which no slice
    is taken, as bits; None where some node has more devices than bits. whole [node, slot]: how many these are.

    Nodes that are not ready, are not there, are not up yet or are in an outage hold nothing in those slots (`is_open`, bool [node,
    slot]). `allowance` follows the work of tenants; whoever places work for one adds it there, for a shape tells no tenant.
    """

    def __init__(self, problem: Problem) -> None:
        cluster, grid = problem.cluster, problem.grid
        self.cluster = cluster
        self.pools = tuple(cluster.pool_of_node[name] for name in cluster.nodes)
        shape = (len(self.pools), grid.n_slots)
        most_devices = max((pool.gpus for pool in self.pools), default=0)
        names = sorted({name for pool in self.pools for name, _ in pool.resources})
        self.slices = np.zeros((shape[0], most_devices, shape[1]), dtype=np.int64)
        self.occupied = np.zeros_like(self.slices)
        self.whole = np.zeros(shape, dtype=np.int64)
        self.cpu = np.zeros(shape, dtype=np.int64)
        self.memory = np.zeros(shape, dtype=np.int64)
        self.resources = {name: np.zeros(shape, dtype=np.int64) for name in names}
        self.held = np.zeros(shape, dtype=np.int64)
        self.is_open = np.zeros(shape, dtype=np.bool_)
        self.untouched = np.zeros(shape, dtype=np.uint64) if most_devices <= MOST_BITS else None
        self._bit = np.left_shift(np.uint64(1), np.arange(min(most_devices, MOST_BITS), dtype=np.uint64))
        self.slices_per_gpu = np.array([pool.slices_per_gpu for pool in self.pools], dtype=np.int64)
        self.allowance = Allowance(problem)
        self._open(problem)

    def _open(self, problem: Problem) -> None:
        for pool in self.cluster.pools:
            for number, name in enumerate(pool.node_names()[: pool.nodes]):
                node_idx = self.cluster.node_idx[name]
                ready = first_ready_slot(problem, pool.startup_minutes, is_warm=number < pool.count)
                is_open = ~problem.is_down[node_idx]
                is_open[:ready] = False
                self.slices[node_idx, : pool.gpus, is_open] = pool.slices_per_gpu
                self.whole[node_idx, is_open] = pool.gpus
                self.cpu[node_idx, is_open] = cpu_capacity_micro(pool)
                self.memory[node_idx, is_open] = memory_capacity_micro(pool)
                for resource, free in self.resources.items():
                    free[node_idx, is_open] = resource_capacity_micro(pool, resource)
                self.is_open[node_idx] = is_open
                self._look(node_idx, slice(0, problem.grid.n_slots))

    def room(
        self, nodes: NDArray[np.intp], shape: WorkerShape, first_slot: int, end_slot: int, *, grouped: bool = False
    ) -> NDArray[np.int64]:
        """Return how many workers of `shape` each of `nodes` can take over the slots; int64 [len(nodes)].

        grouped: within one of its device groups. The nodes must be of pools with equal slices per device. max_per_node is kept for
        an empty node only.
        """
        if len(nodes) == 0:
            return np.zeros(0, dtype=np.int64)
        pool = self.pools[int(nodes[0])]
        print_ = footprint(pool, shape)
        span, rows = slice(first_slot, end_slot), _together(nodes)
        room = np.full(len(nodes), np.iinfo(np.int64).max, dtype=np.int64)
        if print_.slices and (grouped or shape.slice_profile is not None):
            room = np.array([max(self._in_groups(int(node), shape, first_slot, end_slot, grouped=grouped)) for node in nodes])
        elif print_.devices and self.untouched is not None:
            free = np.bitwise_count(_folded(np.bitwise_and, self.untouched[rows, span]))
            room = np.minimum(room, free.astype(np.int64) // print_.devices)
        elif print_.slices:
            free = self.slices[rows, :, span].min(axis=2)
            if print_.devices:
                room = np.minimum(room, (free == pool.slices_per_gpu).sum(axis=1) // print_.devices)
            else:
                room = np.minimum(room, (free // print_.share_slices).sum(axis=1))
        for demand, capacity in self._scalars(print_):
            room = np.minimum(room, _folded(np.minimum, capacity[rows, span]) // demand)
        if any(name not in self.resources and demand for name, demand in print_.resources):
            room[:] = 0
        if shape.max_per_node is not None:
            room = np.minimum(room, shape.max_per_node)
        is_open = _folded(np.minimum, self.cpu[rows, span]) > 0
        return np.where(is_open, room, 0)

    def most_room(self, nodes: NDArray[np.intp], shape: WorkerShape, workers: int, *, one_node: bool) -> NDArray[np.int64]:
        """Return how many of some workers the nodes take together in each slot at most (one_node: the roomiest); int64 [n_slots].

        Never less than what `place_gang` finds over a span that holds the slot: where it is too little, none need be looked for.
        """
        print_ = footprint(self.pools[int(nodes[0])], shape)
        room = np.full((len(nodes), self.cpu.shape[1]), workers, dtype=np.int64)
        if print_.devices:
            room = np.minimum(room, self.whole[nodes] // print_.devices)
        elif print_.share_slices and print_.profile is None:
            room = np.minimum(room, (self.slices[nodes] // print_.share_slices).sum(axis=1))
        for demand, capacity in self._scalars(print_):
            room = np.minimum(room, capacity[nodes] // demand)
        return np.asarray(room.max(axis=0) if one_node else room.sum(axis=0), dtype=np.int64)

    def take(
        self, node_idx: int, shape: WorkerShape, workers: int, first_slot: int, end_slot: int, *, grouped: bool = False
    ) -> Hold:
        """Take room for `workers` on a node, within one device group where grouped; ValueError where there is none."""
        print_ = footprint(self.pools[node_idx], shape)
        if int(self.room(np.array([node_idx]), shape, first_slot, end_slot, grouped=grouped)[0]) < workers:
            raise ValueError(f"node {self.cluster.nodes[node_idx]} has no room for {workers} workers in {first_slot}..{end_slot}")
        devices: list[tuple[int, int, int]] = []
        span = slice(first_slot, end_slot)
        within = self._within(node_idx, shape, workers, first_slot, end_slot) if grouped and print_.slices else None
        for _ in range(workers):
            chosen = self._devices(node_idx, print_, first_slot, end_slot, within)
            devices.extend(chosen)
            for device, slices, mask in chosen:
                self.slices[node_idx, device, span] -= slices
                self.occupied[node_idx, device, span] |= mask
        self._look(node_idx, span)
        hold = Hold(node_idx, first_slot, end_slot, workers, print_, tuple(devices))
        self._add(hold, -1)
        return hold

    def take_running(
        self, node_idx: int, shape: WorkerShape, workers: int, first_slot: int, end_slot: int, *, grouped: bool = False
    ) -> None:
        """Take room for work that runs already, in the slots in which its node is open; it stays also while it is not."""
        edges = np.flatnonzero(np.diff(self.is_open[node_idx, first_slot:end_slot], prepend=False, append=False)) + first_slot
        for first, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            self.take(node_idx, shape, workers, first, end, grouped=grouped)

    def give_back(self, hold: Hold) -> None:
        """Undo one `take`."""
        for device, slices, mask in hold.devices:
            self.slices[hold.node_idx, device, hold.first_slot : hold.end_slot] += slices
            self.occupied[hold.node_idx, device, hold.first_slot : hold.end_slot] &= ~mask
        self._look(hold.node_idx, slice(hold.first_slot, hold.end_slot))
        self._add(hold, 1)

    def close(self, node_idx: int, span: slice) -> None:
        """Take all devices of a node off in some slots."""
        self.slices[node_idx, :, span] = 0
        self._look(node_idx, span)

    def _look(self, node_idx: int, span: slice) -> None:
        """See anew which devices of a node are untouched in some slots."""
        is_whole = self.slices[node_idx, :, span] == self.slices_per_gpu[node_idx]
        self.whole[node_idx, span] = is_whole.sum(axis=0)
        if self.untouched is not None:
            self.untouched[node_idx, span] = self._bit @ is_whole

    def _add(self, hold: Hold, sign: int) -> None:
        span = slice(hold.first_slot, hold.end_slot)
        for demand, capacity in self._scalars(hold.print):
            capacity[hold.node_idx, span] += sign * hold.workers * demand
        self.held[hold.node_idx, span] -= sign * hold.workers

    def _in_groups(self, node_idx: int, shape: WorkerShape, first_slot: int, end_slot: int, *, grouped: bool = True) -> list[int]:
        """Return how many workers the devices of each device group can take over the slots; of all as one group unless grouped."""
        pool = self.pools[node_idx]
        print_ = footprint(pool, shape)
        free = self.slices[node_idx, : pool.gpus, first_slot:end_slot].min(axis=1)
        if print_.profile is not None:
            held = self._held_memory(node_idx, first_slot, end_slot)
            counts = [_places(print_.profile, int(left), mask) for left, mask in zip(free, held, strict=False)]
        elif print_.devices:
            counts = [int(left == pool.slices_per_gpu) for left in free]
        else:
            counts = [int(left) // print_.share_slices for left in free]
        size = max(pool.gpus // (pool.device_groups if grouped else 1), 1)
        return [sum(counts[first : first + size]) // max(print_.devices, 1) for first in range(0, len(counts), size)] or [0]

    def _within(self, node_idx: int, shape: WorkerShape, workers: int, first_slot: int, end_slot: int) -> range:
        """Return the devices of the group that holds the workers and is left with least room, the first of equals."""
        rooms = self._in_groups(node_idx, shape, first_slot, end_slot)
        _, group = min((room, group) for group, room in enumerate(rooms) if room >= workers)
        size = max(self.pools[node_idx].gpus // self.pools[node_idx].device_groups, 1)
        return range(group * size, (group + 1) * size)

    def _devices(
        self, node_idx: int, print_: Footprint, first_slot: int, end_slot: int, within: range | None
    ) -> list[tuple[int, int, int]]:
        free = self.slices[node_idx, :, first_slot:end_slot].min(axis=1)
        if within is not None:
            free[: within.start], free[within.stop :] = 0, 0
        whole = int(self.slices_per_gpu[node_idx])
        if print_.devices:
            return [(int(device), whole, 0) for device in np.flatnonzero(free == whole)[: print_.devices]]
        if print_.profile is not None:
            return [self._place(node_idx, print_.profile, free, first_slot, end_slot)]
        if print_.share_slices:
            fitting = np.flatnonzero(free >= print_.share_slices)
            fullest = fitting[np.argmin(free[fitting])]
            return [(int(fullest), print_.share_slices, 0)]
        return []

    def _place(
        self, node_idx: int, profile: SliceProfile, free: NDArray[np.int64], first_slot: int, end_slot: int
    ) -> tuple[int, int, int]:
        geometry = self.pools[node_idx].geometry
        if geometry is None:
            raise AssertionError("a profile comes from the geometry of its devices")
        held = self._held_memory(node_idx, first_slot, end_slot)
        open_on = [
            (int(left), device) for device, left in enumerate(free) if left > 0 and _places(profile, int(left), held[device])
        ]
        left, device = min(open_on)
        start = geometry.starts_by_use(profile, held[device], left)[0]
        return device, profile.compute, profile.mask(start)

    def _held_memory(self, node_idx: int, first_slot: int, end_slot: int) -> list[int]:
        """Return the memory slices of each device that profiles hold in some of the slots, as bits."""
        return [int(mask) for mask in np.bitwise_or.reduce(self.occupied[node_idx, :, first_slot:end_slot], axis=1)]

    def _scalars(self, print_: Footprint) -> list[tuple[int, NDArray[np.int64]]]:
        rows = [(print_.cpu_micro, self.cpu), (print_.memory_micro, self.memory)]
        rows += [(amount, self.resources[name]) for name, amount in print_.resources if name in self.resources]
        return [(demand, capacity) for demand, capacity in rows if demand]


def _together(nodes: NDArray[np.intp]) -> NDArray[np.intp] | slice:
    """Return nodes as a span where they stand one after another: a view of an array, and no copy."""
    first, last = int(nodes[0]), int(nodes[-1]) + 1
    return slice(first, last) if last - first == len(nodes) and (len(nodes) < 3 or (np.diff(nodes) == 1).all()) else nodes


def _folded(fold: np.ufunc, by_slot: NDArray[Any]) -> NDArray[Any]:
    """Return what is folded over the few slots of [node, slot], node by node, slot after slot: numpy is slow along short rows."""
    found = by_slot[:, 0].copy()
    for slot in range(1, by_slot.shape[1]):
        fold(found, by_slot[:, slot], out=found)
    return found


def _places(profile: SliceProfile, compute_left: int, held: int) -> int:
    """Return how many units of a profile a device takes beside what it holds; the places of one profile never overlap."""
    return min(sum(not held & profile.mask(start) for start in profile.starts), compute_left // profile.compute)


def first_ready_slot(problem: Problem, startup_minutes: float, *, is_warm: bool) -> int:
    """Return the first slot in which a node can carry work: 0 where it is warm, else after its start-up from the grid's start."""
    if is_warm or startup_minutes <= 0:
        return 0
    edge = problem.grid.end_edge(0, startup_minutes)
    return problem.grid.n_slots if edge is None else edge
