"""Plans tiny problems by trying everything: the answer that any solver must reach, with no solver in it.

Every job is tried at every start slot, with its workers on the nodes in every way, or left out; for each of these the
cheapest replicas and nodes follow slot by slot, or by going through all on/off patterns where start-up or a budget couples
slots. What is cut off is only what can't be better: a branch whose jobs so far and whose cheapest nodes per slot already cost
more than the best plan known, and mirror images among nodes that nothing tells apart.

It knows the rules and the objective from their description and from the records of the model, and takes one thing from
the product: the least replicas of a service, a matter of the latency model. A job by itself is a matter of `options`, the sums
over a node of `rooms`, single devices of `devices`, the services of one slot of `serving`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from schedplan.model.cluster import NodeStatus
from schedplan.model.plan import Decisions, JobPart, ReplicaPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState
from tests.oracle.arithmetic import Arithmetic, Option
from tests.oracle.devices import Devices, NodeDevices, Unit, is_of_devices, unit
from tests.oracle.held import HeldGoal
from tests.oracle.options import JobOptions
from tests.oracle.order import keeps_order
from tests.oracle.rooms import Occupancy, Rooms
from tests.oracle.services import Memory
from tests.oracle.serving import Serving, SlotService
from tests.oracle.standing import gave_way, is_away, is_told_apart

State = tuple[tuple[int | None, ...], tuple[Memory, ...]]


@dataclass(frozen=True, slots=True)
class Answer:
    """The least objective and one plan that has it."""

    objective: float
    decisions: Decisions


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
        self.rooms = Rooms(problem, self.facts)
        self.job_options = JobOptions(problem, self.facts, self.rooms)
        self.serving = Serving(problem, self.facts, self.rooms)
        self.jobs = tuple(sorted(problem.jobs, key=self._rank))
        self.lagging = tuple(node for node in self.rooms.nodes if self._has_lag(node))
        self.day_ends = {slots[-1] for _, slots in problem.grid.days(problem.zone)}
        self.day_of = {slot: day for day, (_, slots) in enumerate(problem.grid.days(problem.zone)) for slot in slots}
        self.devices = NodeDevices(self.grid.n_slots) if is_of_devices(problem) else None
        self.slot_values: dict[tuple[int, Occupancy], float | None] = {}
        self.rest: tuple[float, ...] = ()
        self.best: tuple[float, tuple[Option, ...], Label] | None = None

    def run(self) -> Answer | None:
        options = [self.job_options.of(job) for job in self.jobs]
        self.rest = self._rests(options)
        if any(_must_run(job) and not found for job, found in zip(self.jobs, options, strict=True)):
            return None
        empty = tuple(self.rooms.no_use() for _ in self.rooms.nodes)
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
            filled = self.rooms.filled(occupied, job, option)
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

    def _has_lag(self, node: int) -> bool:
        pool = self.facts.pools[node]
        return pool.startup_minutes > 0 and not pool.market.is_sunk and pool.status is NodeStatus.READY

    def _devices_hold(self, chosen: tuple[Option, ...], last: Option) -> bool:
        """Whether the nodes of the last job hold all jobs on single devices."""
        if self.devices is None:
            return True
        return all(
            self.devices.fits(self.facts.pools[node], self._units(chosen, node))
            for node in self.rooms.nodes
            if any(workers[node] for _, _, workers in last.spans)
        )

    def _units(self, chosen: tuple[Option, ...], node: int) -> tuple[Unit, ...]:
        found = []
        for name, (start_slot, end_edge, workers) in ((option.job, span) for option in chosen for span in option.spans):
            job = self.problem.job_by_name[name]
            taken = unit(self.facts.pools[node], job.shape, start_slot, end_edge, job)
            found += [taken] * workers[node] if taken is not None else []
        return tuple(found)

    def _standings(self, chosen: tuple[Option, ...]) -> Iterator[tuple[Devices, ...] | None]:
        """Yield every way that jobs hold the devices of all nodes; once None where that does not matter to anything else."""
        if self.devices is None or not self.problem.services:
            yield None
            return
        per_node = []
        for node in self.rooms.nodes:
            pool = self.facts.pools[node]
            found = {tuple(sorted(devices)): None for devices in self.devices.layouts(pool, self._units(chosen, node))}
            per_node.append(tuple(found))
        yield from product(*per_node)

    def _is_first_of_its_mirrors(self, option: Option, occupied: tuple[Occupancy, ...], chosen: tuple[Option, ...]) -> bool:
        """Among nodes of a pool that hold the same in every slot and are alike at the start, workers must not rise.

        Where single devices matter, sums are not enough: the same workers must stand there.
        """
        last: dict[tuple[object, ...], tuple[int, ...]] = {}
        for node in self.rooms.nodes:
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
            own = tuple(workers[node] for _, _, workers in option.spans)
            if own > last.get(key, own):
                return False
            last[key] = own
        return True

    # nodes: which are on

    def _slot_value(self, slot: int, held: Occupancy) -> float | None:
        """Least objective of the nodes of one slot by itself: no more than what they add in any whole plan."""
        key = (slot, held)
        if key not in self.slot_values:
            busy = self.rooms.with_work(held)
            values = [
                self._value(self._completed(busy | one.nodes), slot) + self.facts.weight["cost"] * one.borrow_cost + one.own
                for one in self.serving.ways(slot, held)
            ]
            self.slot_values[key] = min(values, default=None)
        return self.slot_values[key]

    def _value(self, on: frozenset[int], slot: int) -> float:
        return sum(self.facts.on_value(node, slot) for node in sorted(on))

    def _completed(self, needed: frozenset[int]) -> frozenset[int]:
        """Add the nodes that are paid for in any case: all of a sunk pool, and the missing ones to min_count elsewhere."""
        on = set(needed)
        for pool in self.problem.cluster.pools:
            members = [node for node in self.rooms.nodes if self.facts.pools[node] is pool]
            if pool.market.is_sunk:
                on |= {node for node in members if self.facts.number[node] < pool.count}
                continue
            spare = [node for node in members if node not in on]
            on |= set(spare[: max(0, pool.min_count - len(members) + len(spare))])
        return frozenset(on)

    def _close(self, occupied: tuple[Occupancy, ...], chosen: tuple[Option, ...], own: float) -> None:
        """Decide replicas and nodes over all slots for given jobs, wherever on single devices these stand."""
        starts = {
            one.job: [(slot, [n for n in self.rooms.nodes if workers[n]]) for slot, _, workers in one.spans] for one in chosen
        }
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
        labels: dict[State, list[Label]] = {(start, self.serving.rules.begin()): [first]}
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
        busy = self.rooms.with_work(held)
        following: dict[State, list[Label]] = {}
        couples = self.serving.rules.couples_slots
        for one in self.serving.ways(slot, held, standing):
            needed = busy | one.nodes
            for extra in _subsets([node for node in self.lagging if node not in needed]):
                on = self._completed(needed | extra)
                value = self._value(on, slot) + self.facts.weight["cost"] * one.borrow_cost + one.own
                cost = sum(self.facts.on_cost(node, slot) for node in sorted(on)) + one.borrow_cost
                for (state, memory), found in labels.items():
                    after = self._after(state, slot, on)
                    remembered = self.serving.rules.next(memory, slot, one.replicas) if couples else memory
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
            ready = self.serving.rules.ready(service, memory, slot, stands)
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
            JobPart(option.job, names[node], start_slot, count, end_edge if option.pieces else None)
            for option in chosen
            for start_slot, end_edge, workers in option.spans
            for node, count in enumerate(workers)
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
