"""Every least way to serve all services in one slot beside the jobs: replicas per node, what they borrow and what they add."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from schedplan.measures.latency import least_replicas
from schedplan.model.problem import Problem
from schedplan.model.workload import Service
from tests.oracle.arithmetic import Arithmetic
from tests.oracle.devices import Devices, fits_beside, unit
from tests.oracle.missed import may_miss
from tests.oracle.quotas import QuotaBook
from tests.oracle.rooms import Occupancy, Rooms
from tests.oracle.services import ServiceRules
from tests.oracle.standing import is_away, is_closed, stands_as_pinned

FULL_DEMAND = 10**9


@dataclass(frozen=True, slots=True)
class SlotService:
    """One way to serve all services in a slot: replicas per (service, node), the nodes that carry any, what all work then holds,
    what it borrows beyond quotas, currency, and what the replicas by themselves add to the objective."""

    replicas: tuple[tuple[str, int, int], ...]
    nodes: frozenset[int]
    held: Occupancy = ()
    borrow_cost: float = 0.0
    own: float = 0.0


class Serving:
    """The services of one problem; answers are kept, for the same slot is asked about again and again."""

    def __init__(self, problem: Problem, facts: Arithmetic, rooms: Rooms) -> None:
        self.problem, self.grid, self.facts, self.rooms = problem, problem.grid, facts, rooms
        self.book = QuotaBook(problem, facts.run_minutes) if problem.quotas else None
        self.service_nodes = {service.name: self._service_nodes(service) for service in problem.services}
        self.rules = ServiceRules(problem, facts.pools, facts.names, self._part_of_demand, FULL_DEMAND)
        self.servings: dict[tuple[int, Occupancy, tuple[Devices, ...] | None], tuple[SlotService, ...]] = {}

    def _service_nodes(self, service: Service) -> tuple[int, ...]:
        allowed = (
            n for n in self.rooms.nodes if self.facts.pools[n].market in service.markets and self.rooms.takes(n, service.shape)
        )
        return tuple(n for n in allowed if not is_closed(self.problem, service, self.facts.pools[n]))

    def ways(self, slot: int, held: Occupancy, standing: tuple[Devices, ...] | None = None) -> tuple[SlotService, ...]:
        """Return every least way to serve all services beside the jobs; none where there is no way."""
        key = (slot, held, standing)
        if key not in self.servings:
            ways = [one for one in self._serve_from(0, slot, held) if self._stand_beside(one, slot, standing)]
            found = self._within_quotas(slot, ways)
            if self.rules.couples_slots:
                self.servings[key] = tuple(found)
                return self.servings[key]
            least = [one for one in found if not any(_serves_better(other, one) for other in found)]
            least.reverse()
            first_of = {(one.nodes, one.borrow_cost, one.own): one for one in least}
            self.servings[key] = tuple(first_of.values())
        return self.servings[key]

    def _within_quotas(self, slot: int, found: list[SlotService]) -> list[SlotService]:
        """Return the ways that quotas allow, each with what it borrows."""
        if self.book is None:
            return found
        kept = []
        for one in found:
            held = self.rooms.held_by_tenants(one.held)
            if self.book.allows(held, slot):
                kept.append(replace(one, borrow_cost=self.book.price_per_h(held) * float(self.grid.hours[slot])))
        return kept

    def _serve_from(self, idx: int, slot: int, held: Occupancy) -> Iterator[SlotService]:
        if idx == len(self.problem.services):
            yield SlotService((), frozenset(), held)
            return
        service = self.problem.services[idx]
        for replicas in self._replica_choices(service, slot, held):
            ask = self.rooms.use(service.shape, service.tenant)
            filled = list(held)
            for node, count in replicas:
                filled[node] = tuple(round(have + count * use, 9) for have, use in zip(filled[node], ask, strict=True))
            for rest in self._serve_from(idx + 1, slot, tuple(filled)):
                mine = tuple((service.name, node, count) for node, count in replicas)
                own = rest.own + sum(count * self.facts.replica_value(service, node, slot) for node, count in replicas)
                own += self.facts.move_value(service, slot, dict(replicas))
                own += self.facts.missed_value(service, slot, dict(replicas))
                carrying = frozenset(node for node, _ in replicas) | rest.nodes
                yield SlotService(mine + rest.replicas, carrying, rest.held, own=own)

    def _replica_choices(self, service: Service, slot: int, held: Occupancy) -> Iterator[tuple[tuple[int, int], ...]]:
        nodes = self.service_nodes[service.name]
        part = {node: self._part_of_demand(service, node, slot) for node in nodes}
        takes_none = [part[node] is None or is_away(self.problem, node, slot) for node in nodes]
        most = [
            0 if closed else self.rooms.most_workers(node, service.shape, held[node])
            for node, closed in zip(nodes, takes_none, strict=True)
        ]
        ceiling = sum(most) if service.max_replicas is None else service.max_replicas
        for counts in product(*(range(min(count, ceiling) + 1) for count in most)):
            served = sum(count * (part[node] or 0) for node, count in zip(nodes, counts, strict=True))
            is_enough = served >= FULL_DEMAND or self.rate(service, slot) == 0 or may_miss(self.problem)
            if service.min_replicas <= sum(counts) <= ceiling and is_enough:
                stands = {node: count for node, count in zip(nodes, counts, strict=True) if count}
                is_right = self.rules.stands_apart(service, stands) and self.rules.serves(service, slot, stands)
                if is_right and stands_as_pinned(self.problem, service, slot, stands):
                    yield tuple(stands.items())

    def _part_of_demand(self, service: Service, node: int, slot: int) -> int | None:
        """Billionths of the slot's demand that one replica on a node takes, None where none meets the target there."""
        accelerator = self.facts.pools[node].accelerator
        speeds = {(row.accelerator, row.kind): row.speed for row in self.problem.cluster.speeds}
        speed = speeds.get((accelerator or "", service.name)) or speeds.get((accelerator or "", "service")) or 1.0
        least = least_replicas(service, service.service_ms / speed, self.rate(service, slot), self.problem.limits.max_utilization)
        if least is None:
            return None
        return FULL_DEMAND if least == 0 else -(-FULL_DEMAND // least)

    def rate(self, service: Service, slot: int) -> float:
        return float(self.problem.demand_of[service.name].peak_rps[slot])

    def _stand_beside(self, one: SlotService, slot: int, standing: tuple[Devices, ...] | None) -> bool:
        """Whether the replicas of a slot stand on the devices that jobs leave."""
        if standing is None:
            return True
        for node in one.nodes:
            pool = self.facts.pools[node]
            shapes = [(self.problem.service_by_name[name].shape, count) for name, where, count in one.replicas if where == node]
            units = [taken for shape, count in shapes for taken in [unit(pool, shape, slot, slot + 1)] * count if taken is not None]
            if not fits_beside(pool, standing[node], tuple(units)):
                return False
        return True


def _serves_better(one: SlotService, other: SlotService) -> bool:
    """Whether a way needs no node that another does not and is no dearer in anything, and better in something."""
    is_no_worse = one.nodes <= other.nodes and one.borrow_cost <= other.borrow_cost and one.own <= other.own
    return is_no_worse and (one.nodes < other.nodes or one.borrow_cost < other.borrow_cost or one.own < other.own)
