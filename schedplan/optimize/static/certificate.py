"""What prices prove of the objective of a static plan: recomputed from the problem, without a solver."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import fsum

from schedplan.measures.work import importance
from schedplan.model.plan import Price
from schedplan.model.problem import Problem
from schedplan.optimize.static.bound import bound_of
from schedplan.optimize.static.instance import instance
from schedplan.optimize.static.services import service_needs

# Names of the numbers of the proof among the work of a solve. Counted resource: devices, else cores.
SIZE_PLACED, SIZE_AT_MOST = "weighed size placed", "weighed size placed at most"
COUNTED_PLACED, COUNTED_AT_MOST = "counted resource placed", "counted resource placed at most"
COUNTED_BY_BEST_FIT = "counted resource placed by best fit"
COUNTED_BY_LEAST_FRAGMENTATION = "counted resource placed by least growth of fragmentation"
NODES_AT_LEAST = "nodes that any placement of all work takes"
DEAREST_DEVICE = "dearest device under the prices of the proof"


def proven_objective(problem: Problem, prices: Sequence[Price]) -> float:
    """Return the least objective that prices leave to any plan. ValueError for prices that can't be read."""
    relaxed = instance(problem, is_relaxed=True)
    return least_objective(problem, bound_of(relaxed, service_needs(problem, relaxed), prices).value)


def least_objective(problem: Problem, most_placed: Fraction | float) -> float:
    """Return the objective of a plan that places so much weighed size: what is left of all, times the rate for it."""
    everything = Fraction(fsum(importance(problem, job) for job in problem.jobs))
    if not everything:
        return 0.0
    return problem.objective.unplaced * float(max(1 - Fraction(most_placed) / everything, Fraction(0)))
