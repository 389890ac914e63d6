"""at_most: a goal, or the share of work left out, is no more than the value it is held at."""

from __future__ import annotations

from collections.abc import Iterator

from schedplan.measures.accounting import goal_values
from schedplan.measures.held import exceeded
from schedplan.measures.objective import goal_unit
from schedplan.measures.rules.case import Case, broken
from schedplan.model.findings import Finding


def at_most(case: Case) -> Iterator[Finding]:
    if not case.problem.objective.at_most:
        return
    goals = goal_values(case.problem, case.decisions)
    for one in exceeded(case.problem, goals):
        unit = goal_unit(case.problem, one.goal)
        yield broken("at_most", f"goal {one.goal}", f"is {goals.of(one.goal):.9g} {unit}; it is held at {one.value:.9g}")
