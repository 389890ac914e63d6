"""Devices: which ones of a node each worker holds, slot by slot, so that none is used twice.

Jobs keep their devices for their whole run; a replica keeps its device while it stays on the node. A share takes its slices of
one device. The first try is greedy: replicas, then jobs by name, whole devices by lowest number, shares on the fullest device
that fits; where that fails the same is tried in a few other orders, and then the choices are searched, up to a fixed number of
steps: largest first where all items share one span of slots, else in the order of the first try. A profile holds memory slices in
a row from one of its legal starts on, the same for its whole run; of several starts the one that keeps most of use comes first.
Devices that hold the same in every slot are tried once. It knows nothing of cores or memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import ceil
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.gang_family import is_in_one_group
from schedplan.measures.runs import Run
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.plan import ReplicaPart
from schedplan.model.problem import Problem
from schedplan.model.slices import SliceProfile
from schedplan.model.workload import JobState, WorkerShape
from schedplan.units import slices_of

SEARCH_STEPS = 20_000


@dataclass(frozen=True, slots=True)
class Unassigned:
    """A node whose work has no assignment of devices. slot: where the slices alone do not suffice, None where they do.

    rule: what stands in the way: `capacity`, or `slices` or `device_group` where there is an assignment without legal starts, or
    without device groups.
    """

    node: str
    slot: int | None
    message: str
    rule: str = "capacity"


@dataclass(frozen=True, slots=True)
class DeviceUse:
    """device_slots per (job, node): `0,1`, or `0:0-2` for slices of device 0 (its memory slices where a profile holds them), empty
    for a worker without devices.

    whole_free int64 [node, slot]: devices that nothing holds; widest_free float64 [node, slot]: the largest share of a single
    device that is free, beside profiles that of the largest profile that still has a place. unassigned: nodes where no assignment
    was found; their jobs have no device_slots.
    """

    device_slots: dict[tuple[str, str], str]
    whole_free: NDArray[np.int64]
    widest_free: NDArray[np.float64]
    unassigned: tuple[Unassigned, ...]


@dataclass(frozen=True, slots=True)
class _Item:
    """One worker or replica that wants devices of a node from slot `first` to `stop`.

    key: (job or service, its number); whole: devices wanted whole; slices: of one device where whole is 0; owner: above 0 for a
    dedicated service; grouped: all workers of the job within one device group; profile: the memory slices beside its slices.
    arrival_s, devices (of the whole gang) and runs (already) are for the order in which items are tried.
    """

    key: tuple[str, int]
    is_job: bool
    first: int
    stop: int
    whole: int
    slices: int
    owner: int
    grouped: bool
    profile: SliceProfile | None = None
    arrival_s: int = 0
    devices: float = 0.0
    runs: bool = False

    def need(self, slices_per_gpu: int) -> int:
        """Return the slices it takes of each device it stands on."""
        return slices_per_gpu if self.whole else self.slices


Place: TypeAlias = tuple[int, int]
"""A device, and the memory slice at which a profile starts there; 0 where there is none."""


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
            rule = "capacity" if slot is not None else _rule(pool, items, problem.grid.n_slots)
            unassigned.append(Unassigned(node, slot, chosen, rule))
            whole_free[row], widest_free[row] = board.free_by_sums(items)
            continue
        whole_free[row], widest_free[row] = board.free_now()
        for job, text in _texts(items, chosen, pool.slices_per_gpu, problem.grid.n_slots).items():
            slots_of[job, node] = text
    return DeviceUse(slots_of, whole_free, widest_free, tuple(unassigned))


def _rule(pool: Pool, items: list[_Item], n_slots: int) -> str:
    """Return the rule without which there is an assignment, `capacity` where there is none either way."""
    without = {
        "slices": [replace(item, profile=None) for item in items],
        "device_group": [replace(item, grouped=False) for item in items],
    }
    for rule, others in without.items():
        if others != items and not isinstance(_Board(pool, n_slots).fill(others), str):
            return rule
    return "capacity"


def _items(problem: Problem, runs: Sequence[Run], replicas: Sequence[ReplicaPart]) -> dict[str, list[_Item]]:
    """Per node, in the order in which they are given devices: by slot, replicas first, then name and number."""
    found: dict[str, list[_Item]] = {}
    owners = {service.name: number for number, service in enumerate(problem.services, start=1) if service.dedicated}
    for stand in replicas:
        shape = problem.service_by_name[stand.service].shape
        need, profile = _need(problem.cluster, stand.node, shape), _profile(problem.cluster, stand.node, shape)
        owner = owners.get(stand.service, 0)
        found.setdefault(stand.node, []).extend(
            _Item((stand.service, number), False, stand.slot, stand.slot + 1, *need, owner, False, profile)
            for number in range(stand.replicas)
        )
    for run in runs:
        grouped = is_in_one_group(run.job)
        arrival_s, devices = max(run.job.release_s or 0, problem.grid.start_s), run.job.devices
        is_there = run.job.state is JobState.RUNNING
        for part in run.parts:
            need, profile = _need(problem.cluster, part.node, run.job.shape), _profile(problem.cluster, part.node, run.job.shape)
            found.setdefault(part.node, []).extend(
                _Item(
                    (part.job, number),
                    True,
                    run.start_slot,
                    run.end_edge,
                    *need,
                    0,
                    grouped,
                    profile,
                    arrival_s,
                    devices,
                    is_there,
                )
                for number in range(part.workers)
            )
    return {node: sorted((item for item in items if item.whole or item.slices), key=_order) for node, items in found.items()}


def _order(item: _Item) -> tuple[int, bool, int, tuple[str, int]]:
    """By slot, replicas first; profiles the largest first, for a small one in the way leaves no legal start; then by name."""
    return item.first, item.is_job, 0 if item.profile is None else -item.profile.memory, item.key


def _orders(items: list[_Item]) -> Iterator[list[int]]:
    """Give the orders of a first try: by slot, by arrival, as gangs are packed, the largest and the longest first.

    What was put together in one of these orders by the same choices is found again by them.
    """

    def size(item: _Item) -> tuple[int, int, int]:
        return (-item.whole, 0 if item.profile is None else -item.profile.memory, -item.slices)

    def arrival(item: _Item) -> tuple[object, ...]:
        return (2 if item.is_job and not item.runs else int(not item.is_job), item.arrival_s, item.key, item.first)

    def packed(item: _Item) -> tuple[object, ...]:
        return (not item.is_job, not item.runs, item.first, item.first - item.stop, -item.devices, item.key)

    yield list(range(len(items)))
    for rank in (
        arrival,
        packed,
        lambda item: (*size(item), item.first, item.key),
        lambda item: (item.first - item.stop, *size(item), item.key),
    ):
        ranks = [rank(item) for item in items]
        yield sorted(range(len(items)), key=ranks.__getitem__)


def _profile(cluster: Cluster, node: str, shape: WorkerShape) -> SliceProfile | None:
    return cluster.pool_of_node[node].profile(shape.slice_profile)


def _need(cluster: Cluster, node: str, shape: WorkerShape) -> tuple[int, int]:
    """(whole devices, slices of one device) of one worker."""
    profile = _profile(cluster, node, shape)
    if profile is not None:
        return 0, profile.compute
    if shape.gpus <= 0:
        return 0, 0
    slices_per_gpu = cluster.pool_of_node[node].slices_per_gpu
    slices = slices_of(shape.gpus, slices_per_gpu) if shape.gpus < 1 else slices_per_gpu
    return (ceil(shape.gpus - 1e-6), 0) if slices >= slices_per_gpu else (0, slices)


class _Board:
    """The devices of one node over the slots, and the search that gives them away.

    free int64 [device, slot]: slices left; owner int64 [device, slot]: the dedicated service there, 0 = none; occupied int64
    [device, slot]: memory slices that profiles hold, as bits.
    """

    def __init__(self, pool: Pool, n_slots: int) -> None:
        self.slices = pool.slices_per_gpu
        self.group_size = max(pool.gpus // pool.device_groups, 1)
        self.free = np.full((pool.gpus, n_slots), self.slices, dtype=np.int64)
        self.owner = np.zeros((pool.gpus, n_slots), dtype=np.int64)
        self.occupied = np.zeros((pool.gpus, n_slots), dtype=np.int64)
        self.geometry = pool.geometry
        self.has_groups = False

    def fill(self, items: list[_Item]) -> list[tuple[Place, ...]] | str:
        """Return the devices of each item, or why there is no assignment."""
        slot = self.overloaded_slot(items)
        if slot is not None:
            return f"{self._wanted(items)[slot] / self.slices:g} devices are held, the node has {len(self.free)}"
        self.has_groups = any(item.grouped for item in items)
        if _is_plain(items):
            return self._fill_at_once(items)
        for order in _orders(items):
            found = self._first_come(items, order)
            if found is not None:
                return found
        chosen: list[tuple[Place, ...]] = []
        taken: dict[tuple[str, int, int], tuple[Place, ...]] = {}
        branches: list[Iterator[tuple[Place, ...]]] = []
        for _ in range(SEARCH_STEPS + 2 * len(items)):
            if len(chosen) == len(items):
                return chosen
            if len(branches) == len(chosen):
                branches.append(iter(self._choices(items[len(chosen)], taken)))
            places = next(branches[-1], None)
            if places is not None:
                self._hold(items[len(chosen)], places, taken)
                chosen.append(places)
                continue
            branches.pop()
            if not chosen:
                return "the workers do not fit on single devices"
            self._release(items[len(chosen) - 1], chosen.pop(), taken)
        return chosen if len(chosen) == len(items) else f"no assignment to single devices in {SEARCH_STEPS} steps"

    def _first_come(self, items: list[_Item], order: list[int]) -> list[tuple[Place, ...]] | None:
        """Return the first choice of each item, taken in an order; None, and nothing held, where one finds no place."""
        taken: dict[tuple[str, int, int], tuple[Place, ...]] = {}
        chosen: dict[int, tuple[Place, ...]] = {}
        for idx in order:
            places = next(self._choices(items[idx], taken), None)
            if places is None:
                for done, held in chosen.items():
                    self._release(items[done], held, taken)
                return None
            self._hold(items[idx], places, taken)
            chosen[idx] = places
        return [chosen[idx] for idx in range(len(items))]

    def _fill_at_once(self, items: list[_Item]) -> list[tuple[Place, ...]] | str:
        """The same where all items stand over one span of slots, shared by all and in no group."""
        chosen = self._first_try(items)
        if chosen is None:
            found = _packed(tuple(item.slices for item in items if not item.whole), self._devices_for_shares(items), self.slices)
            if found is None:
                return f"no assignment to single devices in {SEARCH_STEPS} steps"
            if not found:
                return "the workers do not fit on single devices"
            chosen = self._with_shares_packed(items, found)
        taken: dict[tuple[str, int, int], tuple[Place, ...]] = {}
        placed: list[tuple[Place, ...]] = [tuple((device, 0) for device in devices) for devices in chosen]
        for item, places in zip(items, placed, strict=True):
            self._hold(item, places, taken)
        return placed

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
        widest = self.free.copy()
        for device, slot in zip(*np.nonzero(self.occupied), strict=True):
            widest[device, slot] = self._largest_place(int(self.occupied[device, slot]), int(self.free[device, slot]))
        return (self.free == self.slices).sum(axis=0), widest.max(axis=0) / self.slices

    def _largest_place(self, held: int, left: int) -> int:
        """Return the compute slices of the largest profile that still has a legal start beside memory slices `held` (bits)."""
        return 0 if self.geometry is None else self.geometry.free_rank(held, left)[1]

    def free_by_sums(self, items: list[_Item]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the same where no assignment is known: what the sums leave, whole devices only."""
        left = np.maximum(len(self.free) * self.slices - self._wanted(items), 0) // self.slices
        return left, np.minimum(left, 1).astype(np.float64)

    def _wanted(self, items: list[_Item]) -> NDArray[np.int64]:
        wanted = np.zeros(self.free.shape[1], dtype=np.int64)
        for item in items:
            wanted[item.first : item.stop] += item.whole * self.slices + item.slices
        return wanted

    def _choices(self, item: _Item, taken: dict[tuple[str, int, int], tuple[Place, ...]]) -> Iterator[tuple[Place, ...]]:
        """Ways to serve an item, the preferred first; of devices that hold the same in every slot only the first."""
        kept = () if item.is_job else taken.get((*item.key, item.first - 1), ())
        fitting = self._fitting(item)
        if item.grouped:
            yield from self._grouped_choices(item, fitting, taken)
            return
        if kept and all(self._has_place(item, place, fitting) for place in kept):
            yield kept
        yield from (places for places in self._ways(item, fitting) if places != kept)

    def _grouped_choices(
        self, item: _Item, fitting: list[int], taken: dict[tuple[str, int, int], tuple[Place, ...]]
    ) -> Iterator[tuple[Place, ...]]:
        first_worker = taken.get((item.key[0], 0, item.first))
        groups = sorted({device // self.group_size for device in fitting})
        if first_worker is not None:
            groups = [first_worker[0][0] // self.group_size]
        for group in groups:
            yield from self._ways(item, [device for device in fitting if device // self.group_size == group])

    def _ways(self, item: _Item, fitting: list[int]) -> Iterator[tuple[Place, ...]]:
        """Give the places of an item on fitting devices: whole ones by number, a share where least room is left."""
        if item.whole:
            seen: set[tuple[bytes, ...]] = set()
            for devices in combinations(fitting, item.whole):
                state = tuple(self._state(device) for device in devices)
                if state not in seen:
                    seen.add(state)
                    yield tuple((device, 0) for device in devices)
            return
        span = self.free[:, item.first : item.stop]
        room = span.sum(axis=1) if item.profile is None else span.min(axis=1)
        tried: set[bytes] = set()
        for device in sorted(fitting, key=lambda device: (room[device], device)):
            if self._state(device) in tried:
                continue
            tried.add(self._state(device))
            yield from (((device, start),) for start in self._starts(item, device))

    def _state(self, device: int) -> bytes:
        """Return what makes one device unlike another for whatever comes: what it holds, and where groups matter its group."""
        group = device // self.group_size if self.has_groups else 0
        return b"".join((self.free[device].tobytes(), self.owner[device].tobytes(), self.occupied[device].tobytes(), b"%d" % group))

    def _starts(self, item: _Item, device: int) -> list[int]:
        """Return the legal starts that a profile still has on a device, the one that keeps most of use first; [0] without one."""
        if item.profile is None or self.geometry is None:
            return [0]
        held = int(np.bitwise_or.reduce(self.occupied[device, item.first : item.stop]))
        left = int(self.free[device, item.first : item.stop].min())
        return self.geometry.starts_by_use(item.profile, held, left)

    def _has_place(self, item: _Item, place: Place, fitting: list[int]) -> bool:
        return place[0] in fitting and place[1] in self._starts(item, place[0])

    def _fitting(self, item: _Item) -> list[int]:
        span = slice(item.first, item.stop)
        enough = (self.free[:, span] >= item.need(self.slices)).all(axis=1)
        if item.owner:
            untouched = (self.free[:, span] == self.slices).all(axis=1)
            enough &= untouched | (self.owner[:, span] == item.owner).all(axis=1)
        else:
            enough &= (self.owner[:, span] == 0).all(axis=1)
        return [int(device) for device in np.flatnonzero(enough)]

    def _hold(self, item: _Item, places: tuple[Place, ...], taken: dict[tuple[str, int, int], tuple[Place, ...]]) -> None:
        for device, start in places:
            self.free[device, item.first : item.stop] -= item.need(self.slices)
            if item.profile is not None:
                self.occupied[device, item.first : item.stop] |= item.profile.mask(start)
            if item.owner:
                self.owner[device, item.first : item.stop] = item.owner
        taken[*item.key, item.first] = places

    def _release(self, item: _Item, places: tuple[Place, ...], taken: dict[tuple[str, int, int], tuple[Place, ...]]) -> None:
        for device, start in places:
            span = self.free[device, item.first : item.stop]
            span += item.need(self.slices)
            if item.profile is not None:
                self.occupied[device, item.first : item.stop] &= ~item.profile.mask(start)
            if item.owner:
                self.owner[device, item.first : item.stop][span == self.slices] = 0
        del taken[*item.key, item.first]


def _is_plain(items: list[_Item]) -> bool:
    """Whether all items stand over one span of slots, and none is dedicated, bound to a device group or a profile."""
    return all(
        (item.first, item.stop) == (items[0].first, items[0].stop) and not (item.owner or item.grouped or item.profile)
        for item in items
    )


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


def _texts(items: list[_Item], chosen: list[tuple[Place, ...]], slices_per_gpu: int, n_slots: int) -> dict[str, str]:
    """device_slots per job: its devices in order, shares with the slices they hold, profiles with their memory slices."""
    held: dict[str, list[tuple[Place, str]]] = {}
    open_slices: dict[int, NDArray[np.bool_]] = {}
    for item, places in zip(items, chosen, strict=True):
        if not item.is_job:
            continue
        for device, start in places:
            if item.whole:
                held.setdefault(item.key[0], []).append(((device, 0), str(device)))
                continue
            if item.profile is not None:
                ranges = [(start, start + item.profile.memory - 1)]
            else:
                is_open = open_slices.setdefault(device, np.ones((slices_per_gpu, n_slots), dtype=np.bool_))
                ranges = _take_slices(is_open, item)
            held.setdefault(item.key[0], []).extend(((device, first), f"{device}:{first}-{last}") for first, last in ranges)
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
