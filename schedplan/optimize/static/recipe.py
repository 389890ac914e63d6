"""The recipe for many nodes: plans per type at several slacks, their fillings, a dive over them, best fit of what is left.

Bounded by counts of steps, never by a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from schedplan.model.problem import Problem
from schedplan.optimize.static.assembly import Assembly
from schedplan.optimize.static.filling import Filling, planned_fillings, sampled_fillings, standing_fillings
from schedplan.optimize.static.generation import generated
from schedplan.optimize.static.instance import Instance, Integers
from schedplan.optimize.static.ladder import NEARLY_WHOLE, SLACKS, type_plan
from schedplan.optimize.static.master import ROUNDINGS, Master
from schedplan.optimize.static.program import Answer, Floats
from schedplan.optimize.static.relaxation import Relaxation, Row
from schedplan.optimize.static.residual import residual
from schedplan.optimize.static.standing import Standing, assembly_with, held_of_cuts, nodes_with

SAMPLED_SLACKS = (0.0, 0.10)
REQUIRED = 1000.0
FIRST_SLACKS = (0.05, 0.10)
FIRST_SAMPLES, SAMPLES = 25, 75
FIRST_ROUNDINGS = (8,)
RECOMBINATIONS = 6
RECOMBINED = 3


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


def assemble(
    problem: Problem, whole: Instance, standing: Standing, keep: Callable[[Assembly], None] = lambda _: None
) -> tuple[Assembly, RecipeWork]:
    """Return the best assembly of several dives over fillings, and what was done for it; `keep` is told of every better one."""
    weights = weights_of(whole)
    left, rows_of = residual(nodes_with(problem, whole, standing))
    left = replace(left, held=held_of_cuts(problem, whole, standing))
    planned = _Planned(left, weights)
    dives = _Dives(problem, whole, standing, _within_quotas(left, weights), rows_of, keep)
    planned.add(FIRST_SLACKS)
    planned.sample(FIRST_SAMPLES)
    dives.over(planned.fillings, FIRST_ROUNDINGS)
    planned.add(tuple(slack for slack in SLACKS if slack not in FIRST_SLACKS))
    planned.sample(SAMPLES)
    dives.over(planned.fillings, ROUNDINGS)
    priced = generated(left, planned.fillings, weights, planned.centre(), planned.bound)
    fillings = [*planned.fillings, *priced]
    if priced:
        dives.over(fillings, ROUNDINGS)
    fillings = dives.recombined(fillings)
    return dives.best, RecipeWork(len(fillings), dives.rounds, len(priced))


class _Dives:
    """Dives over fillings of nodes: the few best assemblies that came of them, best first, and how many rounds they took."""

    def __init__(
        self,
        problem: Problem,
        whole: Instance,
        standing: Standing,
        left: Instance,
        rows_of: tuple[tuple[int, ...], ...],
        keep: Callable[[Assembly], None],
    ) -> None:
        self.problem, self.whole, self.standing = problem, whole, standing
        self.left, self.rows_of, self.keep = left, rows_of, keep
        self.weights = weights_of(whole)
        self.ranked: list[tuple[float, Assembly]] = []
        self.rounds = 0

    @property
    def best(self) -> Assembly:
        """The best assembly of all dives so far."""
        return self.ranked[0][1]

    def over(self, fillings: list[Filling], roundings: tuple[int, ...]) -> None:
        """Rank the outcomes of several dives over fillings among those that are there, and keep the best."""
        master = Master(self.left, fillings, self.weights)
        for rounded_up in roundings:
            chosen, rounds = master.dive(rounded_up)
            self.rounds += rounds
            self._rank(self._settled(chosen))

    def recombined(self, fillings: list[Filling]) -> list[Filling]:
        """Dive also over what the best assemblies have on their nodes, as long as that helps; return all fillings by then."""
        for _ in range(RECOMBINATIONS):
            standing_now = [one for _, ranked in self.ranked for one in standing_fillings(ranked.nodes, self._type_of())]
            fillings = list(dict.fromkeys([*fillings, *standing_now]))
            worth = self.ranked[0][0]
            self.over(fillings, ROUNDINGS)
            if self.ranked[0][0] <= worth:
                break
        return fillings

    def _settled(self, chosen: Sequence[tuple[Filling, int]]) -> Assembly:
        """Return an assembly with fillings on nodes, and by best fit what finds room beside them."""
        assembly = assembly_with(self.problem, self.whole, self.standing)
        assembly.settle(chosen, self.rows_of)
        assembly.complete_gangs()
        assembly.fill(sorted(range(len(self.whole.classes)), key=lambda k: (-self.weights[k], k)))
        return assembly

    def _rank(self, assembly: Assembly) -> None:
        worth = float(self.weights @ (self.whole.demand - assembly.wanted))
        if not self.ranked or worth > self.ranked[0][0]:
            self.keep(assembly)
        self.ranked.append((worth, assembly))
        self.ranked.sort(key=lambda one: -one[0])
        del self.ranked[RECOMBINED:]

    def _type_of(self) -> Integers:
        """Return the type of each node, int64 [node]."""
        type_of = np.zeros(sum(len(rows) for rows in self.rows_of), dtype=np.int64)
        for of_type, rows in enumerate(self.rows_of):
            type_of[list(rows)] = of_type
        return type_of


class _Planned:
    """Fillings of plans per type at several slacks, and sampled ones."""

    def __init__(self, left: Instance, weights: Floats) -> None:
        self.weights = weights
        self.relaxation = Relaxation(left)
        self.answers: dict[float, Answer | None] = {}
        self.rng = np.random.default_rng(0)
        self.found: dict[Filling, None] = {}

    @property
    def fillings(self) -> list[Filling]:
        return list(self.found)

    @property
    def bound(self) -> float:
        """The value of the relaxation with nothing set aside."""
        answer = self._answer(0.0)
        return answer.value if answer is not None else 0.0

    def centre(self) -> Floats:
        """What a unit of each class costs under the prices of the relaxation."""
        answer = self._answer(0.0)
        if answer is None:
            return self.weights
        demand = [self.relaxation.row_of[Row("demand", k)] for k in range(len(self.weights))]
        return np.maximum(self.weights - answer.prices[demand], 0.0)

    def add(self, slacks: tuple[float, ...]) -> None:
        """Add the fillings of the plans at some slacks."""
        for slack in slacks:
            answer = self._answer(slack)
            if answer is not None:
                plan = type_plan(self.relaxation, answer, self.weights, slack)
                self.found |= dict.fromkeys(planned_fillings(self.relaxation, plan))

    def sample(self, per_type: int) -> None:
        """Add sampled fillings, so many for each type and slack."""
        for slack in SAMPLED_SLACKS:
            answer = self._answer(slack)
            if answer is not None:
                self.found |= dict.fromkeys(sampled_fillings(self.relaxation, answer, self.rng, per_type))

    def _answer(self, slack: float) -> Answer | None:
        if slack not in self.answers:
            self.answers[slack] = self.relaxation.solve(self.weights, slack)
        return self.answers[slack]


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
