"""Single devices by trying everything: where the work of a node may stand, down to memory slices, for as long as it runs.

Written from the description: a profile takes neighbouring memory slices from one of its starts, a share takes compute slices
of one device, whole devices must be empty, and a bound gang keeps to one group of devices. It knows no product code; the
starts of the profiles are typed in from the driver's list.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState, Topology, WorkerShape

A100_40 = {
    "1g.5gb": (1, 1, (0, 1, 2, 3, 4, 5, 6)),
    "1g.10gb": (1, 2, (0, 2, 4, 6)),
    "2g.10gb": (2, 2, (0, 2, 4)),
    "3g.20gb": (3, 4, (0, 4)),
    "4g.20gb": (4, 4, (0,)),
    "7g.40gb": (7, 8, (0,)),
}
A30_24 = {"1g.6gb": (1, 1, (0, 1, 2, 3)), "2g.12gb": (2, 2, (0, 2)), "4g.24gb": (4, 4, (0,))}
"""Per profile compute slices, memory slices and starts."""
KNOWN = {("A100", 40.0, 7): A100_40, ("A30", 24.0, 4): A30_24}

Cell = tuple[int, int]
"""Compute slices in use, and memory slices as bits, of one device in one slot."""
Device = tuple[Cell, ...]
Devices = tuple[Device, ...]


@dataclass(frozen=True, slots=True, order=True)
class Unit:
    """One worker or replica on a node over slots [first, stop): whole devices, compute slices of one, or a profile; `bound` names
    the gang whose workers share a device group."""

    first: int
    stop: int
    whole: int
    slices: int
    profile: str
    bound: str


def profiles_of(pool: Pool) -> dict[str, tuple[int, int, tuple[int, ...]]]:
    """Return the profiles of a pool's devices; empty where they have none."""
    return KNOWN.get((pool.accelerator or "", pool.gpu_memory_gib or 0.0, pool.slices_per_gpu), {})


def is_of_devices(problem: Problem) -> bool:
    """Whether sums over a node say too little: profiles, shares of devices, or gangs bound to one group of several."""
    works = [*problem.jobs, *problem.services]
    has_groups = any(pool.device_groups > 1 for pool in problem.cluster.pools)
    bound = has_groups and any(job.topology is Topology.DEVICE_GROUP for job in problem.jobs)
    return bound or any(work.shape.slice_profile or work.shape.gpus % 1 for work in works)


def counts_in_sum(shape: WorkerShape) -> bool:
    """Whether a worker takes whole devices, which sums see."""
    return shape.slice_profile is None and shape.gpus == round(shape.gpus)


def unit(pool: Pool, shape: WorkerShape, first: int, stop: int, job: Job | None = None) -> Unit | None:
    """Return what one worker of a shape takes of a node's devices; None where it takes none."""
    is_bound = job is not None and job.topology is Topology.DEVICE_GROUP and job.state is not JobState.RUNNING
    bound = job.name if job is not None and is_bound else ""
    if shape.slice_profile is not None:
        return Unit(first, stop, 0, 0, shape.slice_profile, bound)
    if shape.gpus == 0:
        return None
    if shape.gpus >= 1:
        return Unit(first, stop, round(shape.gpus), 0, "", bound)
    slices = -(-round(shape.gpus * pool.slices_per_gpu * 1000) // 1000)
    if pool.slices_per_gpu in (1, slices):
        return Unit(first, stop, 1, 0, "", bound)
    return Unit(first, stop, 0, slices, "", bound)


class NodeDevices:
    """The devices of nodes like one; answers are kept, for the same work is asked about again and again."""

    def __init__(self, n_slots: int) -> None:
        self.n_slots = n_slots
        self.known: dict[tuple[Pool, tuple[Unit, ...]], bool] = {}

    def fits(self, pool: Pool, units: tuple[Unit, ...]) -> bool:
        """Whether all units stand on the devices of one node at once."""
        key = (pool, tuple(sorted(units)))
        if key not in self.known:
            self.known[key] = next(self.layouts(pool, key[1]), None) is not None
        return self.known[key]

    def layouts(self, pool: Pool, units: tuple[Unit, ...]) -> Iterator[Devices]:
        """Yield every way the devices of a node may be held, alike ones more than once."""
        empty: Device = ((0, 0),) * self.n_slots
        yield from _place(pool, (empty,) * pool.gpus, sorted(units), {})


def fits_beside(pool: Pool, devices: Devices, units: tuple[Unit, ...]) -> bool:
    """Whether units of one slot, bound to no group, stand beside what devices hold in it."""
    if not units:
        return True
    cells = tuple(sorted(device[units[0].first] for device in devices))
    return _at_once(pool, cells, tuple(sorted(replace(one, first=0, stop=1) for one in units)))


@lru_cache(maxsize=100_000)
def _at_once(pool: Pool, cells: tuple[Cell, ...], units: tuple[Unit, ...]) -> bool:
    if not units:
        return True
    devices: Devices = tuple((cell,) for cell in cells)
    following = {tuple(sorted(device[0] for device in held)) for held in _ways(pool, devices, units[0], range(pool.gpus))}
    return any(_at_once(pool, after, units[1:]) for after in sorted(following))


def _place(pool: Pool, devices: Devices, units: list[Unit], groups: dict[str, int]) -> Iterator[Devices]:
    if not units:
        yield devices
        return
    first, rest = units[0], units[1:]
    size = pool.gpus // pool.device_groups
    tried = set()
    for group in [groups[first.bound]] if first.bound in groups else range(pool.device_groups if first.bound else 1):
        allowed = range(group * size, (group + 1) * size) if first.bound else range(pool.gpus)
        for held in _ways(pool, devices, first, allowed):
            key = (group, _canonical(pool, held))
            if key not in tried:
                tried.add(key)
                yield from _place(pool, held, rest, {**groups, first.bound: group} if first.bound else groups)


def _canonical(pool: Pool, devices: Devices) -> tuple[Devices, ...]:
    """Devices of a group in any order are the same."""
    size = pool.gpus // pool.device_groups
    return tuple(tuple(sorted(devices[first : first + size])) for first in range(0, pool.gpus, size))


def _ways(pool: Pool, devices: Devices, one: Unit, allowed: range) -> Iterator[Devices]:
    full = pool.slices_per_gpu
    if one.whole:
        for chosen in combinations(allowed, one.whole):
            yield from _held(devices, dict.fromkeys(chosen, (full, 255)), one, full)
        return
    if one.profile:
        compute, memory, starts = profiles_of(pool)[one.profile]
        takes = [(compute, (2**memory - 1) * 2**start) for start in starts]
    else:
        takes = [(one.slices, 0)]
    for device in allowed:
        for take in takes:
            yield from _held(devices, {device: take}, one, full)


def _held(devices: Devices, takes: dict[int, Cell], one: Unit, full: int) -> Iterator[Devices]:
    """Yield the devices with a unit on them, nothing where it does not fit."""
    after = list(devices)
    for device, (compute, memory) in takes.items():
        cells = list(devices[device])
        for slot in range(one.first, one.stop):
            used, held = cells[slot]
            if used + compute > full or held & memory:
                return
            cells[slot] = (used + compute, held | memory)
        after[device] = tuple(cells)
    yield tuple(after)
