"""The recipe for many nodes: plans per type at several slacks, their fillings, dives over them, best fit of the rest, exchanges.

Bounded by counts of steps, never by a clock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from schedplan.model.problem import Problem
from schedplan.optimize.static.assembly import Assembly
from schedplan.optimize.static.dives import Dives, Site
from schedplan.optimize.static.exchange import exchanged
from schedplan.optimize.static.generation import generated
from schedplan.optimize.static.instance import Instance
from schedplan.optimize.static.ladder import NEARLY_WHOLE, SLACKS
from schedplan.optimize.static.planned import Planned
from schedplan.optimize.static.program import Floats
from schedplan.optimize.static.relaxation import Relaxation
from schedplan.optimize.static.residual import residual
from schedplan.optimize.static.standing import Standing, held_of_cuts, nodes_with

FIRST_SLACKS = (0.05, 0.10)
FIRST_SAMPLES, SAMPLES = 25, 75
FIRST_ROUNDINGS = (8,)


@dataclass(frozen=True, slots=True)
class RecipeWork:
    """What was done, in counts that are the same on every machine."""

    fillings: int
    dive_rounds: int
    priced: int
    exchanges: int


def assemble(
    problem: Problem, whole: Instance, standing: Standing, keep: Callable[[Assembly], None] = lambda _: None
) -> tuple[Assembly, RecipeWork]:
    """Return the best assembly of several dives over fillings, and what was done for it; `keep` is told of every better one."""
    left, rows_of = residual(nodes_with(problem, whole, standing))
    left = replace(left, held=held_of_cuts(problem, whole, standing))
    dives = Dives(problem, whole, standing, keep)
    fillings, priced = searched(dives, Site(_within_quotas(left, dives.weights), rows_of), left)
    best = dives.best
    exchanges = exchanged(best, dives.weights, keep)
    return best, RecipeWork(fillings, dives.rounds, priced, exchanges)


def searched(dives: Dives, site: Site, poured: Instance) -> tuple[int, int]:
    """Dive over more and more fillings of a site, found on `poured`, and return how many there were, and how many were priced."""
    planned = Planned(poured, dives.weights)
    planned.add(FIRST_SLACKS)
    planned.sample(FIRST_SAMPLES)
    dives.over(site, planned.fillings, FIRST_ROUNDINGS)
    planned.add(tuple(slack for slack in SLACKS if slack not in FIRST_SLACKS))
    planned.sample(SAMPLES)
    dives.over(site, planned.fillings)
    priced = generated(poured, planned.fillings, dives.weights, planned.centre(), planned.bound)
    fillings = [*planned.fillings, *priced]
    if priced:
        dives.over(site, fillings)
    fillings = dives.recombined(site, fillings)
    return len(fillings), len(priced)


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
