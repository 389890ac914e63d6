"""Ties of a static problem: what makes more of a placement than room on nodes, and so decides which model plans it."""

from __future__ import annotations

from schedplan.model.problem import Problem, Reserve

MOST_NODES = 24
MOST_JOBS = 100


def is_for_one_slot(problem: Problem) -> bool:
    """Whether a static problem is planned by the whole model: it asks for profiles, or is small and has what ties work together."""
    if asks_for_profiles(problem):
        return True
    is_small = len(problem.cluster.nodes) <= MOST_NODES and len(problem.jobs) <= MOST_JOBS
    return is_small and has_ties(problem)


def has_ties(problem: Problem) -> bool:
    """Whether quotas, pins, rows of gangs, spread, a reserve or dedicated shares make more of a placement than room on nodes."""
    if problem.quotas or problem.pins or problem.gang_rows or (problem.services and problem.limits.reserve is not Reserve.NONE):
        return True
    return any(service.spread is not None or service.dedicated for service in problem.services)


def asks_for_profiles(problem: Problem) -> bool:
    """Whether some work asks for a named profile."""
    shapes = (*(job.shape for job in problem.jobs), *(service.shape for service in problem.services))
    return any(shape.slice_profile is not None for shape in shapes)
