"""Rules of services beyond a slot's demand: spread, reserve, time between changes, warm-up. Written anew from their words.

Replicas on a node form a pile: new ones come on top, and those on top leave first. Each remembers the slot in which it came;
it serves once its lag has passed since then, and what stood there in the first slot serves from the start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from schedplan.model.cluster import Pool
from schedplan.model.plan import Decisions
from schedplan.model.problem import Problem, Reserve
from schedplan.model.workload import Service
from tests.oracle.missed import may_miss

WARM = -1

Part = Callable[[Service, int, int], int | None]


@dataclass(frozen=True, slots=True)
class Memory:
    """What of the past matters for one service: the slots in which its replicas came, per node from the bottom of the pile; how
    many stand; the slot of the last change of that number."""

    piles: tuple[tuple[int, tuple[int, ...]], ...] = ()
    total: int = 0
    changed: int | None = None


def serving_counts(problem: Problem, service: Service, pools: tuple[Pool, ...], decisions: Decisions) -> list[dict[int, int]]:
    """Return the replicas of a service that serve, per slot and node, slot by slot from what stands."""
    rules = ServiceRules(problem, pools, problem.cluster.nodes, lambda _, __, ___: None, 0)
    memory, found = Memory(), []
    for slot in range(problem.grid.n_slots):
        counts = {
            problem.cluster.node_idx[part.node]: part.replicas
            for part in decisions.replicas
            if (part.service, part.slot) == (service.name, slot)
        }
        after = rules.piled(service, memory, slot, counts)
        found.append(rules.ready(service, after, slot, counts))
        memory = after
    return found


class ServiceRules:
    """Looks at the services of one problem; nodes by their number in `pools`."""

    def __init__(self, problem: Problem, pools: tuple[Pool, ...], names: tuple[str, ...], part: Part, full: int) -> None:
        self.problem, self.pools, self.names, self.part, self.full = problem, pools, names, part, full
        self.starts_s = problem.grid.edges_s
        self.reserve = problem.limits.reserve

    @property
    def couples_slots(self) -> bool:
        return any(
            service.min_hold_minutes > 0 or any(self._lag_s(service, node) > 0 for node in range(len(self.pools)))
            for service in self.problem.services
        )

    def stands_apart(self, service: Service, counts: Mapping[int, int]) -> bool:
        """Whether the replicas stand in as many domains as asked."""
        if service.spread is None or not counts:
            return True
        kind, least = service.spread
        return len({self._domain(kind, node) for node in counts} - {None}) >= least

    def serves(self, service: Service, slot: int, counts: Mapping[int, int]) -> bool:
        """Whether replicas that serve meet the demand, all of them and without any one domain; any do where some may be missed."""
        if may_miss(self.problem):
            return True
        if self.problem.demand_of[service.name].peak_rps[slot] == 0:
            return True
        losses = [None]
        if self.reserve is not Reserve.NONE:
            losses += [{node} for node in counts] if self.reserve is Reserve.NODE else self._domains(counts)
        return all(
            sum(count * (self.part(service, node, slot) or 0) for node, count in counts.items() if lost is None or node not in lost)
            >= self.full
            for lost in losses
        )

    def begin(self) -> tuple[Memory, ...]:
        return tuple(Memory() for _ in self.problem.services)

    def next(
        self, memories: tuple[Memory, ...], slot: int, replicas: tuple[tuple[str, int, int], ...]
    ) -> tuple[Memory, ...] | None:
        """Return what is remembered after a slot with such replicas (service, node, count), None where a rule forbids them."""
        found = []
        for service, memory in zip(self.problem.services, memories, strict=True):
            counts = {node: count for name, node, count in replicas if name == service.name}
            after = self._next(service, memory, slot, counts)
            if after is None:
                return None
            found.append(after)
        return tuple(found)

    def _next(self, service: Service, memory: Memory, slot: int, counts: dict[int, int]) -> Memory | None:
        total, changed = sum(counts.values()), memory.changed
        if slot and total != memory.total:
            if changed is not None and self.starts_s[slot] - self.starts_s[changed] < service.min_hold_minutes * 60 - 1e-6:
                return None
            changed = slot
        piles = self._piles(memory, slot, counts)
        if not self.serves(service, slot, self._ready(service, piles, slot)):
            return None
        kept = self.piled(service, memory, slot, counts).piles
        return Memory(kept, total, changed) if service.min_hold_minutes > 0 else Memory(kept)

    def piled(self, service: Service, memory: Memory, slot: int, counts: Mapping[int, int]) -> Memory:
        """Return what is remembered of the piles of a slot."""
        return Memory(
            tuple(
                (node, tuple(WARM if self._is_ready(service, node, came, slot) else came for came in pile))
                for node, pile in sorted(self._piles(memory, slot, counts).items())
                if self._lag_s(service, node) > 0
            )
        )

    def _piles(self, memory: Memory, slot: int, counts: Mapping[int, int]) -> dict[int, tuple[int, ...]]:
        piles = {}
        for node, count in counts.items():
            pile = dict(memory.piles).get(node, ())[:count]
            piles[node] = pile + (slot if slot else WARM,) * (count - len(pile))
        return piles

    def ready(self, service: Service, memory: Memory, slot: int, counts: Mapping[int, int]) -> dict[int, int]:
        """Return those of the replicas of a slot (per node) that serve in it, by what is remembered after it."""
        piles = dict(memory.piles)
        return self._ready(service, {node: piles.get(node, (WARM,) * count) for node, count in counts.items()}, slot)

    def _ready(self, service: Service, piles: Mapping[int, tuple[int, ...]], slot: int) -> dict[int, int]:
        ready = {node: sum(self._is_ready(service, node, came, slot) for came in pile) for node, pile in piles.items()}
        return {node: count for node, count in ready.items() if count}

    def _is_ready(self, service: Service, node: int, came: int, slot: int) -> bool:
        return came == WARM or self.starts_s[slot] - self.starts_s[came] >= self._lag_s(service, node) - 1e-3

    def _lag_s(self, service: Service, node: int) -> float:
        holds_model = bool(service.affinity) and service.affinity in self.pools[node].caches
        return 60 * (service.startup_minutes + (0 if holds_model else service.load_minutes))

    def _domains(self, counts: Mapping[int, int]) -> list[set[int]]:
        names = {self._domain(self.reserve.value, node) for node in counts} - {None}
        return [{node for node in counts if self._domain(self.reserve.value, node) == name} for name in sorted(names)]

    def _domain(self, kind: str, node: int) -> str | None:
        return self.names[node] if kind == "node" else getattr(self.pools[node], kind)
