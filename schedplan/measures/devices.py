"""Devices: which ones of a node each worker holds, slot by slot, so that none is used twice.

Jobs keep their devices for their whole run; a replica keeps its device while it stays on the node. A share takes its slices of
one device. The first try is greedy: replicas, then jobs by name, whole devices by lowest number, shares on the fullest device
that fits; where that fails the choices are searched, up to a fixed number of steps: largest first where all items share one span
of slots, else in the order of the first try. It knows nothing of cores or memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.runs import Run
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.plan import ReplicaPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Topology, WorkerShape
from schedplan.units import slices_of

SEARCH_STEPS = 20_000


@dataclass(frozen=True, slots=True)
class Unassigned:
    """A node whose work has no assignment of devices. slot: where the slices alone do not suffice, None where they do."""

    node: str
    slot: int | None
    message: str


@dataclass(frozen=True, slots=True)
class DeviceUse:
    """device_slots per (job, node): `0,1`, or `0:0-2` for slices of device 0, empty for a worker without devices.

    whole_free int64 [node, slot]: devices that nothing holds; widest_free float64 [node, slot]: the largest share of a single
    device that is free. unassigned: nodes where no assignment was found; their jobs have no device_slots.
    """

    device_slots: dict[tuple[str, str], str]
    whole_free: NDArray[np.int64]
    widest_free: NDArray[np.float64]
    unassigned: tuple[Unassigned, ...]


@dataclass(frozen=True, slots=True)
class _Item:
    """One worker or replica that wants devices of a node from slot `first` to `stop`.

    key: (job or service, its number); whole: devices wanted whole; slices: of one device where whole is 0; owner: above 0 for a
    dedicated service; grouped: all workers of the job within one device group.
    """

    key: tuple[str, int]
    is_job: bool
    first: int
    stop: int
    whole: int
    slices: int
    owner: int
    grouped: bool


def assign_devices(problem: Problem, runs: Sequence[Run], replicas: Sequence[ReplicaPart]) -> DeviceUse:
    """Return who holds which device. Same input, same answer."""
    cluster = problem.cluster
    shape = (len(cluster.nodes), problem.grid.n_slots)
    whole_free = np.zeros(shape, dtype=np.int64)
    widest_free = np.zeros(shape)
    slots_of: dict[tuple[str, str], str] = {}
    unassigned = []
    items_of = _items(problem, runs, replicas)
    for row, node in enumerate(cluster.nodes):
        pool = cluster.pool_of_node[node]
        if pool.gpus == 0 and node not in items_of:
            continue
        board = _Board(pool, problem.grid.n_slots)
        items = items_of.get(node, [])
        chosen = board.fill(items)
        if isinstance(chosen, str):
            slot = board.overloaded_slot(items)
            unassigned.append(Unassigned(node, slot, chosen))
            whole_free[row], widest_free[row] = board.free_by_sums(items)
            continue
        whole_free[row], widest_free[row] = board.free_now()
        for job, text in _texts(items, chosen, pool.slices_per_gpu, problem.grid.n_slots).items():
            slots_of[job, node] = text
    return DeviceUse(slots_of, whole_free, widest_free, tuple(unassigned))


def _items(problem: Problem, runs: Sequence[Run], replicas: Sequence[ReplicaPart]) -> dict[str, list[_Item]]:
    """Per node, in the order in which they are given devices: by slot, replicas first, then name and number."""
    found: dict[str, list[_Item]] = {}
    owners = {service.name: number for number, service in enumerate(problem.services, start=1) if service.dedicated}
    for stand in replicas:
        need = _need(problem.cluster, stand.node, problem.service_by_name[stand.service].shape)
        owner = owners.get(stand.service, 0)
        found.setdefault(stand.node, []).extend(
            _Item((stand.service, number), False, stand.slot, stand.slot + 1, *need, owner, False)
            for number in range(stand.replicas)
        )
    for run in runs:
        grouped = run.job.topology is Topology.DEVICE_GROUP
        for part in run.parts:
            need = _need(problem.cluster, part.node, run.job.shape)
            found.setdefault(part.node, []).extend(
                _Item((part.job, number), True, run.start_slot, run.end_edge, *need, 0, grouped) for number in range(part.workers)
            )
    return {
        node: sorted((item for item in items if item.whole or item.slices), key=lambda item: (item.first, item.is_job, item.key))
        for node, items in found.items()
    }


def _need(cluster: Cluster, node: str, shape: WorkerShape) -> tuple[int, int]:
    """(whole devices, slices of one device) of one worker."""
    if shape.gpus <= 0:
        return 0, 0
    slices_per_gpu = cluster.pool_of_node[node].slices_per_gpu
    slices = slices_of(shape.gpus, slices_per_gpu) if shape.gpus < 1 else slices_per_gpu
    return (ceil(shape.gpus - 1e-6), 0) if slices >= slices_per_gpu else (0, slices)


class _Board:
    """The devices of one node over the slots, and the search that gives them away.

    free int64 [device, slot]: slices left; owner int64 [device, slot]: the dedicated service there, 0 = none.
    """

    def __init__(self, pool: Pool, n_slots: int) -> None:
        self.slices = pool.slices_per_gpu
        self.group_size = max(pool.gpus // pool.device_groups, 1)
        self.free = np.full((pool.gpus, n_slots), self.slices, dtype=np.int64)
        self.owner = np.zeros((pool.gpus, n_slots), dtype=np.int64)

    def fill(self, items: list[_Item]) -> list[tuple[int, ...]] | str:
        """Return the devices of each item, or why there is no assignment."""
        slot = self.overloaded_slot(items)
        if slot is not None:
            return f"{self._wanted(items)[slot] / self.slices:g} devices are held, the node has {len(self.free)}"
        if _is_plain(items):
            return self._fill_at_once(items)
        chosen: list[tuple[int, ...]] = []
        taken: dict[tuple[str, int, int], tuple[int, ...]] = {}
        branches: list[Iterator[tuple[int, ...]]] = []
        for _ in range(SEARCH_STEPS + 2 * len(items)):
            if len(chosen) == len(items):
                return chosen
            if len(branches) == len(chosen):
                branches.append(iter(self._choices(items[len(chosen)], taken)))
            devices = next(branches[-1], None)
            if devices is not None:
                self._hold(items[len(chosen)], devices, taken)
                chosen.append(devices)
                continue
            branches.pop()
            if not chosen:
                return "the workers do not fit on single devices"
            self._release(items[len(chosen) - 1], chosen.pop(), taken)
        return chosen if len(chosen) == len(items) else f"no assignment to single devices in {SEARCH_STEPS} steps"

    def _fill_at_once(self, items: list[_Item]) -> list[tuple[int, ...]] | str:
        """The same where all items stand over one span of slots, shared by all and in no group."""
        chosen = self._first_try(items)
        if chosen is None:
            found = _packed(tuple(item.slices for item in items if not item.whole), self._devices_for_shares(items), self.slices)
            if found is None:
                return f"no assignment to single devices in {SEARCH_STEPS} steps"
            if not found:
                return "the workers do not fit on single devices"
            chosen = self._with_shares_packed(items, found)
        taken: dict[tuple[str, int, int], tuple[int, ...]] = {}
        for item, devices in zip(items, chosen, strict=True):
            self._hold(item, devices, taken)
        return chosen

    def _first_try(self, items: list[_Item]) -> list[tuple[int, ...]] | None:
        free = [self.slices] * len(self.free)
        chosen: list[tuple[int, ...]] = []
        for item in items:
            need = self.slices if item.whole else item.slices
            fitting = [device for device, left in enumerate(free) if left >= need]
            if len(fitting) < max(item.whole, 1):
                return None
            devices = tuple(fitting[: item.whole]) if item.whole else (min(fitting, key=lambda device: (free[device], device)),)
            for device in devices:
                free[device] -= need
            chosen.append(devices)
        return chosen

    def _devices_for_shares(self, items: list[_Item]) -> int:
        return len(self.free) - sum(item.whole for item in items)

    def _with_shares_packed(self, items: list[_Item], packed: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Whole devices by lowest number, shares on those behind them as packed."""
        n_whole = len(self.free) - self._devices_for_shares(items)
        of_shares, next_whole = iter(packed), 0
        chosen: list[tuple[int, ...]] = []
        for item in items:
            if item.whole:
                chosen.append(tuple(range(next_whole, next_whole + item.whole)))
                next_whole += item.whole
            else:
                chosen.append((n_whole + next(of_shares),))
        return chosen

    def overloaded_slot(self, items: list[_Item]) -> int | None:
        """Return the first slot in which more slices are wanted than the node has."""
        over = np.flatnonzero(self._wanted(items) > len(self.free) * self.slices)
        return int(over[0]) if len(over) else None

    def free_now(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return (whole devices free, widest share free) per slot."""
        if not len(self.free):
            return np.zeros(self.free.shape[1], dtype=np.int64), np.zeros(self.free.shape[1])
        return (self.free == self.slices).sum(axis=0), self.free.max(axis=0) / self.slices

    def free_by_sums(self, items: list[_Item]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the same where no assignment is known: what the sums leave, whole devices only."""
        left = np.maximum(len(self.free) * self.slices - self._wanted(items), 0) // self.slices
        return left, np.minimum(left, 1).astype(np.float64)

    def _wanted(self, items: list[_Item]) -> NDArray[np.int64]:
        wanted = np.zeros(self.free.shape[1], dtype=np.int64)
        for item in items:
            wanted[item.first : item.stop] += item.whole * self.slices + item.slices
        return wanted

    def _choices(self, item: _Item, taken: dict[tuple[str, int, int], tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
        """Ways to serve an item, the preferred first."""
        kept = () if item.is_job else taken.get((*item.key, item.first - 1), ())
        fitting = self._fitting(item)
        if item.grouped:
            yield from self._grouped_choices(item, fitting, taken)
        elif item.whole:
            if kept and all(device in fitting for device in kept):
                yield kept
            yield from (devices for devices in combinations(fitting, item.whole) if devices != kept)
        else:
            room = self.free[:, item.first : item.stop].sum(axis=1)
            yield from ((device,) for device in sorted(fitting, key=lambda device: (device not in kept, room[device], device)))

    def _grouped_choices(
        self, item: _Item, fitting: list[int], taken: dict[tuple[str, int, int], tuple[int, ...]]
    ) -> Iterator[tuple[int, ...]]:
        first_worker = taken.get((item.key[0], 0, item.first))
        groups = sorted({device // self.group_size for device in fitting})
        if first_worker is not None:
            groups = [first_worker[0] // self.group_size]
        for group in groups:
            inside = [device for device in fitting if device // self.group_size == group]
            yield from combinations(inside, item.whole or 1)

    def _fitting(self, item: _Item) -> list[int]:
        span = slice(item.first, item.stop)
        need = self.slices if item.whole else item.slices
        enough = (self.free[:, span] >= need).all(axis=1)
        if item.owner:
            untouched = (self.free[:, span] == self.slices).all(axis=1)
            enough &= untouched | (self.owner[:, span] == item.owner).all(axis=1)
        else:
            enough &= (self.owner[:, span] == 0).all(axis=1)
        return [int(device) for device in np.flatnonzero(enough)]

    def _hold(self, item: _Item, devices: tuple[int, ...], taken: dict[tuple[str, int, int], tuple[int, ...]]) -> None:
        for device in devices:
            self.free[device, item.first : item.stop] -= self.slices if item.whole else item.slices
            if item.owner:
                self.owner[device, item.first : item.stop] = item.owner
        taken[*item.key, item.first] = devices

    def _release(self, item: _Item, devices: tuple[int, ...], taken: dict[tuple[str, int, int], tuple[int, ...]]) -> None:
        for device in devices:
            span = self.free[device, item.first : item.stop]
            span += self.slices if item.whole else item.slices
            if item.owner:
                self.owner[device, item.first : item.stop][span == self.slices] = 0
        del taken[*item.key, item.first]


def _is_plain(items: list[_Item]) -> bool:
    """Whether all items stand over one span of slots, and none is dedicated or bound to a device group."""
    return all((item.first, item.stop) == (items[0].first, items[0].stop) and not item.owner and not item.grouped for item in items)


def _packed(shares: tuple[int, ...], n_devices: int, slices: int) -> tuple[int, ...] | None:
    """Return the device of each share, empty where none exists, None where the steps ran out.

    Largest first, the device that is left with least first; devices with equal room are tried once, equal shares only in the order
    of devices.
    """
    order = sorted(range(len(shares)), key=lambda idx: (-shares[idx], idx))
    free = [slices] * max(n_devices, 0)
    on: list[int] = []
    options = [_options(shares[order[0]], free, 0)] if order else []
    for _ in range(SEARCH_STEPS):
        if len(on) == len(order):
            found = [0] * len(shares)
            for idx, device in zip(order, on, strict=True):
                found[idx] = device
            return tuple(found)
        if options[-1]:
            device = options[-1].pop()
            free[device] -= shares[order[len(on)]]
            on.append(device)
            if len(on) < len(order):
                is_equal = shares[order[len(on)]] == shares[order[len(on) - 1]]
                options.append(_options(shares[order[len(on)]], free, device if is_equal else 0))
            continue
        options.pop()
        if not on:
            return ()
        free[on[-1]] += shares[order[len(on) - 1]]
        on.pop()
    return None


def _options(share: int, free: list[int], first: int) -> list[int]:
    """Devices that a share may go to, the best last: one of each amount of room, from device `first` on."""
    by_room: dict[int, int] = {}
    for device in range(first, len(free)):
        if free[device] >= share:
            by_room.setdefault(free[device], device)
    return [by_room[room] for room in sorted(by_room, reverse=True)]


def _texts(items: list[_Item], chosen: list[tuple[int, ...]], slices_per_gpu: int, n_slots: int) -> dict[str, str]:
    """device_slots per job: its devices in order, shares with the slices they hold."""
    held: dict[str, list[tuple[int, str]]] = {}
    open_slices: dict[int, NDArray[np.bool_]] = {}
    for item, devices in zip(items, chosen, strict=True):
        if not item.is_job:
            continue
        for device in devices:
            if item.whole:
                held.setdefault(item.key[0], []).append((device, str(device)))
                continue
            is_open = open_slices.setdefault(device, np.ones((slices_per_gpu, n_slots), dtype=np.bool_))
            ranges = _take_slices(is_open, item)
            held.setdefault(item.key[0], []).extend((device, f"{device}:{first}-{last}") for first, last in ranges)
    return {job: ",".join(text for _, text in sorted(texts, key=lambda text: text[0])) for job, texts in held.items()}


def _take_slices(is_open: NDArray[np.bool_], item: _Item) -> list[tuple[int, int]]:
    """Take the first run of neighbouring free slices that is long enough, else the lowest free ones; as (first, last) ranges.

    By start, so the slices suffice wherever their number does.
    """
    free = np.flatnonzero(is_open[:, item.first : item.stop].all(axis=1))
    spans = free[item.slices - 1 :] - free[: max(len(free) - item.slices + 1, 0)]
    runs = np.flatnonzero(spans == item.slices - 1)
    at = int(runs[0]) if len(runs) else 0
    together = free[at : at + item.slices]
    is_open[together, item.first : item.stop] = False
    breaks = np.flatnonzero(np.diff(together) > 1)
    firsts, lasts = together[np.concatenate(([0], breaks + 1))], together[np.concatenate((breaks, [len(together) - 1]))]
    return [(int(first), int(last)) for first, last in zip(firsts, lasts, strict=True)]
