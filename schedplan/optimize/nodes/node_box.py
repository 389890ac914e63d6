"""A box of single nodes and a few slots: work that starts in it, replicas and nodes are chosen anew and exactly; all else stays.

Sets: jobs c that start in the box or are left out, each with its offers k (start, run, workers W) on nodes n of the box; slots t.
Formula: min Σ least[c,k] x[c,k] + Σ price[n,t] y[n,t] + Σ borrow b[q,t] with Σ_k x[c,k] <= n_c, Σ_n w[c,k,n] = W x[c,k], for every
resource Σ demand w + Σ demand r <= free[n,t] y[n,t]; the demand of services less what stands outside; quotas less what the rest
holds. y = 1 where the node is on anyway.
Nodes that take a while to start are on or off as they stand. What rework costs on more nodes than need be is not seen here: the
floor tells afterwards what a box has really won.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from ortools.sat.python import cp_model

from schedplan.model.workload import Job
from schedplan.optimize.constraints.topology import is_on_one_node
from schedplan.optimize.nodes.berth import Berth
from schedplan.optimize.nodes.box_quotas import Gangs, add_quotas
from schedplan.optimize.nodes.fleets import Demands
from schedplan.optimize.nodes.floor import Floor, Nodes
from schedplan.optimize.nodes.offers import Offer, Offers
from schedplan.optimize.solvers.cp_sat import stoppable
from schedplan.units import objective_scale

FINE = 2.0**40
SLACK = 1e-5
"""A box is left once it is known to be this close to its best, in F."""
BETTER = 1e-9


@dataclass(frozen=True)
class Frame:
    """What a box frees: its nodes, its slots, and jobs that stand nowhere and may be taken in.

    starts: the only slot in which each job may start, by name, for a packing of work whose times are settled; replicas then stay.
    """

    nodes: Nodes
    slots: range
    waiting: tuple[Job, ...] = ()
    starts: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class _Choice:
    """An offer of some alike jobs on nodes of the box: gangs, and how many workers (or whole gangs) each node takes."""

    offer: Offer
    gangs: Gangs
    on: tuple[tuple[int, cp_model.IntVar], ...]
    per_unit: int


@dataclass
class _Alike:
    jobs: list[Job]
    choices: list[_Choice] = field(default_factory=list)


def improve(floor: Floor, offers: Offers, demands: Demands, frame: Frame, work_limit: float, seed: int) -> float:
    """Choose what stands in a frame anew where that makes F smaller; return the deterministic work it took."""
    return NodeBox(floor, offers, demands, frame).improve(work_limit, seed)


class NodeBox:
    """One box: what all its steps share. It lives for one call."""

    def __init__(self, floor: Floor, offers: Offers, demands: Demands, frame: Frame) -> None:
        self.floor, self.offers, self.demands = floor, offers, demands
        self.nodes, self.slots = frame.nodes, frame.slots
        self.inside = set(frame.nodes.tolist())
        self.starts = frame.starts
        self.model = cp_model.CpModel()
        self.before = floor.total
        self.old = self._lifted()
        self.places = {(offers.class_of[berth.job.name], berth.start_slot, node) for berth in self.old for node, _ in berth.nodes}
        self.fleet = self._lifted_replicas() if frame.starts is None else {}
        self.taking: dict[tuple[int, int, int], list[tuple[cp_model.IntVar, int]]] = defaultdict(list)
        self.on: dict[tuple[int, int], cp_model.IntVar] = {}
        self.used: dict[tuple[int, int], list[cp_model.IntVar]] = defaultdict(list)
        self.priced: list[tuple[cp_model.IntVar, float]] = []
        self.kinds = self._kinds([*(berth.job for berth in self.old), *frame.waiting])
        self.replicas: dict[tuple[str, int, int], cp_model.IntVar] = {}

    def improve(self, work_limit: float, seed: int) -> float:
        for (_, start), alike in self.kinds.items():
            self._add_jobs(alike, self.slots if start < 0 else range(start, start + 1))
        self._add_replicas()
        self._add_capacity()
        held = [(alike.jobs[0], len(alike.jobs), choice) for alike in self.kinds.values() for choice in alike.choices]
        self.priced += add_quotas(self.model, self.floor, [(job, most, one.offer, one.gangs) for job, most, one in held])
        scale = self._minimise()
        self._hint()
        solver = cp_model.CpSolver()
        parameters = solver.parameters
        parameters.num_workers = 1
        # on one thread, but all of its strategies in turns: neighbourhoods of the plan that stands find most of what a box gains
        parameters.interleave_search = True
        parameters.random_seed = seed
        parameters.symmetry_level = 0
        parameters.linearization_level = 2
        parameters.max_deterministic_time = work_limit
        parameters.absolute_gap_limit = SLACK * scale
        status = stoppable(solver, self.model)
        if status == cp_model.MODEL_INVALID:
            raise AssertionError(f"the solver calls a box invalid: {self.model.validate() or 'no reason given'}")
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            self._stand(solver)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE) or self.floor.total > self.before - BETTER:
            self._restore()
        return float(solver.response_proto.deterministic_time)

    def _lifted(self) -> list[Berth]:
        moving = [
            name
            for name, berth in self.floor.berths.items()
            if berth.start_slot in self.slots and all(node in self.inside for node, _ in berth.nodes)
            if self.starts is None or name in self.starts
        ]
        return [self.floor.lift(name) for name in sorted(moving)]

    def _lifted_replicas(self) -> dict[tuple[str, int, int], int]:
        stood = {
            (name, node, slot): count
            for name, fleet in self.floor.fleets.items()
            for (node, slot), count in fleet.items()
            if node in self.inside and slot in self.slots
        }
        for (name, node, slot), count in stood.items():
            self.floor.stand(self.floor.problem.service_by_name[name], node, slot, -count)
        return stood

    def _kinds(self, jobs: Iterable[Job]) -> dict[tuple[int, int], _Alike]:
        """Return the jobs by class, and by start where that is settled (else -1)."""
        found: dict[tuple[int, int], _Alike] = {}
        for job in jobs:
            start = -1 if self.starts is None else self.starts[job.name]
            found.setdefault((self.offers.class_of[job.name], start), _Alike([])).jobs.append(job)
        return found

    def _add_jobs(self, alike: _Alike, starts: range) -> None:
        job, count = alike.jobs[0], len(alike.jobs)
        within = [offer for offer in self.offers.of(job) if offer.start_slot in starts and offer.least < 0.0]
        mine = [offer for offer in within if offer.is_likely or self._stood_at(job, offer)] if self.starts is None else within
        for offer in mine:
            nodes = offer.nodes[np.isin(offer.nodes, self.nodes)]
            if not len(nodes):
                continue
            room = self.floor.room(nodes, job.shape, offer.slots)
            room = np.where(self._is_steady(nodes, offer.slots), room, 0)
            per_unit = offer.workers if is_on_one_node(job.topology) else 1
            room = room // per_unit
            if int(room.sum()) * per_unit < offer.workers:
                continue
            units = count * offer.workers // per_unit
            on = tuple(
                (int(node), self.model.new_int_var(0, min(int(fits), units), ""))
                for node, fits in zip(nodes, room, strict=True)
                if fits
            )
            alike.choices.append(self._choice(job, count, offer, on, per_unit))
        if alike.choices:
            total = cp_model.LinearExpr.sum([choice.gangs for choice in alike.choices])
            required = sum(one.required for one in alike.jobs)
            self.model.add_linear_constraint(total, required, count)

    def _stood_at(self, job: Job, offer: Offer) -> bool:
        """Whether such a job stood where and when it is offered a place."""
        class_idx = self.offers.class_of[job.name]
        return any((class_idx, offer.start_slot, node) in self.places for node in offer.nodes.tolist() if node in self.inside)

    def _is_steady(self, nodes: Nodes, slots: slice) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Whether each node is on over the slots or may be switched on at once."""
        at_once = np.array([self.floor.is_sunk[node] or self.floor.pools[node].startup_minutes <= 0 for node in nodes])
        return np.asarray(at_once | self.floor.paid[nodes, slots].all(axis=1), dtype=np.bool_)

    def _choice(self, job: Job, count: int, offer: Offer, on: tuple[tuple[int, cp_model.IntVar], ...], per_unit: int) -> _Choice:
        amounts = [amount for _, amount in on]
        if offer.workers == per_unit:
            gangs: Gangs = cp_model.LinearExpr.sum(amounts)
            self.priced += [(amount, offer.least - offer.away) for amount in amounts]
        else:
            gangs = self.model.new_int_var(0, count, "")
            self.model.add(cp_model.LinearExpr.sum(amounts) == offer.workers * gangs)
            self.priced.append((gangs, offer.least - offer.away))
        self._price_moves(job, offer, on, per_unit)
        for node, amount in on:
            for resource, demand in self.floor.demands(node, job.shape):
                for slot in range(offer.start_slot, offer.end_edge):
                    self.taking[node, slot, resource].append((amount, demand * per_unit))
            for slot in range(offer.start_slot, offer.end_edge):
                self.used[node, slot].append(amount)
        return _Choice(offer, gangs, on, per_unit)

    def _price_moves(self, job: Job, offer: Offer, on: tuple[tuple[int, cp_model.IntVar], ...], per_unit: int) -> None:
        """Price the workers of a choice that stand elsewhere than an earlier plan had them; such a job is a kind of its own."""
        if not offer.away and self.floor.stays.before(job, offer.start_slot) is None:
            return
        before = self.floor.stays.before(job, offer.start_slot) or {}
        for node, amount in on:
            self._price_beyond(amount, per_unit, before.get(node, 0), self.floor.stays.price(job))

    def _price_beyond(self, amount: cp_model.IntVar, per_unit: int, before: int, price: float) -> None:
        """Price what an amount of units is beyond what stood before."""
        most = max(amount.proto.domain) * per_unit
        if before == 0:
            self.priced.append((amount, price * per_unit))
        elif before < most:
            beyond = self.model.new_int_var(0, most - before, "")
            self.model.add(beyond >= amount * per_unit - before)
            self.priced.append((beyond, price))

    def _add_replicas(self) -> None:
        problem = self.floor.problem
        for idx, service in self.demands.services:
            nodes = [node for node in self.demands.nodes(idx).tolist() if node in self.inside]
            touched = sorted({slot for name, _, slot in self.fleet if name == service.name})
            for slot in touched:
                outside = [(node, count) for (node, at), count in self.floor.fleets[service.name].items() if at == slot]
                share = self.demands.share[service.name]
                served = sum(count * (share[self.floor.pools[node].accelerator][slot] or 0) for node, count in outside)
                standing = sum(count for _, count in outside)
                terms = [
                    (self._replica(service.name, node, slot), share[self.floor.pools[node].accelerator][slot]) for node in nodes
                ]
                here = [(amount, taken) for amount, taken in terms if amount is not None and taken is not None]
                amounts = [amount for amount, _ in here]
                asked = self.demands.asked(service, slot) - served
                self.model.add(cp_model.LinearExpr.weighted_sum(amounts, [taken for _, taken in here]) >= asked)
                most = problem.service_by_name[service.name].max_replicas
                upper = (1 << 30) if most is None else most - standing
                self.model.add_linear_constraint(cp_model.LinearExpr.sum(amounts), service.min_replicas - standing, upper)

    def _replica(self, name: str, node: int, slot: int) -> cp_model.IntVar | None:
        service, floor = self.floor.problem.service_by_name[name], self.floor
        span = slice(slot, slot + 1)
        here = np.array([node], dtype=np.intp)
        room = int(floor.room(here, service.shape, span)[0]) if self._is_steady(here, span)[0] else 0
        if not room or self.demands.share[name][floor.pools[node].accelerator][slot] is None:
            return None
        amount = self.model.new_int_var(0, room, "")
        self.replicas[name, node, slot] = amount
        self.priced.append((amount, float(floor.rates.replica(service, floor.pools[node])[slot])))
        before = floor.stays.replicas(service, slot)
        if before is not None:
            self._price_beyond(amount, 1, before.get(node, 0), floor.stays.price(service))
        for resource, demand in floor.demands(node, service.shape):
            self.taking[node, slot, resource].append((amount, demand))
        self.used[node, slot].append(amount)
        return amount

    def _add_capacity(self) -> None:
        floor = self.floor
        for (node, slot), amounts in self.used.items():
            if not floor.is_sunk[node] and not floor.paid[node, slot] and floor.price[node, slot] > 0:
                is_on = self.model.new_bool_var("")
                self.on[node, slot] = is_on
                self.priced.append((is_on, float(floor.price[node, slot])))
                if not any((node, slot, resource) in self.taking for resource in range(len(floor.resources))):
                    most = sum(max(amount.proto.domain) for amount in amounts)
                    self.model.add(cp_model.LinearExpr.sum(amounts) <= most * is_on)
        for (node, slot, resource), terms in self.taking.items():
            free = int(floor.free[resource, node, slot])
            most = sum(max(amount.proto.domain) * demand for amount, demand in terms)
            total = cp_model.LinearExpr.weighted_sum([amount for amount, _ in terms], [demand for _, demand in terms])
            if (node, slot) in self.on:
                self.model.add(total <= min(free, most) * self.on[node, slot])
            elif most > free:
                self.model.add(total <= free)

    def _minimise(self) -> float:
        largest = sum(abs(price) * max(amount.proto.domain) for amount, price in self.priced)
        scale = min(objective_scale(largest), FINE)
        weights = [round(price * scale) for _, price in self.priced]
        self.model.minimize(cp_model.LinearExpr.weighted_sum([amount for amount, _ in self.priced], weights))
        return scale

    def _hint(self) -> None:
        """Hint at what stood before."""
        stood: dict[tuple[int, int, int], int] = defaultdict(int)
        on: set[tuple[int, int]] = set()
        for berth in self.old:
            for node, workers in berth.nodes:
                stood[self.offers.class_of[berth.job.name], berth.start_slot, node] += workers
                on |= {(node, slot) for slot in range(berth.start_slot, berth.end_edge)}
        for (class_idx, _), alike in self.kinds.items():
            for choice in alike.choices:
                gangs = 0
                for node, amount in choice.on:
                    count = stood.get((class_idx, choice.offer.start_slot, node), 0)
                    gangs += count
                    self.model.add_hint(amount, count // choice.per_unit)
                if isinstance(choice.gangs, cp_model.IntVar) and choice.offer.workers != choice.per_unit:
                    self.model.add_hint(choice.gangs, gangs // choice.offer.workers)
        for key, amount in self.replicas.items():
            self.model.add_hint(amount, self.fleet.get(key, 0))
            if key in self.fleet:
                on.add((key[1], key[2]))
        for place, is_on in self.on.items():
            self.model.add_hint(is_on, place in on)

    def _stand(self, solver: cp_model.CpSolver) -> None:
        floor = self.floor
        for (name, node, slot), amount in self.replicas.items():
            count = solver.value(amount)
            if count:
                floor.stand(floor.problem.service_by_name[name], node, slot, count)
        for alike in self.kinds.values():
            waiting = list(alike.jobs)
            for choice in alike.choices:
                left = [[node, solver.value(amount) * choice.per_unit] for node, amount in choice.on]
                for _ in range(solver.value(choice.gangs)):
                    floor.put(_berth(waiting.pop(0), choice.offer, left))

    def _restore(self) -> None:
        """Let everything stand as it did."""
        floor, mine = self.floor, {job.name for alike in self.kinds.values() for job in alike.jobs}
        for name in sorted(mine & floor.berths.keys()):
            floor.lift(name)
        for name, node, slot in self.replicas:
            count = floor.fleets[name].get((node, slot), 0)
            if count:
                floor.stand(floor.problem.service_by_name[name], node, slot, -count)
        for (name, node, slot), count in self.fleet.items():
            floor.stand(floor.problem.service_by_name[name], node, slot, count)
        for berth in self.old:
            floor.put(berth)
        floor.total = self.before


def _berth(job: Job, offer: Offer, left: list[list[int]]) -> Berth:
    """Return the berth of one gang out of the workers that are left on nodes, those with most first."""
    missing, taken = offer.workers, []
    for pair in sorted(left, key=lambda pair: (-pair[1], pair[0])):
        count = min(missing, pair[1])
        if count:
            taken.append((pair[0], count))
            pair[1] -= count
            missing -= count
    return Berth(job, offer.start_slot, offer.end_edge, tuple(sorted(taken)))
