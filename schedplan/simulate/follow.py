"""A plan is followed: planned jobs at their time and place, all else beside what the plan still needs.

A claim is room that the plan gives to something on one node for a while: to a job that has not started, to replicas of a service,
or, where a node is off, to nobody. Claims are kept per node; only nodes that a job may take are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from schedplan.model.plan import Plan
from schedplan.model.problem import Problem
from schedplan.model.timeline import StartReason
from schedplan.model.workload import Topology
from schedplan.simulate.free_nodes import NodeState
from schedplan.simulate.kernel import Kernel
from schedplan.simulate.lane import NEVER
from schedplan.simulate.nodes import NodeCapacity
from schedplan.simulate.work import Ask


@dataclass(frozen=True, slots=True)
class PlannedStart:
    """When and where a job is to start: (node, workers) pairs."""

    job: str
    start_s: int
    spots: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Occupation:
    """Replicas of a service on a node from start_s until end_s; ask None: the node is off."""

    node: str
    start_s: int
    end_s: int
    ask: Ask | None
    count: int = 1


@dataclass(frozen=True)
class FollowedPlan:
    """What a plan says to a replay."""

    starts: tuple[PlannedStart, ...]
    occupations: tuple[Occupation, ...]


def followed(problem: Problem, plan: Plan) -> FollowedPlan:
    """Return what a plan of a problem says: starts of jobs, replicas per slot, nodes that are off per slot."""
    grid = problem.grid
    spots: dict[str, list[tuple[str, int]]] = {}
    slot_of: dict[str, int] = {}
    for part in plan.decisions.parts:
        spots.setdefault(part.job, []).append((part.node, part.workers))
        slot_of[part.job] = part.start_slot
    starts = tuple(PlannedStart(job, grid.slot_start_s(slot_of[job]), tuple(spots[job])) for job in sorted(spots))
    replicas = tuple(
        Occupation(
            part.node,
            grid.slot_start_s(part.slot),
            grid.slot_end_s(part.slot),
            Ask(problem.service_by_name[part.service].shape, 1, Topology.CLUSTER, True),
            part.replicas,
        )
        for part in plan.decisions.replicas
    )
    off = tuple(
        Occupation(node, grid.slot_start_s(slot), grid.slot_end_s(slot), None)
        for node, row in zip(problem.cluster.nodes, plan.decisions.on, strict=True)
        for slot, is_on in enumerate(row)
        if not is_on
    )
    return FollowedPlan(starts, replicas + off)


def occupied_asks(plan: FollowedPlan) -> tuple[Ask, ...]:
    """Return the asks of replicas, each once."""
    return tuple(dict.fromkeys(one.ask for one in plan.occupations if one.ask is not None))


@dataclass(frozen=True, slots=True)
class _Claim:
    """ask None: the whole node. job None: no job's."""

    start_s: int
    end_s: int
    ask: int | None
    workers: int
    job: int | None


@dataclass(frozen=True, slots=True)
class _Start:
    start_s: int
    spots: tuple[tuple[int, int], ...]


