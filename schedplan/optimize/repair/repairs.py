"""Repairs of an infeasible problem: changes near its conflicts, each tried before it is named. It orders none of them to be made.

A repair is named only if the changed problem has a plan of all that must hold, which the solver-free check accepts. Single
changes come first; where none does it, two or three of them together, each mending a conflict that the ones before it left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import ceil

from schedplan.errors import SolverError
from schedplan.measures.feasibility import violations
from schedplan.model.plan import ConflictItem, Plan, PlanStatus, Repair
from schedplan.model.problem import Objective, Problem
from schedplan.optimize.conflict.core import conflict
from schedplan.optimize.conflict.satisfaction import Answer, Satisfaction, musts, of_named_work, satisfaction
from schedplan.optimize.conflict.screening import screened_jobs
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.repair.change import Change
from schedplan.optimize.repair.edits import edits
from schedplan.optimize.repair.price import largest_day, price
from schedplan.optimize.repair.remedies import ladders

MOST_TRIES = 60
MOST_TOGETHER = 3
MOST_HALVES = 4
"""Changes that mend one conflict of several and are built upon, the cheapest first."""

Cheapest = Callable[[Problem], Plan]
"""A plan of a problem that is searched for its cost alone."""


@dataclass(frozen=True, slots=True)
class _Step:
    """A change, the problem before it, and its price in currency over the horizon, None where it has none."""

    change: Change
    before: Problem
    cost: float | None


@dataclass(frozen=True, slots=True)
class _Half:
    """Changes made one after the other that are not enough yet."""

    steps: tuple[_Step, ...]
    problem: Problem

    def order(self) -> tuple[int, float, tuple[str, ...]]:
        """Sort by the number of changes without a price, then by price, then by name."""
        costs = [step.cost for step in self.steps]
        return (costs.count(None), sum(cost or 0.0 for cost in costs), tuple(step.change.words for step in self.steps))


def repairs(problem: Problem, found: tuple[ConflictItem, ...], options: SolveOptions, cheapest: Cheapest) -> tuple[Repair, ...]:
    """Return the changes near the conflicts that give the problem a plan, those with a price first, cheapest first."""
    search = _Search(problem, options, cheapest)
    whole, halves = search.tried(_Half((), problem), found)
    for _ in range(MOST_TOGETHER - 1):
        if whole:
            break
        further: list[_Half] = []
        for half in sorted(halves, key=_Half.order)[:MOST_HALVES]:
            more, still = search.tried(half, search.conflict_of(half.problem))
            whole += more
            further += still
        halves = further
    ordered = sorted(whole, key=lambda repair: (repair.cost is None, repair.cost or 0.0, repair.change))
    return tuple(dict.fromkeys(ordered))


class _Search:
    """Tries changes. Mutable only in the count of its tries."""

    def __init__(self, problem: Problem, options: SolveOptions, cheapest: Cheapest) -> None:
        self.problem = problem
        self.options = replace(options, work_limit=options.glance_limit, require_optimal=False)
        self.cheapest = cheapest
        self.tries = 0

    def conflict_of(self, problem: Problem) -> tuple[ConflictItem, ...]:
        """Return the conflicts of a changed problem; none where they are not known within the limits."""
        try:
            return conflict(problem, screened_jobs(problem), self.options)
        except SolverError:
            return ()

    def tried(self, half: _Half, found: tuple[ConflictItem, ...]) -> tuple[list[Repair], list[_Half]]:
        """Return the changes that mend all, and those that mend one conflict of several, the smallest of each kind."""
        whole: list[Repair] = []
        halves: list[_Half] = []
        for group in sorted({item.group for item in found}):
            items = tuple(item for item in found if item.group == group)
            for _, changes in ladders(half.problem, items):
                mended = self._first(half, changes, items)
                if isinstance(mended, Repair):
                    whole.append(mended)
                elif mended is not None:
                    halves.append(mended)
            if any(item.rule == "budget" for item in items):
                whole += self._budgets(half)
        return whole, halves

    def _first(self, half: _Half, changes: Iterable[Change], items: tuple[ConflictItem, ...]) -> Repair | _Half | None:
        """Return the first of growing changes that mends all; else the first that mends its own conflict; else None."""
        found: _Half | None = None
        waiting = list(changes)
        while waiting and self.tries < MOST_TRIES:
            change = waiting.pop(0)
            self.tries += 1
            own = of_named_work(change.problem, {item.subject.partition(" ")[2] for item in items}, musts(change.problem))
            alone = None if own is None else satisfaction(own, self.options)
            if alone is not None and alone.answer is not Answer.POSSIBLE:
                continue
            whole = satisfaction(change.problem, self.options)
            if whole.answer is Answer.POSSIBLE:
                return self._repair(half, change, whole)
            if alone is not None and found is None:
                found = _Half((*half.steps, _step(half.problem, change, change.problem, alone)), change.problem)
                # A larger change of this kind may mend the rest too, but only if the largest does.
                if waiting and satisfaction(waiting[-1].problem, self.options).answer is not Answer.POSSIBLE:
                    break
        return found

    def _repair(self, half: _Half, change: Change, held: Satisfaction) -> Repair:
        last = change.problem
        steps = [_step(step.before, step.change, last, held) for step in half.steps] + [_step(half.problem, change, last, held)]
        costs = [step.cost for step in steps]
        cost = None if None in costs else sum(cost or 0.0 for cost in costs)
        words = " and ".join(step.change.words for step in steps)
        return Repair(words, cost, edits(self.problem, change.problem))

    def _budgets(self, half: _Half) -> list[Repair]:
        """Return the budget that the cheapest plan found without one would need; empty where there is none."""
        problem = half.problem
        limit = problem.limits.budget_per_day
        if limit is None:
            return []
        free = replace(problem, limits=replace(problem.limits, budget_per_day=None), objective=Objective(0.0, 0.0, 1.0))
        plan = self.cheapest(musts(free))
        if plan.proof.status not in (PlanStatus.OPTIMAL, PlanStatus.FEASIBLE):
            return []
        needed = ceil(largest_day(problem, plan) * 100 - 1e-6) / 100
        enough = replace(problem, limits=replace(problem.limits, budget_per_day=needed))
        if violations(musts(enough), plan.decisions):
            return []
        words = f"a budget of {needed:,.2f} {problem.currency} a day in place of {limit:,.2f}"
        steps = (*half.steps, _Step(Change(words, enough), problem, needed - limit))
        costs = [step.cost for step in steps]
        cost = None if None in costs else sum(cost or 0.0 for cost in costs)
        return [Repair(" and ".join(step.change.words for step in steps), cost, edits(self.problem, enough))]


def _step(before: Problem, change: Change, planned: Problem, held: Satisfaction) -> _Step:
    cost = None if held.decisions is None else price(before, change, planned, held.decisions)
    return _Step(change, before, cost)
