"""budget: what is paid in a day, with the rework of what starts in it and what is borrowed in it."""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum

from schedplan.measures.costs import Prices, paid, part_rework_costs
from schedplan.measures.quotas import borrow_costs
from schedplan.measures.rules.case import FORGIVEN, Case, broken
from schedplan.model.findings import Finding


def budget(case: Case) -> Iterator[Finding]:
    limit = case.problem.limits.budget_per_day
    if limit is None:
        return
    grid, problem = case.problem.grid, case.problem
    prices = Prices.of(problem)
    spent = borrow_costs(problem, case.decisions).by_slot + paid(problem, case.decisions, prices).sum(axis=0)
    for run in case.runs:
        spent[run.start_slot] += fsum(part_rework_costs(run, prices))
    for day, slots in grid.days(problem.zone):
        total = float(spent[list(slots)].sum())
        if total > limit + FORGIVEN * max(1.0, limit):
            message = f"{total:.2f} {problem.currency} are spent; the limit is {limit:.2f}"
            yield broken("budget", f"day {day}", message, "raise budget_per_day, or let jobs wait or run on cheaper nodes")
