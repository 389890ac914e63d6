"""A machine kept as one sum: exact where every worker asks for the same units and any free units will do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from schedplan.measures.eligibility import refusal
from schedplan.model.workload import Topology
from schedplan.simulate.capacity import Held, Spots
from schedplan.simulate.machine import Machine
from schedplan.simulate.pool_profile import PoolProfile
from schedplan.simulate.work import Ask

ANYWHERE = (Topology.ANY, Topology.CLUSTER)


def unit_per_worker(machine: Machine, asks: tuple[Ask, ...]) -> float | None:
    """Return what every worker asks of the counted resource where the sum alone decides what fits; None where nodes matter."""
    if not machine.nodes or not asks:
        return None
    unit = asks[0].shape.gpus if machine.has_devices else asks[0].shape.cpus
    if unit <= 0 or not float(unit).is_integer() or not all(_is_plain(machine, ask, unit) for ask in asks):
        return None
    return None if any(float(size) % unit for size in machine.counted) else float(unit)


def is_nameless(machine: Machine, unit: float) -> bool:
    """Whether all nodes are numbered ones of one kind that hold a single worker, so that which one a worker has says nothing."""
    return len(machine.nodes) > 1 and len(set(machine.pools)) == 1 and bool((machine.counted == unit).all())


def _is_plain(machine: Machine, ask: Ask, unit: float) -> bool:
    shape = ask.shape
    size, other = (shape.gpus, shape.cpus) if machine.has_devices else (shape.cpus, 0.0)
    if (
        size != unit
        or other
        or shape.memory_gib
        or shape.resources
        or shape.max_per_node is not None
        or ask.topology not in ANYWHERE
    ):
        return False
    pools = dict.fromkeys(machine.pools)
    return all(refusal(pool, shape) is None and (ask.spot_ok or pool.market.value != "spot") for pool in pools)


class PoolCapacity:
    """Free units of the whole machine. A job's parts are one entry on a node that stands for all."""

    def __init__(self, machine: Machine, asks: tuple[Ask, ...], unit: float) -> None:
        self.total = int(machine.counted.sum() / unit)
        self.free = self.total
        self._units = [ask.workers for ask in asks]
        self._held = [(Held(0, ask.workers),) for ask in asks]

    def holds_when_empty(self, ask: int) -> bool:
        return self._units[ask] <= self.total

    def fits(self, ask: int) -> bool:
        return self._units[ask] <= self.free

    def fitting(self, asks: Sequence[int]) -> list[int]:
        free, units = self.free, self._units
        return [idx for idx, ask in enumerate(asks) if units[ask] <= free]

    def workers_fit(self, ask: int) -> int:
        return min(self._units[ask], self.free)

    def place(self, ask: int, job: int, workers: int, first: int) -> tuple[Held, ...]:
        self.free -= workers
        assert self.free >= 0, "more is held than there is"
        return self._held[ask] if workers == self._units[ask] else (Held(0, workers),)

    def place_on(self, ask: int, spots: Spots) -> tuple[Held, ...]:
        return self.place(ask, 0, sum(workers for _, workers in spots), 0)

    def holds_on(self, ask: int, spots: Spots) -> bool:
        return sum(workers for _, workers in spots) <= self.free

    def nodes_by_score(self, ask: int) -> list[int]:
        return [0] if self.free else []

    def profile(self, now_s: int) -> PoolProfile:
        return PoolProfile(self.total, self._units, now_s)

    def release(self, ask: int, parts: Iterable[Held]) -> None:
        for part in parts:
            self.free += part.workers
        assert self.free <= self.total, "more was given back than was held"

    def reserve(self, ask: int, now_s: int, releases: Iterable[tuple[int, int, tuple[Held, ...]]]) -> PoolReservation | None:
        need, free, reached_s, soonest_s = self._units[ask], self.free, now_s, now_s + 1
        for time_s, _, parts in releases:
            at_s = time_s if time_s > soonest_s else soonest_s
            if at_s > reached_s:
                if free >= need:
                    break
                reached_s = at_s
            free += parts[0].workers if len(parts) == 1 else sum(part.workers for part in parts)
        return PoolReservation(reached_s, free - need) if free >= need else None

    def check_empty(self) -> None:
        assert self.free == self.total, f"{self.total - self.free} units are still held"


@dataclass(slots=True)
class PoolReservation:
    """surplus: units free at the reservation beyond what the head takes."""

    time_s: int
    surplus: int

    def passes_by(self, ask: int, parts: tuple[Held, ...]) -> None:
        return None

    def spares(self, ask: int, parts: tuple[Held, ...]) -> bool:
        asked = parts[0].workers if len(parts) == 1 else sum(part.workers for part in parts)
        if asked > self.surplus:
            return False
        self.surplus -= asked
        return True
