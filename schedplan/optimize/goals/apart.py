"""Why a front has one point, in words: which other goals pull apart on a problem, and what there is to choose in it at all.

Two goals pull apart where the best plan for either is worse in the other than the other's best plan. It knows no solver run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import combinations

from schedplan.measures.emissions import unknown_emissions
from schedplan.measures.objective import GoalValues
from schedplan.model.problem import GOALS, Problem
from schedplan.optimize.layout import Layout

SAME = 1e-6
"""Of a goal's value: by less than that two plans do not differ in it (our choice)."""
_NO_QUARREL = ", and no two of these goals disagree on which"


def known_goals(problem: Problem) -> tuple[str, ...]:
    """Return the goals that have a value on a problem: carbon only where the emissions of some node are known."""
    has_carbon = len(unknown_emissions(problem)) < sum(pool.max_count > 0 for pool in problem.cluster.pools)
    return tuple(goal for goal in GOALS if goal != "carbon" or has_carbon)


def pulling_apart(best: Mapping[str, GoalValues]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of goals that pull apart; best: for each goal the values of the plan that is best in it, others tied."""
    return tuple(
        (one, other)
        for one, other in combinations(best, 2)
        if _is_more(best[one].of(other), best[other].of(other)) and _is_more(best[other].of(one), best[one].of(one))
    )


def why_one_point(layout: Layout, goals: tuple[str, ...], pairs: tuple[tuple[str, str], ...]) -> str:
    """Return why a front has one point, and which would have more. goals: those that were looked at."""
    if pairs:
        shown = ", ".join(f"{one} and {other} (--pareto-goals {one},{other})" for one, other in pairs)
        return f"Goals that do pull apart here: {shown}."
    return f"Nor do any others of {', '.join(goals)}. {_choices(layout)}"


def _choices(layout: Layout) -> str:
    starts: dict[int, set[int]] = defaultdict(set)
    for column in layout.columns:
        starts[column.class_idx].add(column.start_slot)
    jobs = sum(len(one.jobs) for one in layout.classes)
    free = sum(len(one.jobs) for one in layout.classes if len(starts[one.idx]) > 1)
    told = f"{free} of {jobs} {'job' if jobs == 1 else 'jobs'} may start at more than one time{_NO_QUARREL if free else ''}"
    services = "replicas follow the demand whatever is weighed; " if layout.problem.services else ""
    had = told if jobs else "there is no job"
    return f"There is little to trade: {services}{had}. Work that may wait for cheaper nodes would change that."


def _is_more(mine: float, other: float) -> bool:
    return mine > other + SAME * max(1.0, abs(mine), abs(other))
