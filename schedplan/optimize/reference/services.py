"""The services of the reference plan: slot by slot the least replicas, the cheapest pool first, within the rules of services.

Replicas that warm up are asked for ahead, and stay where they stand: the last to come is the first to go. What finds no room is
left out; whether the outcome is feasible is for the check to say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.coverage import FORGIVEN_PER_REPLICA
from schedplan.measures.domains import domain_of_node
from schedplan.measures.eligibility import pools_for_service
from schedplan.measures.missed import is_priced
from schedplan.measures.pins import pinned_slots
from schedplan.measures.warm_up import lag_minutes, serves_since
from schedplan.measures.work import node_share
from schedplan.model.cluster import Pool
from schedplan.model.pin import Pin
from schedplan.model.plan import ReplicaPart
from schedplan.model.problem import Problem, Reserve
from schedplan.model.workload import Service
from schedplan.optimize.requirement import least_replicas_by_slot
from schedplan.packing.assignment import FleetSlot, merged
from schedplan.packing.board import Board, Hold
from schedplan.packing.fleet import NO_TERMS, FleetTerms, give_back_replicas, node_terms, replica_room, take_replicas

NodeIdx = NDArray[np.intp]


def reference_replicas(
    problem: Problem, board: Board, lead: tuple[FleetSlot, ...] = (), *, as_before: bool = False
) -> tuple[ReplicaPart, ...]:
    """Take room for the replicas of all services on a board, one service after the other, and return them.

    Those of `lead` come first in their slots, as far as there is room for them within the rules; what is missing then is added.
    as_before: what the earlier plan of the problem had of them stands first.
    """
    found: list[ReplicaPart] = []
    fillings = []
    for service in problem.services:
        own = tuple(fleet for fleet in lead if fleet.service == service.name)
        fillings.append(_Filling(problem, board, service, own, as_before=as_before))
    if is_priced(problem):
        for filling in fillings:  # what must stand in any case comes before demand that may be missed
            filling.most = filling.service.min_replicas
            filling.run([0] * problem.grid.n_slots)
    for filling in fillings:
        service = filling.service
        filling.undo()
        filling.most = service.max_replicas if is_priced(problem) else None
        totals = filling.run([0] * problem.grid.n_slots)
        if service.min_hold_minutes > 0:
            filling.undo()
            profile = held_profile(problem, totals, service.min_hold_minutes)
            if filling.run(profile) != profile and is_priced(problem):
                filling.undo()
                filling.most = min(totals)
                filling.run([filling.most] * problem.grid.n_slots)
        found.extend(filling.parts())
    return merged(found)


def held_profile(problem: Problem, totals: list[int], hold_minutes: float) -> list[int]:
    """Return the smallest numbers per slot, by their sum over time, that are at least `totals` and change no more often than every
    `hold_minutes`; the first and the last stretch may be shorter."""
    grid, n_slots = problem.grid, problem.grid.n_slots
    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, n_slots + 1):
        choices = []
        for begin in range(end):
            minutes = (grid.edges_s[end] - grid.edges_s[begin]) / 60
            if begin == 0 or end == n_slots or minutes >= hold_minutes - 1e-6:
                hours = (grid.edges_s[end] - grid.edges_s[begin]) / 3600
                choices.append((best[begin][0] + max(totals[begin:end]) * hours, begin))
        best.append(min(choices))
    found, end = list(totals), n_slots
    while end > 0:
        begin = best[end][1]
        found[begin:end] = [max(totals[begin:end])] * (end - begin)
        end = begin
    return found


class _Filling:
    """The replicas of one service over all slots: mutable, with what it takes of the board."""

    def __init__(
        self, problem: Problem, board: Board, service: Service, lead: tuple[FleetSlot, ...], *, as_before: bool = False
    ) -> None:
        self.as_before = as_before
        self.problem, self.board, self.service = problem, board, service
        self.pools = pools_for_service(problem.cluster, service)
        self.least = {pool.name: _asked_ahead(problem, service, pool) for pool in self.pools}
        self.reserve = problem.limits.reserve
        self.may_miss = is_priced(problem)
        self.most: int | None = None
        self.spread = service.spread
        self.pins = tuple(pin for pin in problem.pins if pin.is_service and pin.work == service.name)
        lag = max((lag_minutes(service, pool) for pool in self.pools), default=0.0)
        self.keeps = lag > 0
        since = serves_since(problem.grid, lag)
        self.asked_until = [
            max(later for later in range(slot, len(since)) if since[later] <= slot) + 1 for slot in range(len(since))
        ]
        self.passing: list[list[Hold]] = []
        self.lead: dict[int, list[FleetSlot]] = defaultdict(list)
        for fleet in sorted(lead, key=lambda fleet: (fleet.slot, fleet.nodes)):
            self.lead[fleet.slot].append(fleet)
        self.holds: list[list[Hold]] = []

    def run(self, floor: list[int]) -> list[int]:
        """Fill every slot with at least so many replicas; return how many stand."""
        self.holds, self.passing = [], []
        for slot in range(self.problem.grid.n_slots):
            self.holds.append([])
            self.passing.append([])
            if self.keeps and slot:
                self._keep(slot, self.holds[slot - 1], floor[slot])
            self._fill(slot, floor[slot])
        return [sum(hold.workers for hold in holds) for holds in self.holds]

    def undo(self) -> None:
        """Give back all that was taken."""
        for hold in (hold for holds in self.holds for hold in holds):
            give_back_replicas(self.board, self.service, hold)
        self.holds = []

    def parts(self) -> Iterator[ReplicaPart]:
        """Give what stands."""
        for slot, holds in enumerate(self.holds):
            for hold in holds:
                yield ReplicaPart(self.service.name, slot, self.board.cluster.nodes[hold.node_idx], hold.workers)

    def _fill(self, slot: int, floor: int) -> None:
        """Fill the cheapest pool first, then mend what spread and reserve ask for, one replica at a time."""
        least_total = max(floor, self.service.min_replicas)
        if self.as_before:
            self._stood_before(slot)
        self._pinned(slot)
        self._follow(slot)
        self._apart(slot)
        for pool in self._by_price(slot):
            most = self.least[pool.name][slot]
            if most is None:
                continue
            open_share, missing = 1.0 - self._covered(slot), least_total - self._total(slot)
            if open_share <= FORGIVEN_PER_REPLICA and missing <= 0:
                break
            self._take(slot, self._nodes(pool), max(int(np.ceil(open_share * most - 1e-9)), missing))
        while (lost := self._uncovered_loss(slot)) is not None and self._take_one(slot, self._outside(slot, lost)):
            pass
        if self.may_miss and least_total == 0 and self._stands_too_close(slot):
            self._clear(slot)

    def _clear(self, slot: int) -> None:
        """Give back all of a slot: too few domains are worse than a demand that is missed."""
        for hold in self.holds[slot]:
            give_back_replicas(self.board, self.service, hold)
        self.holds[slot], self.passing[slot] = [], []

    def _stood_before(self, slot: int) -> None:
        """Take what the earlier plan had in the slot, on nodes that still take it."""
        names = {pool.name for pool in self.pools if self.least[pool.name][slot] is not None}
        standing = {hold.node_idx: 0 for hold in self.holds[slot]}
        for hold in self.holds[slot]:
            standing[hold.node_idx] += hold.workers
        for node, replicas in sorted((self.problem.stood_before(self.service.name, slot) or {}).items()):
            idx = self.board.cluster.node_idx.get(node)
            if idx is not None and self.board.pools[idx].name in names:
                self._take(slot, np.array([idx], dtype=np.intp), replicas - standing.get(idx, 0))

    def _pinned(self, slot: int) -> None:
        """Take what pins ask for."""
        for pin in self.pins:
            if slot in pinned_slots(self.problem, pin):
                for pool in self._by_price(slot):
                    nodes = np.array([node for node in self._nodes(pool) if self._is_at(pin, node)], dtype=np.intp)
                    self._take(slot, nodes, pin.replicas - self._standing_at(pin, slot))

    def _standing_at(self, pin: Pin, slot: int) -> int:
        return sum(hold.workers for hold in self.holds[slot] if self._is_at(pin, hold.node_idx))

    def _is_at(self, pin: Pin, node: int) -> bool:
        return pin.node in (self.board.cluster.nodes[node], self.board.pools[node].name)

    def _follow(self, slot: int) -> None:
        """Take what the lead has on its nodes, as far as they have room."""
        mix: dict[str | None, int] = defaultdict(int)
        for fleet in self.lead[slot]:
            mix[self.problem.cluster.pool_of_node[fleet.nodes[0]].accelerator] += fleet.replicas
        for fleet in self.lead[slot]:
            nodes = np.array([self.problem.cluster.node_idx[name] for name in fleet.nodes], dtype=np.intp)
            standing = sum(hold.workers for hold in self.holds[slot] if hold.node_idx in nodes)
            self._take(slot, nodes, fleet.replicas - standing, node_terms(self.problem, self.service, slot, mix))

    def _apart(self, slot: int) -> None:
        """Take one replica in each of so many domains, the cheapest first, where any replica is wanted in the slot."""
        if self.spread is None:
            return
        kind, least = self.spread
        is_wanted = self.service.min_replicas > 0 or any(by_slot[slot] for by_slot in self.least.values())
        while is_wanted and len(self._domains(slot, kind) - {None}) < least:
            if not self._take_one(slot, self._in_a_new_domain(slot, kind)):
                return

    def _keep(self, slot: int, before: list[Hold], floor: int) -> None:
        """Let stand what stood in the slot before; what the slot does not need leaves, the last to come first."""
        for hold in before:
            node = np.array([hold.node_idx], dtype=np.intp)
            left = hold.workers - self._take(slot, node, hold.workers)
            if left and self._take_until(slot, node, left, NO_TERMS):
                self.passing[slot].append(self.holds[slot][-1])
        while self.holds[slot]:
            last = self.holds[slot].pop()
            give_back_replicas(self.board, self.service, last)
            if self._is_enough(slot, floor):
                continue
            for _ in range(last.workers):
                self._take(slot, np.array([last.node_idx], dtype=np.intp), 1)
                if self._is_enough(slot, floor):
                    break
            return

    def _is_enough(self, slot: int, floor: int) -> bool:
        if self._total(slot) < max(floor, self.service.min_replicas):
            return False
        pinned = (pin for pin in self.pins if slot in pinned_slots(self.problem, pin))
        if any(self._standing_at(pin, slot) < pin.replicas for pin in pinned):
            return False
        if self._covered(slot) < 1.0 - FORGIVEN_PER_REPLICA or self._uncovered_loss(slot) is not None:
            return False
        return not self._stands_too_close(slot)

    def _stands_too_close(self, slot: int) -> bool:
        if self.spread is None or not self.holds[slot]:
            return False
        return len(self._domains(slot, self.spread[0]) - {None}) < self.spread[1]

    def _take_one(self, slot: int, is_open: Callable[[int], bool]) -> bool:
        """Take one replica on the cheapest pool with a node that is open; whether there was one."""
        for pool in self._by_price(slot):
            nodes = np.array([node for node in self._nodes(pool) if is_open(int(node))], dtype=np.intp)
            if self.least[pool.name][slot] is not None and self._take(slot, nodes, 1):
                return True
        return False

    def _take(self, slot: int, nodes: NodeIdx, wanted: int, terms: FleetTerms = NO_TERMS) -> int:
        """Take room for up to `wanted` replicas on nodes of one pool, where they can stay first; return how many."""
        if not len(nodes):
            return 0
        if self.most is not None:
            wanted = min(wanted, self.most - self._total(slot))
        taken = 0
        for until in (self.problem.grid.n_slots, self.asked_until[slot]) if self.keeps else (None,):
            taken += self._take_until(slot, nodes, wanted - taken, replace(terms, until=until, beside=self._beside(slot)))
        return taken

    def _beside(self, slot: int) -> dict[int, int]:
        found: dict[int, int] = defaultdict(int)
        for hold in self.holds[slot] if self.keeps else ():
            found[hold.node_idx] += hold.workers
        return found

    def _take_until(self, slot: int, nodes: NodeIdx, wanted: int, terms: FleetTerms) -> int:
        accelerator = self.board.pools[int(nodes[0])].accelerator
        room = replica_room(self.board, nodes, self.service, slot, terms)
        count = max(min(wanted, int(room.clip(max=max(wanted, 0)).sum())), 0)
        while count and self.board.allowance.refusal(self.service, accelerator, count, slice(slot, slot + 1)) is not None:
            count -= 1
        self.holds[slot].extend(take_replicas(self.board, nodes, self.service, count, slot, terms) or ())
        return count

    # what stands

    def _total(self, slot: int) -> int:
        return sum(hold.workers for hold in self.holds[slot])

    def _covered(self, slot: int, lost: str | None = None) -> float:
        """Return the share of what is asked of a slot that its replicas take, without those of a domain that is lost.

        What can't stay for as long as it is asked for does not count: something else will need its room.
        """
        if not any(by_slot[slot] for by_slot in self.least.values()):
            return 1.0
        needs = (
            (hold.workers, self.least[self.board.pools[hold.node_idx].name][slot])
            for hold in self.holds[slot]
            if hold not in self.passing[slot] and (lost is None or self._domain(self.reserve.value, hold.node_idx) != lost)
        )
        return sum(count / least for count, least in needs if least)

    def _uncovered_loss(self, slot: int) -> str | None:
        """Return the domain whose loss leaves least, where that is not enough; None where every loss is provided for."""
        if self.reserve is Reserve.NONE:
            return None
        domains = sorted(domain for domain in self._domains(slot, self.reserve.value) if domain is not None)
        left = [(self._covered(slot, domain), domain) for domain in domains]
        covered, domain = min(left, default=(1.0, ""))
        return domain if covered < 1.0 - FORGIVEN_PER_REPLICA * max(self._total(slot), 1) else None

    def _outside(self, slot: int, lost: str) -> Callable[[int], bool]:
        return lambda node: self._domain(self.reserve.value, node) != lost

    def _in_a_new_domain(self, slot: int, kind: str) -> Callable[[int], bool]:
        taken = self._domains(slot, kind) | {None}
        return lambda node: self._domain(kind, node) not in taken

    def _domains(self, slot: int, kind: str) -> set[str | None]:
        return {self._domain(kind, hold.node_idx) for hold in self.holds[slot]}

    def _domain(self, kind: str, node: int) -> str | None:
        return domain_of_node(kind, self.board.pools[node], self.board.cluster.nodes[node])

    # what there is

    def _nodes(self, pool: Pool) -> NodeIdx:
        return np.array([self.problem.cluster.node_idx[name] for name in pool.node_names()[: pool.nodes]], dtype=np.intp)

    def _by_price(self, slot: int) -> list[Pool]:
        return sorted(self.pools, key=lambda pool: (self._price(pool, slot), pool.name))

    def _price(self, pool: Pool, slot: int) -> float:
        least = self.least[pool.name][slot]
        if least is None:
            return float("inf")
        price = float(self.problem.price_per_h(pool)[slot])
        return 0.0 if pool.market.is_sunk else max(least, 1) * node_share(pool, self.service.shape) * price


def _asked_ahead(problem: Problem, service: Service, pool: Pool) -> tuple[int | None, ...]:
    """Return the least replicas per slot on a pool, with those that must stand in it already to serve in a later one."""
    least = least_replicas_by_slot(problem, service, pool.accelerator)
    since = serves_since(problem.grid, lag_minutes(service, pool))
    found = []
    for slot, needed in enumerate(least):
        later = [least[other] for other in range(slot, problem.grid.n_slots) if since[other] <= slot]
        known = [count for count in later if count is not None]
        found.append(None if needed is None else max(known))
    return tuple(found)
