"""The reference plan, by arithmetic and without a solver: what a careful person would do, slot by slot and first come first served.

Services first, per slot, with the least replicas on the cheapest nodes; then jobs by submission, then name, each after what
it waits for and at its earliest fitting start in the family of nodes that costs least for it; nodes by best fit. Its goals, and
the ideals that no plan can beat, are what the objective is measured against.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from heapq import merge
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.accounting import goal_values
from schedplan.measures.costs import paid_anyway
from schedplan.measures.eligibility import job_refusal, pools_for_service
from schedplan.measures.gang_family import gang_family, is_in_one_group, loads_on
from schedplan.measures.min_on_time import most_nodes
from schedplan.measures.missed import Shares, missed_importance, missed_work_h, services_importance
from schedplan.measures.objective import GoalValues, Normalisation
from schedplan.measures.pins import may_stand, may_start
from schedplan.measures.runs import end_edges, fleets_of, missed_shares
from schedplan.measures.work import counted, endless_wait, importance, node_share, reference_work_h
from schedplan.model.cluster import Pool
from schedplan.model.plan import Decisions, JobPart
from schedplan.model.problem import Problem
from schedplan.model.sequence import Unit, in_order
from schedplan.model.workload import Job, JobState
from schedplan.optimize.constraints.elastic import Choice, choices
from schedplan.optimize.constraints.topology import domain_of, is_on_one_node
from schedplan.optimize.constraints.window import windows
from schedplan.optimize.reference.least_carbon import least_carbon
from schedplan.optimize.reference.least_of_jobs import LeastOfJobs, job_price
from schedplan.optimize.reference.policy import FIRST_COME, ListPolicy
from schedplan.optimize.reference.services import reference_replicas
from schedplan.optimize.requirement import least_replicas_by_slot
from schedplan.packing.assignment import GangStart, assign, has_work
from schedplan.packing.board import Board, Hold
from schedplan.packing.gang import place_gang
from schedplan.packing.supply import close_supply

NodeIdx = NDArray[np.intp]


def reference(problem: Problem, policy: ListPolicy = FIRST_COME) -> Decisions:
    """Return the reference plan, or that of another policy; what finds no place in it is left out."""
    board = Board(problem)
    parts = list(running_parts(problem, board))
    replicas = reference_replicas(problem, board)
    parts.extend(inserted(problem, board, problem.jobs, tuple(parts), policy))
    fixed_parts = tuple(sorted(parts))
    on = close_supply(problem, has_work(problem, fixed_parts, replicas))
    if on is None:
        raise AssertionError("the board opens a node only after its start-up, so the supply closes")
    return Decisions(fixed_parts, replicas, on)


def running_parts(problem: Problem, board: Board) -> tuple[JobPart, ...]:
    """Take the room of what runs already and return its parts."""
    running = tuple(
        GangStart(job, 0, windows(problem, job, problem.cluster.pool_of_node[job.placement[0].node])[0][1], (), one_node=False)
        for job in problem.jobs
        if job.state is JobState.RUNNING
    )
    return assign(problem, board, running, ()).parts


def normalisation(problem: Problem, decisions: Decisions) -> Normalisation:
    """Return the scales of the goals, from the reference plan and the ideals for the work that it places.

    An earlier plan has no part in them, so that it is worth in the new problem what it was worth before.
    """
    if problem.base is not None:
        return normalisation(problem.base, reference(problem.base))
    problem = replace(problem, earlier=None)
    goals = goal_values(problem, decisions)
    return Normalisation.between(goals, ideals(problem, decisions, goals), _sizes(problem, decisions, goals))


def ideals(problem: Problem, decisions: Decisions, reached: GoalValues) -> GoalValues:
    """Return goal values that no plan for the work placed and the demand served by `decisions` can beat, by arithmetic, with every
    job in one piece; never above `reached`."""
    placed = {part.job for part in decisions.parts}
    jobs = tuple(job for job in problem.jobs if job.name in placed)
    missed = missed_shares(problem, fleets_of(problem, decisions))
    hours = float(problem.grid.hours.sum())
    always_h = sum(pool.always_on * counted(pool, problem.cluster) for pool in problem.cluster.pools) * hours
    least = LeastOfJobs(problem)
    work_h = sum(least.most_work_h(job) for job in jobs) + reference_work_h(problem) - missed_work_h(problem, missed)
    cost = float(paid_anyway(problem).sum()) + sum(map(least.price, jobs)) + _cheapest_services(problem, missed)
    waits = sum(endless_wait(problem, job) for job in problem.jobs if job.name not in placed)
    return GoalValues(
        latency=min(waits + problem.objective.rates.missed * missed_importance(problem, missed), reached.latency),
        utilization=min(max(always_h - work_h, 0.0), reached.utilization),
        cost=min(cost, reached.cost),
        carbon=min(least_carbon(problem, jobs, missed), reached.carbon),
        unplaced=reached.unplaced,
    )


def _sizes(problem: Problem, decisions: Decisions, reached: GoalValues) -> GoalValues:
    """Return how much each goal is about: the work by importance, the counted-resource-hours that are paid for, the bill."""
    per_node = np.array([counted(pool, problem.cluster) for pool in problem.cluster.pool_of_node.values()])
    paid_h = float(per_node @ (decisions.on @ problem.grid.hours)) if len(per_node) else 0.0
    work = sum(importance(problem, job) for job in problem.jobs) + services_importance(problem)
    return GoalValues(latency=work, utilization=paid_h, cost=abs(reached.cost), carbon=reached.carbon, unplaced=0.0)


@dataclass(frozen=True, slots=True)
class _Berth:
    """Where a job was put on a board, so that it can be taken off again."""

    job: Job
    start_slot: int
    end_edge: int
    holds: tuple[Hold, ...]


def inserted(
    problem: Problem, board: Board, jobs: tuple[Job, ...], standing: tuple[JobPart, ...], policy: ListPolicy = FIRST_COME
) -> tuple[JobPart, ...]:
    """Place waiting jobs beside what stands on the board in the order of a policy; return the parts of those that find room.

    What a job waits for comes before it, and where that is left out the job is; rows of one gang are placed at once or not at all.
    """
    over, families = end_edges(problem, standing), _Families(problem)
    found: list[JobPart] = []
    for unit in in_order(jobs, lambda unit: policy.rank(problem, unit)):
        before = {name for job in unit for name in problem.waits_for[job.name]}
        if before <= over.keys():
            first_slot = max((over[name] for name in before), default=0)
            parts = _earliest(problem, board, families, unit, first_slot, policy)
            over |= end_edges(problem, parts)
            found.extend(parts)
    return tuple(found)


def _earliest(
    problem: Problem, board: Board, families: _Families, unit: Unit, first_slot: int, policy: ListPolicy
) -> tuple[JobPart, ...]:
    """Place jobs that start together at the earliest start at which all find room; empty where there is none.

    A single job takes the cheapest family first at that start, ties by pool name; so does each row, the largest first.
    """
    if len(unit) == 1:
        berth = _berth(problem, board, families, unit[0], range(first_slot, problem.grid.n_slots), policy)
        return () if berth is None else _parts(board, berth)
    for slot in range(first_slot, problem.grid.n_slots):
        berths: list[_Berth] = []
        for job in sorted(unit, key=lambda job: (-job.devices, -job.workers * job.shape.cpus, job.name)):
            berth = _berth(problem, board, families, job, range(slot, slot + 1), policy)
            if berth is None:
                break
            berths.append(berth)
        if len(berths) == len(unit):
            return tuple(part for berth in berths for part in _parts(board, berth))
        for berth in berths:
            _give_back(board, berth)
    return ()


def _berth(problem: Problem, board: Board, families: _Families, job: Job, slots: range, policy: ListPolicy) -> _Berth | None:
    """Take room for a job at its earliest fitting start among some slots, in the family that a policy takes first; None without.

    Of an elastic gang as many workers as find room at that start.
    """
    for choice, nodes in _in_order_of_worth(problem, board, families, job, policy):
        if choice.start_slot not in slots or not may_start(problem, job.name, choice.start_slot):
            continue
        start_slot, end_edge, workers = choice.start_slot, choice.end_edge, choice.workers
        one_node, grouped, span = is_on_one_node(job.topology), is_in_one_group(job), slice(start_slot, end_edge)
        accelerator = board.pools[int(nodes[0])].accelerator
        if board.allowance.refusal(job, accelerator, workers, span) is not None:
            continue
        holds = place_gang(
            board,
            nodes,
            job.shape,
            workers,
            start_slot,
            end_edge,
            one_node=one_node,
            grouped=grouped,
            most_nodes=most_nodes(problem, job, board.pools[int(nodes[0])], start_slot, workers),
        )
        if holds is not None:
            board.allowance.add(job, accelerator, workers, span)
            return _Berth(job, start_slot, end_edge, holds)
    return None


@dataclass(frozen=True, slots=True)
class _Offer:
    """A choice of a job in a family of nodes, the number of the family in order."""

    choice: Choice
    order: int
    nodes: NodeIdx
    pool: Pool

    @property
    def first_rank(self) -> tuple[int, int]:
        """The earliest first, then most workers."""
        return self.choice.start_slot, -self.choice.workers


def _in_order_of_worth(
    problem: Problem, board: Board, families: _Families, job: Job, policy: ListPolicy
) -> Iterator[tuple[Choice, NodeIdx]]:
    """Give the choices of a job with their nodes: the earliest and most workers first, then as a policy takes families.

    None is made before it is asked for: most jobs find room among the first.
    """

    def worth(offer: _Offer) -> tuple[float, int]:
        if policy.takes_fullest:
            return float(board.slices[offer.nodes, :, offer.choice.start_slot].sum()), offer.order
        return job_price(problem, job, offer.pool, offer.choice), offer.order

    of_families = [_offers(problem, board, job, order, nodes) for order, nodes in enumerate(families.of(job))]
    ordered = merge(*of_families, key=lambda offer: offer.first_rank)
    for _, tied in groupby(ordered, key=lambda offer: offer.first_rank):
        yield from ((offer.choice, offer.nodes) for offer in sorted(tied, key=worth))


def _offers(problem: Problem, board: Board, job: Job, order: int, nodes: NodeIdx) -> Iterator[_Offer]:
    """Give the choices of a job in a family; none that finds no room there in some slot, or that a quota closes one of."""
    pool = board.pools[int(nodes[0])]
    room = board.most_room(nodes, job.shape, job.workers, one_node=is_on_one_node(job.topology))
    room[~board.allowance.is_open(job, pool.accelerator, job.least_workers)] = 0
    if job.is_elastic:
        spans = (
            (choice, room[choice.start_slot : choice.end_edge].min() >= choice.workers) for choice in choices(problem, job, pool)
        )
        return (_Offer(choice, order, nodes, pool) for choice, may_fit in spans if may_fit)
    short = [0, *np.cumsum(room < job.workers).tolist()]
    return (
        _Offer(choice, order, nodes, pool)
        for choice in choices(problem, job, pool)
        if short[choice.end_edge] == short[choice.start_slot]
    )


def _give_back(board: Board, berth: _Berth) -> None:
    for hold in berth.holds:
        board.give_back(hold)
        slots = slice(berth.start_slot, berth.end_edge)
        board.allowance.add(berth.job, board.pools[hold.node_idx].accelerator, -hold.workers, slots)


def _parts(board: Board, berth: _Berth) -> tuple[JobPart, ...]:
    nodes = board.cluster.nodes
    return tuple(JobPart(berth.job.name, nodes[hold.node_idx], berth.start_slot, hold.workers) for hold in berth.holds)


class _Families:
    """The families of nodes that jobs may stand on, looked up once for jobs that are alike in what decides that."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._known: dict[Hashable, tuple[NodeIdx, ...]] = {}

    def of(self, job: Job) -> tuple[NodeIdx, ...]:
        """Return the nodes of each family that takes a job."""
        named = job.name if job.name in self._problem.pin_of_job else ""
        key = (job.shape, job.least_workers, job.topology, job.spot_ok, job.affinity, job.load_minutes, named)
        if key not in self._known:
            self._known[key] = _families(self._problem, job)
        return self._known[key]


