"""The recipe for many nodes: plans per type at several slacks, their fillings, a dive over them, best fit of what is left.

Bounded by counts of steps, never by a clock.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from schedplan.model.problem import Problem
from schedplan.optimize.static.assembly import Assembly
from schedplan.optimize.static.filling import Filling, planned_fillings, sampled_fillings
from schedplan.optimize.static.instance import Instance
from schedplan.optimize.static.ladder import NEARLY_WHOLE, SLACKS, type_plan
from schedplan.optimize.static.master import ROUNDINGS, Master
from schedplan.optimize.static.pricing import Pricing
from schedplan.optimize.static.program import Floats
from schedplan.optimize.static.relaxation import Relaxation
from schedplan.optimize.static.residual import residual
from schedplan.optimize.static.standing import Standing, assembly_with, held_of_cuts, nodes_with

SAMPLED_SLACKS = (0.0, 0.10)
REQUIRED = 1000.0
PRICING_ROUNDS = 12
NEAR_BOUND = 1e-3


@dataclass(frozen=True, slots=True)
class RecipeWork:
    """What was done, in counts that are the same on every machine."""

    fillings: int
    dive_rounds: int
    priced: int


def weights_of(instance: Instance) -> Floats:
    """Return what a unit of each class is worth to the search: its weight, and far more where its job is required."""
    boost = REQUIRED * float(instance.weights.max(initial=1.0))
    return instance.weights + boost * np.array([one.job.required for one in instance.classes])


def assemble(problem: Problem, whole: Instance, standing: Standing) -> tuple[Assembly, RecipeWork]:
    """Return the best assembly of several dives over the same fillings, and what was done for it."""
    weights = weights_of(whole)
    left, rows_of = residual(nodes_with(problem, whole, standing))
    left = replace(left, held=held_of_cuts(problem, whole, standing))
    fillings, n_priced = _fillings(left, weights)
    left = _within_quotas(left, weights)
    order = sorted(range(len(whole.classes)), key=lambda k: (-weights[k], k))
    found: list[Assembly] = []
    rounds = 0
    master = Master(left, fillings, weights)
    for rounded_up in ROUNDINGS:
        chosen, done = master.dive(rounded_up)
        rounds += done
        assembly = assembly_with(problem, whole, standing)
        assembly.settle(chosen, rows_of)
        assembly.complete_gangs()
        assembly.fill(order)
        found.append(assembly)
    best = max(found, key=lambda assembly: float(weights @ (whole.demand - assembly.wanted)))
    return best, RecipeWork(len(fillings), rounds, n_priced)


def _within_quotas(left: Instance, weights: Floats) -> Instance:
    """Return an instance with no more jobs of a class than an optimum within the quotas has: the dive counts units, not tenants."""
    answer = Relaxation(left).solve(weights) if left.cuts else None
    if answer is None:
        return left
    units = np.zeros(len(left.classes))
    for (_, k), placed in zip(Relaxation(left).units, answer.x, strict=False):
        units[k] += placed
    counted = left.problem.ceilings_over
    return replace(
        left,
        classes=tuple(
            replace(one, jobs=one.jobs[: ceil(units[one.idx] / one.units - NEARLY_WHOLE)]) if one.job.tenant in counted else one
            for one in left.classes
        ),
    )


def _fillings(left: Instance, weights: Floats) -> tuple[list[Filling], int]:
    relaxation = Relaxation(left)
    found: list[Filling] = []
    bound = 0.0
    rng = np.random.default_rng(0)
    for slack in SLACKS:
        answer = relaxation.solve(weights, slack)
        if answer is None:
            continue
        bound = max(bound, answer.value)
        found += planned_fillings(relaxation, type_plan(relaxation, answer, weights, slack))
        if slack in SAMPLED_SLACKS:
            found += sampled_fillings(relaxation, answer, rng)
    found = list(dict.fromkeys(found))
    return _with_priced(left, found, weights, bound)


def _with_priced(left: Instance, fillings: list[Filling], weights: Floats, bound: float) -> tuple[list[Filling], int]:
    """Add fillings priced at the master's prices while it stays below the bound of the relaxation."""
    pricing, n_priced = None, 0
    for _ in range(PRICING_ROUNDS):
        answer = Master(left, fillings, weights).whole()
        if answer.value >= bound * (1 - NEAR_BOUND):
            break
        pricing = pricing or Pricing(left)
        known = set(fillings)
        new = [filling for filling in pricing.fillings(answer) if filling not in known]
        if not new:
            break
        fillings = [*fillings, *new]
        n_priced += len(new)
    return fillings, n_priced
