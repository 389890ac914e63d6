"""The reference of a static placement, without a solver: jobs in the order they came, each where it fits best."""

from __future__ import annotations

from schedplan.measures.accounting import goal_values
from schedplan.measures.objective import Normalisation, Scale
from schedplan.model.plan import Decisions
from schedplan.model.problem import GOALS, Problem
from schedplan.optimize.static.assembly import Assembly
from schedplan.optimize.static.instance import Instance, instance
from schedplan.optimize.static.standing import Standing, assembly_with, decisions_of, standing_of


def first_come(problem: Problem, whole: Instance, standing: Standing) -> Assembly:
    """Return the assembly of best fit in the order of submission, then name, on nodes with what stands."""
    assembly = assembly_with(problem, whole, standing)
    class_of = {job.name: one.idx for one in whole.classes for job in one.jobs}
    is_full = [False] * len(whole.classes)
    waiting = (job for job in problem.jobs if job.name in class_of)
    for job in sorted(waiting, key=lambda job: (job.submit_s or 0, job.name)):
        k = class_of[job.name]
        # Nothing is ever given back, so a class that found no room once finds none later.
        if assembly.wanted[k] > 0:
            is_full[k] = is_full[k] or not assembly.add(k)
    return assembly


def static_scales(problem: Problem) -> Normalisation:
    """Return what a static plan is shown beside: the values of the reference; no goal but the work left out has a weight."""
    standing = standing_of(problem)
    assembly = first_come(problem, instance(problem), standing)
    return scales_of(problem, decisions_of(problem, assembly, standing))


def scales_of(problem: Problem, decisions: Decisions) -> Normalisation:
    """Return the same for the decisions of the reference."""
    goals = goal_values(problem, decisions)
    latency, utilization, cost, carbon = (Scale(goals.of(goal), goals.of(goal)) for goal in GOALS)
    return Normalisation(latency, utilization, cost, carbon, goals.unplaced)
