"""Goals that are held at values, and which of them goal values exceed."""

from __future__ import annotations

from schedplan.measures.objective import GoalValues
from schedplan.model.problem import AtMost, Problem

HELD_WITHIN = 1e-9


def exceeded(problem: Problem, goals: GoalValues) -> tuple[AtMost, ...]:
    """Return the goals that are above what they are held at, by more than a billionth of it."""
    return tuple(
        one for one in problem.objective.at_most if goals.of(one.goal) > one.value + HELD_WITHIN * max(1.0, abs(one.value))
    )
