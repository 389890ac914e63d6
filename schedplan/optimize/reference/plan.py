"""The reference plan, by arithmetic and without a solver: what a careful person would do, slot by slot and first come first served.

Services first, per slot, with the least replicas on the cheapest nodes; then jobs by submission, then name, each after what
it waits for and at its earliest fitting start in the family of nodes that costs least for it; nodes by best fit. Its goals, and
the ideals that no plan can beat, are what the objective is measured against.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.accounting import goal_values
from schedplan.measures.costs import paid_anyway
from schedplan.measures.eligibility import pools_for_service
from schedplan.measures.missed import Shares, missed_importance, missed_work_h, services_importance
from schedplan.measures.objective import GoalValues, Normalisation
from schedplan.measures.runs import fleets_of, missed_shares
from schedplan.measures.work import counted, endless_wait, importance, node_share, reference_work_h
from schedplan.model.plan import Decisions, JobPart
from schedplan.model.problem import Problem
from schedplan.model.workload import JobState
from schedplan.optimize.constraints.window import windows
from schedplan.optimize.reference.insertion import inserted
from schedplan.optimize.reference.least_carbon import least_carbon
from schedplan.optimize.reference.least_of_jobs import LeastOfJobs
from schedplan.optimize.reference.policy import FIRST_COME, ListPolicy
from schedplan.optimize.reference.services import reference_replicas
from schedplan.optimize.requirement import least_replicas_by_slot
from schedplan.packing.assignment import GangStart, assign, has_work
from schedplan.packing.board import Board
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
