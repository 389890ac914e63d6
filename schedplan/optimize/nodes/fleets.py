"""Fleets: the replicas of all services of one slot anew, exactly, in the room that jobs leave, on nodes that are on or switched on.

Sets: services s, cells p of identical nodes; r[s,p] least replicas that meet the target alone; q = ceil(10^9 / r); room[p,g] of the
nodes g of a cell that are paid for, by what is free there; e[p] further nodes.
Formula: min Σ price e + Σ emission k with Σ q k >= 10^9, min_s <= Σ k <= max_s, Σ_s demand k <= room of all that is on.
Where the services on a cell take unlike amounts, every node is a group of its own, so that sums are exact. Services with a lag or
a rule of their own stay where they are (`freedom`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from ortools.sat.python import cp_model

from schedplan.measures.eligibility import workers_per_node
from schedplan.measures.missed import BILLION
from schedplan.model.workload import Service
from schedplan.optimize.layout import Layout
from schedplan.optimize.nodes.floor import Floor, Nodes
from schedplan.optimize.requirement import least_replicas_by_slot
from schedplan.optimize.solvers.cp_sat import stoppable
from schedplan.units import objective_scale

WORK_LIMIT = 0.2
SPARE = 1e-7
"""Of the price of a node: what a replica costs beyond its emissions, so that none stands for nothing."""


@dataclass(frozen=True)
class Demands:
    """What every service that may be refitted needs: share[service][accelerator][slot], None where its devices are too slow."""

    layout: Layout
    services: tuple[tuple[int, Service], ...]

    @classmethod
    def of(cls, layout: Layout, floor: Floor) -> Demands:
        known = [(idx, service) for idx, service in enumerate(layout.problem.services) if service.name in floor.fleets]
        return cls(layout, tuple(known))

    @cached_property
    def share(self) -> dict[str, dict[str | None, tuple[int | None, ...]]]:
        """Billionths of the demand that one replica takes."""
        problem = self.layout.problem
        return {
            service.name: {
                accelerator: tuple(
                    None if least is None else -(-BILLION // max(least, 1)) if least else BILLION
                    for least in least_replicas_by_slot(problem, service, accelerator)
                )
                for accelerator in sorted({pool.accelerator for pool in problem.cluster.pools}, key=str)
            }
            for _, service in self.services
        }

    def asked(self, service: Service, slot: int) -> int:
        """Return the billionths to be served in a slot: all, or nothing where no replica is needed."""
        demand = self.layout.problem.demand_of.get(service.name)
        return BILLION if demand is not None and demand.peak_rps[slot] > 0 else 0

    def short(self, floor: Floor, slot: int) -> dict[int, int]:
        """Return how many replicas services lack in a slot on a floor, at what those serve that they have least of; by number."""
        found = {}
        for idx, service in self.services:
            share = self.share[service.name]
            here = [(node, count) for (node, at), count in floor.fleets[service.name].items() if at == slot]
            served = sum(count * (share[floor.pools[node].accelerator][slot] or 0) for node, count in here)
            least = min((by_slot[slot] or BILLION for by_slot in share.values()), default=BILLION)
            missing = max(-(-(self.asked(service, slot) - served) // least), service.min_replicas - sum(count for _, count in here))
            if missing > 0:
                found[idx] = missing
        return found

    def nodes(self, service_idx: int) -> Nodes:
        """Return the nodes on which a service may stand."""
        idx = self.layout.problem.cluster.node_idx
        cells = self.layout.service_cells[service_idx]
        return np.array(sorted(idx[name] for cell in cells for name in self.layout.cells[cell].nodes), dtype=np.intp)


def refit(floor: Floor, demands: Demands, slots: range | None = None) -> bool:
    """Choose all replicas anew, slot by slot, in all slots or in some; whether every slot has some that serve.

    A slot without an answer stays as it was.
    """
    return not unserved(floor, demands, slots or range(floor.problem.grid.n_slots))


def unserved(floor: Floor, demands: Demands, slots: Iterable[int]) -> tuple[int, ...]:
    """Choose all replicas of some slots anew; return the slots in which none would serve, which stay as they were."""
    return tuple(slot for slot in slots if not _Slot(floor, demands, slot).refit()) if demands.services else ()


@dataclass(frozen=True, slots=True)
class _Group:
    """Nodes of one pool: those that are on count as one, with their room in all, where all replicas take the same there."""

    nodes: tuple[int, ...]
    room: int
    is_off: bool


class _Slot:
    """One slot: what all its steps share. It lives for one call."""

    def __init__(self, floor: Floor, demands: Demands, slot: int) -> None:
        self.floor, self.demands, self.slot = floor, demands, slot
        self.span = slice(slot, slot + 1)
        self.model = cp_model.CpModel()
        self.services = {service.name: service for _, service in demands.services}
        self.may_stand = {service.name: set(demands.nodes(idx).tolist()) for idx, service in demands.services}
        self.stood = self._lifted()
        self.counts: dict[tuple[str, int], cp_model.IntVar] = {}
        self.groups: list[_Group] = []
        self.switched: dict[int, cp_model.IntVar] = {}

    def refit(self) -> bool:
        self._add_groups()
        self._add_demand()
        self._minimise()
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.max_deterministic_time = WORK_LIMIT
        if stoppable(solver, self.model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            self._stand(self.stood)
            return False
        self._stand(self._chosen(solver))
        return True

    def _lifted(self) -> dict[tuple[str, int], int]:
        """Take all replicas of the slot off; return what stood, by service and node."""
        stood = {
            (name, node): count
            for name in self.services
            for (node, slot), count in self.floor.fleets[name].items()
            if slot == self.slot
        }
        for (name, node), count in stood.items():
            self.floor.stand(self.services[name], node, self.slot, -count)
        return stood

    def _stand(self, counts: dict[tuple[str, int], int]) -> None:
        for (name, node), count in counts.items():
            self.floor.stand(self.services[name], node, self.slot, count)

    def _add_groups(self) -> None:
        by_pool: dict[int, list[int]] = defaultdict(list)
        for node in sorted(set().union(*self.may_stand.values())):
            if self.floor.is_open[node, self.slot] and self.floor.is_plain[node]:
                by_pool[int(self.floor.pool_idx[node])].append(node)
        for nodes in by_pool.values():
            kinds: dict[tuple[str, ...], list[int]] = defaultdict(list)
            for node in nodes:
                kinds[tuple(name for name, where in self.may_stand.items() if node in where)].append(node)
            for names, alike in kinds.items():
                self._add_pool(names, alike)

    def _add_pool(self, names: tuple[str, ...], nodes: list[int]) -> None:
        floor = self.floor
        on = [node for node in nodes if floor.is_sunk[node] or floor.paid[node, self.slot]]
        off = [node for node in nodes if not floor.is_sunk[node] and not floor.paid[node, self.slot] and self._may_switch(node)]
        alike = len({floor.demands(nodes[0], self.services[name].shape) for name in names}) == 1
        is_one = alike and all(self.services[name].shape.max_per_node is None for name in names)
        for group in self._split(on, names, is_off=False, is_one=is_one) + self._split(off, names, is_off=True, is_one=is_one):
            self._add_group(group, names)

    def _may_switch(self, node: int) -> bool:
        return self.floor.pools[node].startup_minutes <= 0

    def _split(self, nodes: list[int], names: tuple[str, ...], *, is_off: bool, is_one: bool) -> list[_Group]:
        if not nodes:
            return []
        array = np.array(nodes, dtype=np.intp)
        room = self.floor.room(array, self.services[names[0]].shape, self.span) if is_one else np.ones(len(nodes), dtype=np.int64)
        if not is_one:
            return [_Group((node,), 0, is_off) for node in nodes]
        if not is_off:
            return [_Group(tuple(nodes), int(room.sum()), is_off=False)] if room.any() else []
        return [_Group(tuple(array[room == size].tolist()), int(size), is_off=True) for size in np.unique(room[room > 0])]

    def _add_group(self, group: _Group, names: tuple[str, ...]) -> None:
        number, floor = len(self.groups), self.floor
        self.groups.append(group)
        first = group.nodes[0]
        if group.is_off:
            self.switched[number] = self.model.new_int_var(0, len(group.nodes), "")
        mine = []
        for name in names:
            service = self.services[name]
            share = self.demands.share[name][floor.pools[first].accelerator][self.slot]
            most = workers_per_node(floor.pools[first], service.shape) * len(group.nodes)
            if share is not None and most:
                self.counts[name, number] = self.model.new_int_var(0, most, "")
                mine.append(name)
        amounts = [self.counts[name, number] for name in mine]
        if not amounts:
            return
        times = self.switched.get(number, 1)
        if group.room:
            self.model.add(cp_model.LinearExpr.sum(amounts) <= group.room * times)
            return
        for resource in sorted({resource for name in mine for resource, _ in floor.demands(first, self.services[name].shape)}):
            asked = [dict(floor.demands(first, self.services[name].shape)).get(resource, 0) for name in mine]
            free = int(floor.free[resource, first, self.slot])
            self.model.add(cp_model.LinearExpr.weighted_sum(amounts, asked) <= free * times)
        for name, amount in zip(mine, amounts, strict=True):
            self.model.add(amount <= workers_per_node(floor.pools[first], self.services[name].shape) * times)

    def _add_demand(self) -> None:
        for name, service in self.services.items():
            here = [(number, amount) for (of, number), amount in self.counts.items() if of == name]
            share = self.demands.share[name]
            shares = [share[self.floor.pools[self.groups[number].nodes[0]].accelerator][self.slot] or 0 for number, _ in here]
            amounts = [amount for _, amount in here]
            self.model.add(cp_model.LinearExpr.weighted_sum(amounts, shares) >= self.demands.asked(service, self.slot))
            most = service.max_replicas if service.max_replicas is not None else 1 << 30
            self.model.add_linear_constraint(cp_model.LinearExpr.sum(amounts), service.min_replicas, most)

    def _minimise(self) -> None:
        floor = self.floor
        priced = [(amount, float(floor.price[self.groups[no].nodes[0], self.slot])) for no, amount in self.switched.items()]
        spare = SPARE * max((price for _, price in priced), default=1.0)
        for (name, number), amount in self.counts.items():
            pool = floor.pools[self.groups[number].nodes[0]]
            priced.append((amount, float(floor.rates.replica(self.services[name], pool)[self.slot]) + spare))
            priced += self._moves(self.services[name], self.groups[number], amount)
        scale = min(objective_scale(sum(price * max(amount.proto.domain) for amount, price in priced)), 2.0**40)
        weights = [round(price * scale) for _, price in priced]
        self.model.minimize(cp_model.LinearExpr.weighted_sum([amount for amount, _ in priced], weights))

    def _moves(self, service: Service, group: _Group, amount: cp_model.IntVar) -> list[tuple[cp_model.IntVar, float]]:
        """Return what of an amount is beyond what an earlier plan had on the nodes of a group, with its price."""
        before = self.floor.stays.replicas(service, self.slot)
        if before is None:
            return []
        stood = sum(before.get(node, 0) for node in group.nodes)
        beyond = self.model.new_int_var(0, max(amount.proto.domain), "")
        self.model.add(beyond >= amount - stood)
        return [(beyond, self.floor.stays.price(service))]

    def _chosen(self, solver: cp_model.CpSolver) -> dict[tuple[str, int], int]:
        """Return the replicas by service and node: of nodes in one group the fullest that hold some first."""
        found: dict[tuple[str, int], int] = {}
        left: dict[int, int] = {}
        for number, group in enumerate(self.groups):
            counts = {name: solver.value(self.counts[name, number]) for name in self.services if (name, number) in self.counts}
            if not group.room:
                found.update({(name, group.nodes[0]): count for name, count in counts.items() if count})
                continue
            rest = {name: count - self._stay(found, left, group, name, count) for name, count in counts.items()}
            for name, count in rest.items():
                self._share_out(found, left, group, name, count)
        return found

    def _stay(self, found: dict[tuple[str, int], int], left: dict[int, int], group: _Group, name: str, count: int) -> int:
        """Let replicas stand where an earlier plan had them; return how many do."""
        before, missing = self.floor.stays.replicas(self.services[name], self.slot), count
        here = [node for node in group.nodes if before and node in before]
        if not here or before is None:
            return 0
        room = self.floor.room(np.array(here, dtype=np.intp), self.services[name].shape, self.span)
        for node, fits in zip(here, room.tolist(), strict=True):
            staying = min(missing, before[node], left.setdefault(node, fits))
            if staying:
                found[name, node] = staying
                left[node] -= staying
                missing -= staying
        return count - missing

    def _share_out(self, found: dict[tuple[str, int], int], left: dict[int, int], group: _Group, name: str, count: int) -> None:
        array = np.array(group.nodes, dtype=np.intp)
        room = self.floor.room(array, self.services[name].shape, self.span)
        for idx in np.lexsort((array, room)).tolist():
            node = group.nodes[idx]
            here = min(count, left.setdefault(node, int(room[idx])))
            if here:
                found[name, node] = found.get((name, node), 0) + here
                left[node] -= here
                count -= here