def _families(problem: Problem, job: Job) -> tuple[NodeIdx, ...]:
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for pool in problem.cluster.pools:
        if job_refusal(pool, job) is None:
            loads = str(loads_on(job, pool))
            key = (domain_of(pool, job.topology) or "", str(pool.slices_per_gpu), loads, *gang_family(problem, pool))
            groups[key].extend(problem.cluster.nodes_of_pool[pool.name])
    if job.name in problem.pin_of_job:
        names = problem.cluster.nodes
        groups.update({key: [idx for idx in nodes if may_stand(problem, job.name, names[idx])] for key, nodes in groups.items()})
    return tuple(np.array(nodes, dtype=np.intp) for nodes in groups.values() if nodes)


def _cheapest_services(problem: Problem, missed: Shares) -> float:
    total = 0.0
    for service in problem.services:
        pools = pools_for_service(problem.cluster, service)
        least = {pool.name: least_replicas_by_slot(problem, service, pool.accelerator) for pool in pools}
        for slot, hours in enumerate(problem.grid.hours):
            prices = [
                0.0 if pool.market.is_sunk else needed * node_share(pool, service.shape) * float(problem.price_per_h(pool)[slot])
                for pool in pools
                if (needed := least[pool.name][slot]) is not None
            ]
            served = 1.0 - float(missed[service.name][slot]) if missed else 1.0
            total += min(prices, default=0.0) * float(hours) * served
    return total
