"""List policies: in which order jobs are taken, and which nodes come first where several would do. They know no board.

Each is what a simple scheduler does, and keeps every rule as the reference plan does. The reference plan is the first of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from schedplan.model.problem import Problem
from schedplan.model.sequence import Rank, Unit


@dataclass(frozen=True, slots=True)
class ListPolicy:
    """rank: what sorts the jobs that start together, lowest first. takes_fullest: the fullest nodes before the cheapest."""

    name: str
    description: str
    rank: Callable[[Problem, Unit], Rank]
    takes_fullest: bool = False


def _arrival(problem: Problem, unit: Unit) -> Rank:
    """Return what sorts units: those with a pin first, whose place is no choice, then by release and name."""
    is_pinned = any(job.name in problem.pin_of_job for job in unit)
    return (0.0 if is_pinned else 1.0, max(job.release_s or problem.grid.start_s for job in unit), unit[0].name)


def _length(problem: Problem, unit: Unit) -> Rank:
    first, *rest = _arrival(problem, unit)
    return (first, max(job.runtime_minutes or inf for job in unit), *rest)


def _deadline(problem: Problem, unit: Unit) -> Rank:
    first, *rest = _arrival(problem, unit)
    return (first, min(inf if job.deadline_s is None else float(job.deadline_s) for job in unit), *rest)


FIRST_COME = ListPolicy("first-come", "jobs as they come, the cheapest nodes first", _arrival)
BEST_FIT = ListPolicy("best-fit", "jobs as they come, the fullest nodes that hold them first", _arrival, takes_fullest=True)
OTHERS = (
    ListPolicy("shortest-first", "the shortest jobs first, the cheapest nodes first", _length),
    ListPolicy("earliest-deadline", "the earliest deadlines first, the cheapest nodes first", _deadline),
    BEST_FIT,
)
