"""What a solve of any kind gives, and what it has when it is ended from outside. It knows no solver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from schedplan.model.plan import Plan
from schedplan.model.problem import Problem


@dataclass(frozen=True)
class FrontPlan:
    """A plan of a front with the problem it answers: that of the project with other weights, and goals held."""

    problem: Problem
    plan: Plan


@dataclass(frozen=True)
class Solved:
    """A plan with the problem it answers, as goals were held and jobs stopped for it; front: the plans of a front beside it."""

    problem: Problem
    plan: Plan
    front: tuple[FrontPlan, ...] = ()


class Solving(Protocol):
    """One solve that somebody may end from outside, by an exception in the thread that runs it."""

    def solve(self) -> Solved:
        """Return the plan. Raises SolverError without one."""

    def reached(self) -> Solved | None:
        """Return what a solve that was ended has: its best plan so far, that the check accepted, as it stands; None without one."""