class PlanDecider:
    """Jobs that wait, in the order of their planned starts, and the claims of the plan per node."""

    def __init__(self, kernel: Kernel, capacity: NodeCapacity, plan: FollowedPlan, asks: tuple[Ask, ...]) -> None:
        self._kernel = kernel
        self._capacity = capacity
        number = {name: idx for idx, name in enumerate(capacity.machine.nodes)}
        job_of = {name: idx for idx, name in enumerate(kernel.work.names)}
        ask_of = {ask: idx for idx, ask in enumerate(asks)}
        self._planned: dict[int, _Start] = {}
        self._claims: list[list[_Claim]] = [[] for _ in number]
        self._waiting: dict[int, None] = {}
        self._on_node: list[dict[int, None]] = [{} for _ in number]
        self._nodes_of: dict[int, tuple[int, ...]] = {}
        for start in plan.starts:
            if start.job in job_of and all(node in number for node, _ in start.spots):
                self._planned[job_of[start.job]] = _Start(
                    start.start_s, tuple((number[node], count) for node, count in start.spots)
                )
        for job, planned in self._planned.items():
            self._claim(job, planned)
        for one in plan.occupations:
            if one.node in number:
                ask = None if one.ask is None else ask_of[one.ask]
                self._claims[number[one.node]].append(_Claim(one.start_s, one.end_s, ask, one.count, None))
        for planned in self._planned.values():
            kernel.wake(planned.start_s)
        for ends in {claim.end_s for claims in self._claims for claim in claims if claim.job is None}:
            kernel.wake(ends)

    def arrived(self, job: int) -> None:
        self._waiting[job] = None

    def released(self, job: int) -> None:
        self.arrived(job)

    def supplied(self) -> None:
        return None

    def ended(self, job: int, early: bool) -> None:
        for node in self._nodes_of.pop(job):
            del self._on_node[node][job]

    def stopped(self, job: int) -> None:
        self.ended(job, True)
        self._waiting[job] = None

    def decide(self) -> None:
        kernel = self._kernel
        for job in sorted(self._waiting, key=self._turn):
            planned = self._planned.get(job)
            if planned is not None and planned.start_s > kernel.now_s:
                continue
            if not kernel.fits(kernel.lanes[kernel.lane_of(job)]):
                continue
            kernel.counts["tries"] += 1
            found = self._at_its_place(job, planned) if planned is not None else None
            if found is None:
                found = self._beside_the_plan(job, planned is not None)
            if found is not None:
                self._start(job, *found)

    def _turn(self, job: int) -> tuple[bool, int, int]:
        """Jobs whose planned start is this instant come first, then late ones by their planned start, then those without a plan."""
        planned_s = self._planned[job].start_s if job in self._planned else NEVER
        return planned_s != self._kernel.now_s, planned_s, job

    def _start(self, job: int, spots: tuple[tuple[int, int], ...], reason: StartReason) -> None:
        parts = self._capacity.place_on(self._kernel.work.ask[job], spots)
        self._kernel.start(job, parts, reason)
        del self._waiting[job]
        self._nodes_of[job] = tuple(node for node, _ in spots)
        for node, _ in spots:
            self._on_node[node][job] = None
        planned = self._planned.get(job)
        for node, _ in planned.spots if planned is not None else ():
            self._claims[node] = [claim for claim in self._claims[node] if claim.job != job]

    def _at_its_place(self, job: int, planned: _Start) -> tuple[tuple[tuple[int, int], ...], StartReason] | None:
        """Return a planned job's own nodes where they are free; once it is late, also of what the plan needs of them later."""
        ask, is_late = self._kernel.work.ask[job], self._kernel.now_s > planned.start_s
        fit = self._capacity.caught_up(ask).fit
        if any(fit[node] < workers for node, workers in planned.spots):
            return None
        if is_late and any(self._room(job, ask, node) < workers for node, workers in planned.spots):
            return None
        return planned.spots, StartReason.PLANNED_LATE if is_late else StartReason.AS_PLANNED

    def _beside_the_plan(self, job: int, is_planned: bool) -> tuple[tuple[tuple[int, int], ...], StartReason] | None:
        """Return nodes by best fit that no plan needs until the job's estimated end; None where they do not hold it."""
        ask = self._kernel.work.ask[job]
        state = self._capacity.caught_up(ask)
        order = self._capacity.nodes_by_score(ask)
        room = {node: found for node in order if (found := min(self._room(job, ask, node), state.fit[node])) > 0}
        groups = [list(room)] if state.domain is None else _by_domain(state.domain, room)
        for group in groups:
            if sum(room[node] for node in group) >= state.workers:
                return _filled(group, room, state.workers), StartReason.PLANNED_ELSEWHERE if is_planned else StartReason.BESIDE_PLAN
        return None

    def _room(self, job: int, ask: int, node: int) -> int:
        """Return how many workers a node holds from now until the job's estimated end beside claims and what runs.

        A late job minds what is planned from now on, and of the jobs that are late as well those before it, so that no two late
        ones wait for each other.
        """
        now_s = self._kernel.now_s
        until_s = now_s + self._kernel.work.estimate_s[job]
        claims = [self._as_it_stands(claim) for claim in self._claims[node] if self._minds(job, claim)]
        claims = [claim for claim in claims if claim.start_s < until_s and claim.end_s > now_s]
        instants = sorted({now_s, *(claim.start_s for claim in claims if claim.start_s > now_s)})
        return min(self._room_at(ask, node, at_s, claims) for at_s in instants)

    def _as_it_stands(self, claim: _Claim) -> _Claim:
        """Return the claim of a job that is late as one from now on."""
        late_s = self._kernel.now_s - claim.start_s
        if claim.job is None or late_s <= 0:
            return claim
        return replace(claim, start_s=claim.start_s + late_s, end_s=claim.end_s + late_s)

    def _minds(self, job: int, claim: _Claim) -> bool:
        if claim.job is None or claim.start_s >= self._kernel.now_s:
            return claim.job != job
        planned = self._planned.get(job)
        return claim.job != job and (planned is None or (claim.start_s, claim.job) < (planned.start_s, job))

    def _room_at(self, ask: int, node: int, at_s: int, claims: list[_Claim]) -> int:
        kernel, capacity = self._kernel, self._capacity
        free, asks = capacity.free, capacity.asks
        held: NodeState | None = free.state(node)
        for job in self._on_node[node]:
            ends_s = max(kernel.start_s[job] + kernel.work.estimate_s[job], kernel.now_s + 1)
            if ends_s <= at_s:
                for part in kernel.held[job]:
                    if part.node == node and held is not None:
                        held = free.with_back(asks[kernel.work.ask[job]], part, held)
        for claim in claims:
            if claim.start_s <= at_s < claim.end_s and held is not None:
                held = None if claim.ask is None else free.with_workers(asks[claim.ask], node, claim.workers, held)
        return 0 if held is None else free.fit_in(asks[ask], node, held)

    def _claim(self, job: int, planned: _Start) -> None:
        """Claim the planned nodes for as long as the job is estimated to run."""
        work = self._kernel.work
        end_s = planned.start_s + work.estimate_s[job]
        for node, workers in planned.spots:
            self._claims[node].append(_Claim(planned.start_s, end_s, work.ask[job], workers, job))


def _by_domain(domain: list[int], room: dict[int, int]) -> list[list[int]]:
    found: dict[int, list[int]] = {}
    for node in room:
        found.setdefault(domain[node], []).append(node)
    return [found[key] for key in sorted(found)]


def _filled(group: list[int], room: dict[int, int], workers: int) -> tuple[tuple[int, int], ...]:
    """Return (node, workers) filling nodes one after the other."""
    spots: list[tuple[int, int]] = []
    for node in group:
        if workers == 0:
            break
        count = min(room[node], workers)
        spots.append((node, count))
        workers -= count
    return tuple(sorted(spots))
