"""The reference of a static placement, without a solver: jobs in the order they came, each where it fits best."""

from __future__ import annotations

from schedplan.measures.accounting import goal_values
from schedplan.measures.objective import Normalisation, Scale
from schedplan.model.plan import Decisions, ReplicaPart
from schedplan.model.problem import GOALS, Problem
from schedplan.optimize.static.assembly import Assembly
from schedplan.optimize.static.instance import Instance, instance
from schedplan.optimize.static.standing import decisions_of, nodes_with, standing_replicas


def first_come(problem: Problem, whole: Instance, replicas: tuple[ReplicaPart, ...]) -> Assembly:
    """Return the assembly of best fit in the order of submission, then name, on nodes with replicas."""
    assembly = Assembly(nodes_with(problem, whole, replicas))
    class_of = {job.name: one.idx for one in whole.classes for job in one.jobs}
    is_full = [False] * len(whole.classes)
    for job in sorted(problem.jobs, key=lambda job: (job.submit_s or 0, job.name)):
        k = class_of[job.name]
        # Nothing is ever given back, so a class that found no room once finds none later.
        is_full[k] = is_full[k] or not assembly.add(k)
    return assembly


def static_scales(problem: Problem) -> Normalisation:
    """Return what a static plan is shown beside: the values of the reference; no goal but the work left out has a weight."""
    replicas = standing_replicas(problem)
    assembly = first_come(problem, instance(problem), replicas)
    return scales_of(problem, decisions_of(problem, assembly, replicas))


def scales_of(problem: Problem, decisions: Decisions) -> Normalisation:
    """Return the same for the decisions of the reference."""
    goals = goal_values(problem, decisions)
    latency, utilization, cost, carbon = (Scale(goals.of(goal), goals.of(goal)) for goal in GOALS)
    return Normalisation(latency, utilization, cost, carbon, goals.unplaced)
