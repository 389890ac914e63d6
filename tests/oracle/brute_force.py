"""Plans tiny problems by trying everything: the answer that any solver must reach, with no solver in it.

Every job is tried at every start slot, with its workers on the nodes in every way, or left out; for each of these the
cheapest replicas and nodes follow slot by slot, or by going through all on/off patterns where start-up or a budget couples
slots. What is cut off is only what can't be better: a branch whose jobs so far and whose cheapest nodes per slot already cost
more than the best plan known, and mirror images among nodes that nothing tells apart.

It knows the rules and the objective from their description and from the records of the model, and takes one thing from
the product: the least replicas of a service, a matter of the latency model. Single devices,
where sums over a node say too little, are a matter of `devices`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from schedplan.measures.latency import least_replicas
from schedplan.model.cluster import Market, NodeStatus, Pool
from schedplan.model.plan import Decisions, JobPart, ReplicaPart
from schedplan.model.problem import Problem
from schedplan.model.workload import DeadlineKind, Job, JobState, Service, Topology, WorkerShape
from tests.oracle.arithmetic import Arithmetic, Option
from tests.oracle.devices import Devices, NodeDevices, Unit, counts_in_sum, fits_beside, is_of_devices, profiles_of, unit
from tests.oracle.held import HeldGoal
from tests.oracle.missed import may_miss
from tests.oracle.on_time import is_sure_enough
from tests.oracle.order import keeps_order
from tests.oracle.quotas import RESOURCES, QuotaBook, amounts
from tests.oracle.services import Memory, ServiceRules
from tests.oracle.standing import gave_way, is_against_pin, is_away, is_closed, is_told_apart, stands_as_pinned

TOLERANCE = 1e-9
FULL_DEMAND = 10**9

Use = tuple[float, ...]
Occupancy = tuple[Use, ...]
State = tuple[tuple[int | None, ...], tuple[Memory, ...]]


@dataclass(frozen=True, slots=True)
class Answer:
    """The least objective and one plan that has it."""

    objective: float
    decisions: Decisions


@dataclass(frozen=True, slots=True)
class SlotService:
    """One way to serve all services in a slot: replicas per (service, node), the nodes that carry any, what all work then holds,
    what it borrows beyond quotas, currency, and what the replicas by themselves add to the objective."""

    replicas: tuple[tuple[str, int, int], ...]
    nodes: frozenset[int]
    held: Occupancy = ()
    borrow_cost: float = 0.0
    own: float = 0.0


@dataclass(frozen=True, slots=True)
class Label:
    """Slots decided so far: objective of nodes, money of the current day, nodes on and replicas per slot, and what nodes add to
    each goal that is held."""

    value: float
    day_cost: float
    on: tuple[frozenset[int], ...]
    serving: tuple[SlotService, ...]
    held: tuple[float, ...] = ()


def best_plan(problem: Problem, divisors: Mapping[str, float], *, cuts: bool = True) -> Answer | None:
    """Return the best plan for goals divided by `divisors` (latency, utilization, cost), None where none is feasible.

    Without `cuts` nothing is skipped, neither branches that can't win nor mirror images: slow, to test the cuts by.
    """
    return _Search(problem, divisors, cuts=cuts).run()


class _Search:
    """Branch over jobs, largest first; each branch carries what every node holds in every slot."""

    def __init__(self, problem: Problem, divisors: Mapping[str, float], *, cuts: bool) -> None:
        self.cuts = cuts
        self.problem = problem
        self.grid = problem.grid
        self.facts = Arithmetic(problem, divisors)
        self.limits = [HeldGoal(problem, one.goal, one.value) for one in problem.objective.at_most]
        self.nodes = range(len(self.facts.pools))
        self.resource_names = tuple(
            sorted({name for pool in problem.cluster.pools for name, _ in pool.resources} | _asked(problem))
        )
        self.tenants = tuple(sorted({work.tenant for work in (*problem.jobs, *problem.services)})) if problem.quotas else ()
        self.book = QuotaBook(problem, self.facts.run_minutes) if problem.quotas else None
        self.jobs = tuple(sorted(problem.jobs, key=self._rank))
        self.capacity = tuple(self._capacity(node) for node in self.nodes)
        self.lagging = tuple(node for node in self.nodes if self._has_lag(node))
        self.service_nodes = {service.name: self._service_nodes(service) for service in problem.services}
        self.service_rules = ServiceRules(problem, self.facts.pools, self.facts.names, self._part_of_demand, FULL_DEMAND)
        self.day_ends = {slots[-1] for _, slots in problem.grid.days(problem.zone)}
        self.day_of = {slot: day for day, (_, slots) in enumerate(problem.grid.days(problem.zone)) for slot in slots}
        self.devices = NodeDevices(self.grid.n_slots) if is_of_devices(problem) else None
        self.slot_values: dict[tuple[int, Occupancy], float | None] = {}
        self.servings: dict[tuple[int, Occupancy, tuple[Devices, ...] | None], tuple[SlotService, ...]] = {}
        self.rest: tuple[float, ...] = ()
        self.best: tuple[float, tuple[Option, ...], Label] | None = None

    def run(self) -> Answer | None:
        options = [self._options(job) for job in self.jobs]
        self.rest = self._rests(options)
        if any(_must_run(job) and not found for job, found in zip(self.jobs, options, strict=True)):
            return None
        empty = tuple(self._no_use() for _ in self.nodes)
        occupied = (empty,) * self.grid.n_slots
        values = [self._slot_value(slot, empty) for slot in range(self.grid.n_slots)]
        if any(value is None for value in values):
            return None
        self._branch(0, options, occupied, (), self.facts.constant, sum(value for value in values if value is not None))
        if self.best is None:
            return None
        value, chosen, label = self.best
        return Answer(value, self._decisions(chosen, label))

    def _branch(
        self,
        depth: int,
        options: list[list[Option]],
        occupied: tuple[Occupancy, ...],
        chosen: tuple[Option, ...],
        own: float,
        nodes_value: float,
    ) -> None:
        if self.cuts and self.best is not None and own + nodes_value + self.rest[depth] >= self.best[0] - 1e-12:
            return
        if depth == len(self.jobs):
            self._close(occupied, chosen, own)
            return
        job = self.jobs[depth]
        branches: list[tuple[float, Option | None]] = [(option.own, option) for option in options[depth]]
        if not _must_run(job):
            branches.append((self.facts.left_out(job), None))
        decided = dict.fromkeys(other.name for other in self.jobs[:depth]) | {option.job: option for option in chosen}
        for value, option in sorted(branches, key=lambda branch: branch[0]):
            if not keeps_order(self.problem, decided | {job.name: option}):
                continue
            if option is None:
                self._branch(depth + 1, options, occupied, chosen, own + value, nodes_value)
                continue
            is_free = job.state is not JobState.RUNNING
            if self.cuts and is_free and not self._is_first_of_its_mirrors(option, occupied, chosen):
                continue
            filled = self._add(occupied, job, option)
            if filled is None or not self._devices_hold((*chosen, option), option):
                continue
            values = [self._slot_value(slot, filled[slot]) for slot in range(self.grid.n_slots)]
            if all(slot_value is not None for slot_value in values):
                total = sum(slot_value for slot_value in values if slot_value is not None)
                self._branch(depth + 1, options, filled, (*chosen, option), own + value, total)

    def _rank(self, job: Job) -> tuple[bool, float, str]:
        """What runs first, then the most important."""
        return (job.state is not JobState.RUNNING, -self.facts.importance(job), job.name)

    def _rests(self, options: list[list[Option]]) -> tuple[float, ...]:
        """Return per depth the least that the jobs from there on add by themselves."""
        least = []
        for job, found in zip(self.jobs, options, strict=True):
            least.append(
                min([option.own for option in found] + ([] if _must_run(job) else [self.facts.left_out(job)]), default=0.0)
            )
        return tuple(sum(least[depth:]) for depth in range(len(least) + 1))

    # a job by itself

    def _options(self, job: Job) -> list[Option]:
        if job.state is JobState.RUNNING:
            return [self.facts.option(job, 0, self._stands(job))]
        found = []
        first = self.grid.release_slot(job.release_s)
        for workers in self._spreads(job):
            pool = self.facts.pools[next(n for n in self.nodes if workers[n])]
            for start_slot in range(first, self.grid.n_slots):
                end_edge = self.grid.end_edge(start_slot, self.facts.run_minutes(job, pool, sum(workers)))
                is_over = end_edge is not None and not self._is_too_late(job, end_edge)
                used = [self.facts.pools[node] for node in self.nodes if workers[node]]
                hours = self.facts.run_minutes(job, pool, sum(workers)) / 60
                if not is_sure_enough(self.problem, job, used, start_slot, hours):
                    continue
                if end_edge is not None and is_over and not self._is_kept_off(job, workers, start_slot, end_edge):
                    found.append(self.facts.option(job, start_slot, workers))
        return found

    def _is_kept_off(self, job: Job, workers: tuple[int, ...], start_slot: int, end_edge: int) -> bool:
        used = [node for node in self.nodes if workers[node]]
        if is_against_pin(self.problem, job, used, start_slot):
            return True
        return any(is_away(self.problem, node, slot) for node in used for slot in range(start_slot, end_edge))

    def _stands(self, job: Job) -> tuple[int, ...]:
        workers = [0 for _ in self.nodes]
        for placed in job.placement:
            workers[self.facts.names.index(placed.node)] += placed.workers
        return tuple(workers)

    def _is_too_late(self, job: Job, end_edge: int) -> bool:
        is_hard = job.deadline_s is not None and job.deadline_kind is DeadlineKind.HARD
        return is_hard and job.deadline_s is not None and self.grid.edges_s[end_edge] > job.deadline_s

    def _spreads(self, job: Job) -> Iterator[tuple[int, ...]]:
        """Yield the workers per node of every way to put a gang on empty nodes that it may use together: all of it, or what
        it needs at least."""
        least = job.workers if job.min_workers is None else job.min_workers
        most = [self._most_workers(node, job.shape) if self._takes_job(node, job) else 0 for node in self.nodes]
        for workers in product(*(range(min(count, job.workers) + 1) for count in most)):
            used = [n for n in self.nodes if workers[n]]
            if least <= sum(workers) <= job.workers and self._may_span(used, job.topology) and self._loads_alike(job, used):
                yield workers

    def _loads_alike(self, job: Job, used: list[int]) -> bool:
        """A gang loads what it needs on all of its nodes, or all of them hold it."""
        return job.load_minutes == 0 or len({job.affinity in self.facts.pools[node].caches for node in used}) == 1

    def _spot_market(self, pool: Pool) -> tuple[object, ...]:
        """A gang on spot keeps to nodes of one price, one reclaim rate and one size."""
        if pool.market is not Market.SPOT:
            return ()
        prices = tuple(self.problem.price_per_h(pool).tolist())
        return (prices, pool.interruptions_per_hour, pool.gpus, pool.cpus)

    def _may_span(self, used: list[int], topology: Topology) -> bool:
        pools = [self.facts.pools[node] for node in used]
        if len({(pool.cluster, pool.accelerator, pool.market) for pool in pools}) > 1:
            return False
        if len({self._spot_market(pool) for pool in pools}) > 1:
            return False
        if topology in (Topology.NODE, Topology.DEVICE_GROUP):
            return len(used) == 1
        domain: dict[Topology, Callable[[Pool], str | None]] = {
            Topology.RACK: lambda pool: pool.rack,
            Topology.BLOCK: lambda pool: pool.block,
            Topology.ZONE: lambda pool: pool.zone,
        }
        if topology not in domain:
            return True
        domains = {domain[topology](pool) for pool in pools}
        return None not in domains and len(domains) == 1

    def _takes_job(self, node: int, job: Job) -> bool:
        if job.state is not JobState.RUNNING and is_closed(self.problem, job, self.facts.pools[node]):
            return False
        return self._takes(node, job.shape) and (job.spot_ok or self.facts.pools[node].market is not Market.SPOT)

    def _takes(self, node: int, shape: WorkerShape) -> bool:
        pool = self.facts.pools[node]
        if pool.status is not NodeStatus.READY or self.facts.number[node] >= pool.nodes:
            return False
        if shape.accelerators and pool.accelerator not in shape.accelerators:
            return False
        if shape.slice_profile is not None and shape.slice_profile not in profiles_of(pool):
            return False
        if shape.gpu_memory_gib is not None and pool.gpu_memory_gib is not None and pool.gpu_memory_gib < shape.gpu_memory_gib:
            return False
        for taint in pool.taints:
            tolerated = any(t.key == taint.key and t.value in ("", taint.value) for t in shape.tolerations)
            if taint.effect in ("NoSchedule", "NoExecute") and not tolerated:
                return False
        return True

    # what nodes hold

    def _has_lag(self, node: int) -> bool:
        pool = self.facts.pools[node]
        return pool.startup_minutes > 0 and not pool.market.is_sunk and pool.status is NodeStatus.READY

    def _capacity(self, node: int) -> Use:
        pool = self.facts.pools[node]
        known = dict(pool.resources)
        unknown = float("inf")
        cpus = unknown if pool.cpus is None else pool.cpus
        memory = unknown if pool.memory_gib is None else pool.memory_gib
        of_tenants = (unknown,) * (len(self.tenants) * len(RESOURCES))
        return (float(pool.gpus), cpus, memory, *(known.get(name, 0.0) for name in self.resource_names), *of_tenants)

    def _use(self, shape: WorkerShape, tenant: str | None = None) -> Use:
        """Return what a worker takes of a node; beyond its resources, per tenant and resource, what it takes for that tenant."""
        asked = dict(shape.resources)
        of_tenants = [amount if name == tenant else 0.0 for name in self.tenants for amount in amounts(shape).values()]
        gpus = shape.gpus if counts_in_sum(shape) else 0.0
        return (gpus, shape.cpus, shape.memory_gib, *(asked.get(name, 0.0) for name in self.resource_names), *of_tenants)

    def _no_use(self) -> Use:
        return (0.0,) * (3 + len(self.resource_names) + len(self.tenants) * len(RESOURCES))

    def _held_by_tenants(self, held: Occupancy) -> dict[tuple[str, str | None, str], float]:
        """Return what tenants hold in a slot by device model and resource."""
        found: dict[tuple[str, str | None, str], float] = {}
        first = 3 + len(self.resource_names)
        for node in self.nodes:
            names = [(tenant, self.facts.pools[node].accelerator, resource) for tenant in self.tenants for resource in RESOURCES]
            for name, amount in zip(names, held[node][first:], strict=True):
                found[name] = found.get(name, 0.0) + amount
        return found

    def _most_workers(self, node: int, shape: WorkerShape, held: Use | None = None) -> int:
        """Workers that still fit on a node beside what it holds; a worker that asks for nothing is bounded by 64."""
        room = [have - use for have, use in zip(self.capacity[node], held or self._no_use(), strict=True)]
        counts = [
            int((left + TOLERANCE) // ask) for left, ask in zip(room, self._use(shape), strict=True) if ask > 0 and left < 1e300
        ]
        if not counts_in_sum(shape):
            counts.append(self.facts.pools[node].gpus * self.facts.pools[node].slices_per_gpu)
        return max(0, min([*counts, shape.max_per_node if shape.max_per_node is not None else 64]))

    def _add(self, occupied: tuple[Occupancy, ...], job: Job, option: Option) -> tuple[Occupancy, ...] | None:
        """Return the occupancy with a job in it, None where it does not fit."""
        ask = self._use(job.shape, job.tenant)
        filled = list(occupied)
        for slot in range(option.start_slot, option.end_edge):
            row = list(filled[slot])
            for node, count in enumerate(option.workers):
                if not count:
                    continue
                row[node] = tuple(round(held + count * use, 9) for held, use in zip(row[node], ask, strict=True))
                if any(held > have + TOLERANCE for held, have in zip(row[node], self.capacity[node], strict=True)):
                    return None
            filled[slot] = tuple(row)
        return tuple(filled)

    def _devices_hold(self, chosen: tuple[Option, ...], last: Option) -> bool:
        """Whether the nodes of the last job hold all jobs on single devices."""
        if self.devices is None:
            return True
        return all(
            self.devices.fits(self.facts.pools[node], self._units(chosen, node)) for node in self.nodes if last.workers[node]
        )

    def _units(self, chosen: tuple[Option, ...], node: int) -> tuple[Unit, ...]:
        found = []
        for option in chosen:
            job = self.problem.job_by_name[option.job]
            taken = unit(self.facts.pools[node], job.shape, option.start_slot, option.end_edge, job)
            found += [taken] * option.workers[node] if taken is not None else []
        return tuple(found)

    def _standings(self, chosen: tuple[Option, ...]) -> Iterator[tuple[Devices, ...] | None]:
        """Yield every way that jobs hold the devices of all nodes; once None where that does not matter to anything else."""
        if self.devices is None or not self.problem.services:
            yield None
            return
        per_node = []
        for node in self.nodes:
            pool = self.facts.pools[node]
            found = {tuple(sorted(devices)): None for devices in self.devices.layouts(pool, self._units(chosen, node))}
            per_node.append(tuple(found))
        yield from product(*per_node)

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

    def _is_first_of_its_mirrors(self, option: Option, occupied: tuple[Occupancy, ...], chosen: tuple[Option, ...]) -> bool:
        """Among nodes of a pool that hold the same in every slot and are alike at the start, workers must not rise.

        Where single devices matter, sums are not enough: the same workers must stand there.
        """
        last: dict[tuple[object, ...], int] = {}
        for node in self.nodes:
            pool, number = self.facts.pools[node], self.facts.number[node]
            away = tuple(is_away(self.problem, node, slot) for slot in range(self.grid.n_slots))
            key = (
                pool.name,
                number < pool.count,
                number < pool.nodes,
                away,
                is_told_apart(self.problem, node),
                tuple(row[node] for row in occupied),
                () if self.devices is None else tuple(sorted(self._units(chosen, node))),
            )
            if option.workers[node] > last.get(key, option.workers[node]):
                return False
            last[key] = option.workers[node]
        return True

    # services of one slot

    def _service_nodes(self, service: Service) -> tuple[int, ...]:
        allowed = (n for n in self.nodes if self.facts.pools[n].market in service.markets and self._takes(n, service.shape))
        return tuple(n for n in allowed if not is_closed(self.problem, service, self.facts.pools[n]))

    def _serving(self, slot: int, held: Occupancy, standing: tuple[Devices, ...] | None = None) -> tuple[SlotService, ...]:
        """Return every least way to serve all services beside the jobs; none where there is no way."""
        key = (slot, held, standing)
        if key not in self.servings:
            ways = [one for one in self._serve_from(0, slot, held) if self._stand_beside(one, slot, standing)]
            found = self._within_quotas(slot, ways)
            if self.service_rules.couples_slots:
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
            held = self._held_by_tenants(one.held)
            if self.book.allows(held, slot):
                kept.append(replace(one, borrow_cost=self.book.price_per_h(held) * float(self.grid.hours[slot])))
        return kept

    def _serve_from(self, idx: int, slot: int, held: Occupancy) -> Iterator[SlotService]:
        if idx == len(self.problem.services):
            yield SlotService((), frozenset(), held)
            return
        service = self.problem.services[idx]
        for replicas in self._replica_choices(service, slot, held):
            ask = self._use(service.shape, service.tenant)
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
            0 if closed else self._most_workers(node, service.shape, held[node])
            for node, closed in zip(nodes, takes_none, strict=True)
        ]
        ceiling = sum(most) if service.max_replicas is None else service.max_replicas
        for counts in product(*(range(min(count, ceiling) + 1) for count in most)):
            served = sum(count * (part[node] or 0) for node, count in zip(nodes, counts, strict=True))
            is_enough = served >= FULL_DEMAND or self._rate(service, slot) == 0 or may_miss(self.problem)
            if service.min_replicas <= sum(counts) <= ceiling and is_enough:
                stands = {node: count for node, count in zip(nodes, counts, strict=True) if count}
                is_right = self.service_rules.stands_apart(service, stands) and self.service_rules.serves(service, slot, stands)
                if is_right and stands_as_pinned(self.problem, service, slot, stands):
                    yield tuple(stands.items())

    def _part_of_demand(self, service: Service, node: int, slot: int) -> int | None:
        """Billionths of the slot's demand that one replica on a node takes, None where none meets the target there."""
        accelerator = self.facts.pools[node].accelerator
        speeds = {(row.accelerator, row.kind): row.speed for row in self.problem.cluster.speeds}
        speed = speeds.get((accelerator or "", service.name)) or speeds.get((accelerator or "", "service")) or 1.0
        least = least_replicas(service, service.service_ms / speed, self._rate(service, slot), self.problem.limits.max_utilization)
        if least is None:
            return None
        return FULL_DEMAND if least == 0 else -(-FULL_DEMAND // least)

    def _rate(self, service: Service, slot: int) -> float:
        return float(self.problem.demand_of[service.name].peak_rps[slot])

    # nodes: which are on

    def _slot_value(self, slot: int, held: Occupancy) -> float | None:
        """Least objective of the nodes of one slot by itself: no more than what they add in any whole plan."""
        key = (slot, held)
        if key not in self.slot_values:
            busy = self._with_work(held)
            values = [
                self._value(self._completed(busy | one.nodes), slot) + self.facts.weight["cost"] * one.borrow_cost + one.own
                for one in self._serving(slot, held)
            ]
            self.slot_values[key] = min(values, default=None)
        return self.slot_values[key]

    def _value(self, on: frozenset[int], slot: int) -> float:
        return sum(self.facts.on_value(node, slot) for node in sorted(on))

    def _with_work(self, held: Occupancy) -> frozenset[int]:
        return frozenset(node for node in self.nodes if held[node] != self._no_use())

    def _completed(self, needed: frozenset[int]) -> frozenset[int]:
        """Add the nodes that are paid for in any case: all of a sunk pool, and the missing ones to min_count elsewhere."""
        on = set(needed)
        for pool in self.problem.cluster.pools:
            members = [node for node in self.nodes if self.facts.pools[node] is pool]
            if pool.market.is_sunk:
                on |= {node for node in members if self.facts.number[node] < pool.count}
                continue
            spare = [node for node in members if node not in on]
            on |= set(spare[: max(0, pool.min_count - len(members) + len(spare))])
        return frozenset(on)

    def _close(self, occupied: tuple[Occupancy, ...], chosen: tuple[Option, ...], own: float) -> None:
        """Decide replicas and nodes over all slots for given jobs, wherever on single devices these stand."""
        starts = {one.job: (one.start_slot, [node for node in self.nodes if one.workers[node]]) for one in chosen}
        if not gave_way(self.problem, starts):
            return
        for standing in self._standings(chosen):
            self._close_on(standing, occupied, chosen, own)

    def _close_on(
        self, standing: tuple[Devices, ...] | None, occupied: tuple[Occupancy, ...], chosen: tuple[Option, ...], own: float
    ) -> None:
        """Decide replicas and nodes over all slots for given jobs, and keep the plan if it is the best."""
        rework_by_day: dict[int, float] = {}
        for option in chosen:
            day = self.day_of[option.start_slot]
            rework_by_day[day] = rework_by_day.get(day, 0.0) + option.rework_cost
        start = tuple(-1 if self.facts.number[n] < self.facts.pools[n].count else None for n in self.lagging)
        first = self._no_label(chosen, rework_by_day.get(0, 0.0))
        labels: dict[State, list[Label]] = {(start, self.service_rules.begin()): [first]}
        for slot in range(self.grid.n_slots):
            labels = self._next_labels(labels, slot, occupied[slot], standing)
            if slot in self.day_ends:
                opening = rework_by_day.get(self.day_of.get(slot + 1, -1), 0.0)
                labels = {state: [_new_day(label, opening) for label in found] for state, found in labels.items()}
        ends = [label for found in labels.values() for label in found if self._is_within_limits(label)]
        if ends:
            last = min(ends, key=lambda label: label.value)
            if self.best is None or own + last.value < self.best[0] - 1e-12:
                self.best = (own + last.value, chosen, last)

    def _no_label(self, chosen: tuple[Option, ...], day_cost: float) -> Label:
        """Return the label before the first slot: of the goals that are held, what jobs add to them."""
        return Label(0.0, day_cost, (), (), tuple(limit.of_jobs(chosen) for limit in self.limits))

    def _is_within_limits(self, label: Label) -> bool:
        return all(value <= limit.most for value, limit in zip(label.held, self.limits, strict=True))

    def _next_labels(
        self, labels: dict[State, list[Label]], slot: int, held: Occupancy, standing: tuple[Devices, ...] | None
    ) -> dict[State, list[Label]]:
        busy = self._with_work(held)
        following: dict[State, list[Label]] = {}
        couples = self.service_rules.couples_slots
        for one in self._serving(slot, held, standing):
            needed = busy | one.nodes
            for extra in _subsets([node for node in self.lagging if node not in needed]):
                on = self._completed(needed | extra)
                value = self._value(on, slot) + self.facts.weight["cost"] * one.borrow_cost + one.own
                cost = sum(self.facts.on_cost(node, slot) for node in sorted(on)) + one.borrow_cost
                for (state, memory), found in labels.items():
                    after = self._after(state, slot, on)
                    remembered = self.service_rules.next(memory, slot, one.replicas) if couples else memory
                    if remembered is None or not all(
                        self._is_up(node, since, slot) for node, since in zip(self.lagging, after, strict=True) if node in needed
                    ):
                        continue
                    beside = self._missed_while_warming(slot, one, remembered) if couples else 0.0
                    for label in found:
                        held_values = tuple(
                            before + limit.of_nodes(on, slot) for before, limit in zip(label.held, self.limits, strict=True)
                        )
                        grown = Label(
                            label.value + value + beside, label.day_cost + cost, (*label.on, on), (*label.serving, one), held_values
                        )
                        if self._is_within_budget(grown.day_cost):
                            _keep(
                                following.setdefault((after, remembered), []),
                                grown,
                                counts_cost=self.problem.limits.budget_per_day is not None,
                            )
        return following

    def _missed_while_warming(self, slot: int, one: SlotService, remembered: tuple[Memory, ...]) -> float:
        """Return what is missed beyond what all that stand would miss, because some of them do not serve yet."""
        total = 0.0
        for service, memory in zip(self.problem.services, remembered, strict=True):
            stands = {node: count for name, node, count in one.replicas if name == service.name}
            ready = self.service_rules.ready(service, memory, slot, stands)
            total += self.facts.missed_value(service, slot, ready) - self.facts.missed_value(service, slot, stands)
        return total

    def _after(self, state: tuple[int | None, ...], slot: int, on: frozenset[int]) -> tuple[int | None, ...]:
        """Per lagging node the slot since which it is on without a break (-1: from before the plan), None while it is off."""
        return tuple(
            None if node not in on else (since if since is not None else slot)
            for node, since in zip(self.lagging, state, strict=True)
        )

    def _is_up(self, node: int, since: int | None, slot: int) -> bool:
        if since is None or since == -1:
            return since == -1
        return self.grid.edges_s[slot] - self.grid.edges_s[since] >= self.facts.pools[node].startup_minutes * 60 - 1e-6

    def _is_within_budget(self, day_cost: float) -> bool:
        budget = self.problem.limits.budget_per_day
        return budget is None or day_cost <= budget + 1e-7

    def _decisions(self, chosen: tuple[Option, ...], label: Label) -> Decisions:
        names = self.facts.names
        parts = [
            JobPart(option.job, names[node], option.start_slot, count)
            for option in chosen
            for node, count in enumerate(option.workers)
            if count
        ]
        replicas = [
            ReplicaPart(service, slot, names[node], count)
            for slot, one in enumerate(label.serving)
            for service, node, count in one.replicas
        ]
        on = np.zeros((len(names), self.grid.n_slots), dtype=bool)
        for slot, nodes in enumerate(label.on):
            on[sorted(nodes), slot] = True
        return Decisions(tuple(sorted(parts)), tuple(sorted(replicas)), on)


def _must_run(job: Job) -> bool:
    return job.required or job.state is JobState.RUNNING


def _subsets(nodes: list[int]) -> Iterator[frozenset[int]]:
    for chosen in product((False, True), repeat=len(nodes)):
        yield frozenset(node for node, is_in in zip(nodes, chosen, strict=True) if is_in)


def _serves_better(one: SlotService, other: SlotService) -> bool:
    """Whether a way needs no node that another does not and is no dearer in anything, and better in something."""
    is_no_worse = one.nodes <= other.nodes and one.borrow_cost <= other.borrow_cost and one.own <= other.own
    return is_no_worse and (one.nodes < other.nodes or one.borrow_cost < other.borrow_cost or one.own < other.own)


def _new_day(label: Label, opening: float) -> Label:
    return replace(label, day_cost=opening)


def _keep(found: list[Label], new: Label, *, counts_cost: bool) -> None:
    """Add a label unless another is as good in value, in every goal that is held and, where money is limited, in the day's cost;
    drop what it beats."""

    def beats(one: Label, other: Label) -> bool:
        if any(mine > theirs + 1e-12 for mine, theirs in zip(one.held, other.held, strict=True)):
            return False
        return one.value <= other.value + 1e-12 and (not counts_cost or one.day_cost <= other.day_cost + 1e-9)

    if any(beats(old, new) for old in found):
        return
    found[:] = [old for old in found if not beats(new, old)]
    found.append(new)


def _asked(problem: Problem) -> set[str]:
    shapes = [job.shape for job in problem.jobs] + [service.shape for service in problem.services]
    return {name for shape in shapes for name, _ in shape.resources}
