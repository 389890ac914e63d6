"""The board: what is free on every single node in every slot, down to slices of devices.

A share goes to the fullest device that fits, and so does a profile. Of its legal starts there it takes the one beside which the
largest profile can still be placed, then the one that leaves most places to all profiles, then the lowest. Workers bound to one
device group go to the group that is left with least room. It places and removes; it does not choose jobs, times or prices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.model.cluster import Pool
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
from schedplan.packing.slotwise import folded, together, zeros_by_slot

MOST_BITS = 64
MOST_IN_A_SLOT = 1 << 20
"""Workers that a node may take in a slot where nothing bounds them."""


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
    is taken, as bits; None where some node has more devices than bits. whole [node, slot]: how many these are. left [node, slot]:
    the slices of all devices that are free.

    Nodes that are not ready, are not there, are not up yet or are in an outage hold nothing in those slots (`is_open`, bool [node,
    slot]). `allowance` follows the work of tenants; whoever places work for one adds it there, for a shape tells no tenant.
    changed: the nodes of each pool on which something was taken or given back, in order. All [node, slot] are stored slot by slot.
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
        self.whole = zeros_by_slot(shape)
        self.left = zeros_by_slot(shape)
        self.cpu = zeros_by_slot(shape)
        self.memory = zeros_by_slot(shape)
        self.resources = {name: zeros_by_slot(shape) for name in names}
        self.held = zeros_by_slot(shape)
        self.is_open = np.zeros(shape, dtype=np.bool_, order="F")
        self.untouched = np.zeros(shape, dtype=np.uint64, order="F") if most_devices <= MOST_BITS else None
        self._bit = np.left_shift(np.uint64(1), np.arange(min(most_devices, MOST_BITS), dtype=np.uint64))
        self.slices_per_gpu = np.array([pool.slices_per_gpu for pool in self.pools], dtype=np.int64)
        self.allowance = Allowance(problem)
        self.changed: dict[str, list[int]] = {pool.name: [] for pool in cluster.pools}
        self._has_cores = any(pool.cpus is not None for pool in cluster.pools)
        self._prints: dict[tuple[str, WorkerShape], Footprint] = {}
        self._open(problem)

    def _open(self, problem: Problem) -> None:
        for pool in self.cluster.pools:
            names = pool.node_names()[: pool.nodes]
            for is_warm, some in ((True, names[: pool.count]), (False, names[pool.count :])):
                if some:
                    ready = first_ready_slot(problem, pool.startup_minutes, is_warm=is_warm)
                    self._open_nodes(problem, pool, np.array([self.cluster.node_idx[name] for name in some], dtype=np.intp), ready)

    def _open_nodes(self, problem: Problem, pool: Pool, nodes: NDArray[np.intp], ready: int) -> None:
        """Let nodes of a pool hold what they have from a slot on, where no outage closes them."""
        is_open = ~problem.is_down[nodes]
        is_open[:, :ready] = False
        self.is_open[nodes] = is_open
        self.slices[nodes, : pool.gpus] = pool.slices_per_gpu * is_open[:, None, :]
        self.whole[nodes] = pool.gpus * is_open
        self.left[nodes] = pool.gpus * pool.slices_per_gpu * is_open
        self.cpu[nodes] = cpu_capacity_micro(pool) * is_open
        self.memory[nodes] = memory_capacity_micro(pool) * is_open
        for resource, free in self.resources.items():
            free[nodes] = resource_capacity_micro(pool, resource) * is_open
        if self.untouched is not None and pool.slices_per_gpu:
            self.untouched[nodes] = self._bit[: pool.gpus].sum(dtype=np.uint64) * is_open.astype(np.uint64)

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
        print_ = self.footprint(int(nodes[0]), shape)
        span, rows = slice(first_slot, end_slot), together(nodes)
        if self.untouched is not None and not grouped and self._is_devices_alone(print_, shape):
            free = np.bitwise_count(folded(np.bitwise_and, self.untouched[rows, span]))
            return np.asarray(free.astype(np.int64) // print_.devices, dtype=np.int64)
        room = np.full(len(nodes), np.iinfo(np.int64).max, dtype=np.int64)
        if print_.slices and (grouped or shape.slice_profile is not None):
            room = np.array([max(self._in_groups(int(node), shape, first_slot, end_slot, grouped=grouped)) for node in nodes])
        elif print_.devices and self.untouched is not None:
            free = np.bitwise_count(folded(np.bitwise_and, self.untouched[rows, span]))
            room = np.minimum(room, free.astype(np.int64) // print_.devices)
        elif print_.slices:
            free = self.slices[rows, :, span].min(axis=2)
            if print_.devices:
                room = np.minimum(room, (free == pool.slices_per_gpu).sum(axis=1) // print_.devices)
            else:
                room = np.minimum(room, (free // print_.share_slices).sum(axis=1))
        for demand, capacity in self._scalars(print_):
            room = np.minimum(room, folded(np.minimum, capacity[rows, span]) // demand)
        if any(name not in self.resources and demand for name, demand in print_.resources):
            room[:] = 0
        if shape.max_per_node is not None:
            room = np.minimum(room, shape.max_per_node)
        is_open = folded(np.minimum, self.cpu[rows, span]) > 0
        return np.where(is_open, room, 0)

    def rooms(self, nodes: NDArray[np.intp], shape: WorkerShape) -> NDArray[np.int64]:
        """Return how many workers each of some nodes of one kind takes in each slot at most, a million where nothing bounds them;
        int64 [len(nodes), n_slots]. Never less than what `room` finds over slots that hold it, but for max_per_node."""
        print_ = self.footprint(int(nodes[0]), shape)
        room = np.full((len(nodes), self.cpu.shape[1]), MOST_IN_A_SLOT, dtype=np.int64)
        if print_.devices:
            room = np.minimum(room, self.whole[nodes] // print_.devices)
        elif print_.share_slices and print_.profile is None:
            room = np.minimum(room, (self.slices[nodes] // print_.share_slices).sum(axis=1))
        for demand, capacity in self._scalars(print_):
            room = np.minimum(room, capacity[nodes] // demand)
        return room

    def idle_slots(self, nodes: NDArray[np.intp], first_slot: int, end_slot: int) -> NDArray[np.int64]:
        """Return in how many of the slots nothing stands on each of some nodes, int64 [len(nodes)]."""
        found, rows = np.zeros(len(nodes), dtype=np.int64), together(nodes)
        for slot in range(first_slot, end_slot):
            found += self.held[rows, slot] == 0
        return found

    def footprint(self, node_idx: int, shape: WorkerShape) -> Footprint:
        """Return what one worker of a shape takes on a node."""
        key = (self.pools[node_idx].name, shape)
        if key not in self._prints:
            self._prints[key] = footprint(self.pools[node_idx], shape)
        return self._prints[key]

    def take(
        self, node_idx: int, shape: WorkerShape, workers: int, first_slot: int, end_slot: int, *, grouped: bool = False
    ) -> Hold:
        """Take room for `workers` on a node, within one device group where grouped; ValueError where there is none."""
        print_, span = self.footprint(node_idx, shape), slice(first_slot, end_slot)
        if self._room_on(node_idx, print_, shape, first_slot, end_slot, grouped=grouped) < workers:
            raise ValueError(f"node {self.cluster.nodes[node_idx]} has no room for {workers} workers in {first_slot}..{end_slot}")
        if print_.devices and self.untouched is not None and not grouped:
            devices = self._whole_devices(node_idx, workers * print_.devices, span)
        else:
            devices = self._some_devices(node_idx, print_, shape, workers, span, grouped=grouped)
        hold = Hold(node_idx, first_slot, end_slot, workers, print_, tuple(devices))
        self._add(hold, -1)
        return hold

    def _room_on(
        self, node_idx: int, print_: Footprint, shape: WorkerShape, first_slot: int, end_slot: int, *, grouped: bool
    ) -> int:
        """Return how many workers one node can take over the slots."""
        if self.untouched is None or grouped or not self._is_devices_alone(print_, shape):
            return int(self.room(np.array([node_idx]), shape, first_slot, end_slot, grouped=grouped)[0])
        return int(np.bitwise_and.reduce(self.untouched[node_idx, first_slot:end_slot])).bit_count() // print_.devices

    def _is_devices_alone(self, print_: Footprint, shape: WorkerShape) -> bool:
        """Whether nothing bounds workers but whole devices that are untouched; a node without free cores takes none."""
        is_counted = print_.cpu_micro or print_.memory_micro or print_.resources or self._has_cores
        return bool(print_.devices) and not is_counted and shape.max_per_node is None

    def _whole_devices(self, node_idx: int, count: int, span: slice) -> list[tuple[int, int, int]]:
        """Take so many devices of a node that are untouched over some slots, the first ones."""
        if self.untouched is None:
            raise AssertionError("devices are followed as bits here")
        free = int(np.bitwise_and.reduce(self.untouched[node_idx, span]))
        chosen, bits, whole = list[int](), 0, int(self.slices_per_gpu[node_idx])
        while len(chosen) < count:
            lowest = free & -free
            chosen.append(lowest.bit_length() - 1)
            bits |= lowest
            free ^= lowest
        for device in chosen:
            self.slices[node_idx, device, span] = 0
        self.untouched[node_idx, span] &= ~np.uint64(bits)
        self.whole[node_idx, span] -= count
        self.left[node_idx, span] -= count * whole
        return [(device, whole, 0) for device in chosen]

    def _some_devices(
        self, node_idx: int, print_: Footprint, shape: WorkerShape, workers: int, span: slice, *, grouped: bool
    ) -> list[tuple[int, int, int]]:
        """Take devices, or slices of them, worker by worker."""
        devices: list[tuple[int, int, int]] = []
        within = self._within(node_idx, shape, workers, span.start, span.stop) if grouped and print_.slices else None
        for _ in range(workers):
            chosen = self._devices(node_idx, print_, span.start, span.stop, within)
            devices.extend(chosen)
            for device, slices, mask in chosen:
                self.slices[node_idx, device, span] -= slices
                self.occupied[node_idx, device, span] |= mask
        if devices:
            self._look(node_idx, span)
        return devices

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
        self.changed[self.pools[node_idx].name].append(node_idx)

    def _look(self, node_idx: int, span: slice) -> None:
        """See anew which devices of a node are untouched in some slots."""
        is_whole = self.slices[node_idx, :, span] == self.slices_per_gpu[node_idx]
        self.whole[node_idx, span] = is_whole.sum(axis=0)
        self.left[node_idx, span] = self.slices[node_idx, :, span].sum(axis=0)
        if self.untouched is not None:
            self.untouched[node_idx, span] = self._bit @ is_whole

    def _add(self, hold: Hold, sign: int) -> None:
        span = slice(hold.first_slot, hold.end_slot)
        for demand, capacity in self._scalars(hold.print):
            capacity[hold.node_idx, span] += sign * hold.workers * demand
        self.held[hold.node_idx, span] -= sign * hold.workers
        self.changed[self.pools[hold.node_idx].name].append(hold.node_idx)

    def _in_groups(self, node_idx: int, shape: WorkerShape, first_slot: int, end_slot: int, *, grouped: bool = True) -> list[int]:
        """Return how many workers the devices of each device group can take over the slots; of all as one group unless grouped."""
        pool = self.pools[node_idx]
        print_ = self.footprint(node_idx, shape)
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


def _places(profile: SliceProfile, compute_left: int, held: int) -> int:
    """Return how many units of a profile a device takes beside what it holds; the places of one profile never overlap."""
    return min(sum(not held & profile.mask(start) for start in profile.starts), compute_left // profile.compute)


def first_ready_slot(problem: Problem, startup_minutes: float, *, is_warm: bool) -> int:
    """Return the first slot in which a node can carry work: 0 where it is warm, else after its start-up from the grid's start."""
    if is_warm or startup_minutes <= 0:
        return 0
    edge = problem.grid.end_edge(0, startup_minutes)
    return problem.grid.n_slots if edge is None else edge
