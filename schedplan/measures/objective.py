"""F, the one number a plan is judged by: goals in natural units, scaled by a reference plan, weighted, summed.

    F = sum over goals of weight * value / (reference - ideal)  +  unplaced rate * share of the work left out

It knows goal values and their scales, not where either comes from.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum

from schedplan.measures.work import counted_unit
from schedplan.model.plan import Term
from schedplan.model.problem import GOALS, Problem

NO_CONFLICT = 1e-6
LEAST_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class GoalValues:
    """What a plan does, in natural values: latency and utilization in counted-resource-hours, cost in currency, carbon in gCO2e,
    unplaced as the share of all importance that is left out (0..1)."""

    latency: float
    utilization: float
    cost: float
    carbon: float
    unplaced: float

    def of(self, goal: str) -> float:
        """Return the value of a goal of GOALS, or of `unplaced`."""
        return {
            "latency": self.latency,
            "utilization": self.utilization,
            "cost": self.cost,
            "carbon": self.carbon,
            "unplaced": self.unplaced,
        }[goal]


@dataclass(frozen=True, slots=True)
class Scale:
    """What one goal is measured against: its value in the reference plan, its ideal, and the divisor that follows from both.

    size: how much the goal is about in all (the work, what is paid for, the bill). A divisor is never below a tenth of it: where
    the reference is all but ideal, the difference between the two is noise, and divided by it one hour of wait would outweigh
    everything else. Our choice.
    """

    reference: float
    ideal: float
    size: float = 0.0

    @property
    def in_conflict(self) -> bool:
        """Whether there is anything to win or lose between ideal and reference."""
        return self.reference - self.ideal >= NO_CONFLICT * max(1.0, abs(self.reference))

    @property
    def divisor(self) -> float:
        if not self.in_conflict:
            return max(1.0, abs(self.reference), self.size)
        return max(self.reference - self.ideal, LEAST_SHARE * self.size)


@dataclass(frozen=True, slots=True)
class Normalisation:
    """The scale of every goal of GOALS, and what the reference plan leaves out."""

    latency: Scale
    utilization: Scale
    cost: Scale
    carbon: Scale
    unplaced: float = 0.0

    @classmethod
    def between(cls, reference: GoalValues, ideal: GoalValues, size: GoalValues | None = None) -> Normalisation:
        """Return the scales between a reference plan's values and the ideals, for goals of a size (None: 0)."""
        scales = {goal: Scale(reference.of(goal), ideal.of(goal), 0.0 if size is None else size.of(goal)) for goal in GOALS}
        return cls(**scales, unplaced=reference.unplaced)

    def of(self, goal: str) -> Scale:
        """Return the scale of a goal of GOALS."""
        return {"latency": self.latency, "utilization": self.utilization, "cost": self.cost, "carbon": self.carbon}[goal]


def terms(problem: Problem, goals: GoalValues, normalisation: Normalisation) -> tuple[Term, ...]:
    """Return the terms of F in the order of GOALS, then `unplaced`; carbon only where it has a weight."""
    wanted = [goal for goal in GOALS if goal != "carbon" or problem.objective.carbon > 0]
    return (*(_term(problem, goals, normalisation, goal) for goal in wanted), _unplaced_term(problem, goals, normalisation))


def total(found: tuple[Term, ...]) -> float:
    """Return F: the exactly rounded sum of the terms' contributions."""
    return fsum(term.contribution for term in found)


def goal_unit(problem: Problem, goal: str) -> str:
    """Return the natural unit of a goal of GOALS, or of `unplaced`."""
    hours = f"{counted_unit(problem.cluster)}-h"
    return {"latency": hours, "utilization": hours, "cost": problem.currency, "carbon": "gCO2e", "unplaced": "share"}[goal]


def _term(problem: Problem, goals: GoalValues, normalisation: Normalisation, goal: str) -> Term:
    scale = normalisation.of(goal)
    return Term(
        name=goal,
        value=goals.of(goal),
        unit=goal_unit(problem, goal),
        weight=problem.objective.weight(goal),
        divisor=scale.divisor,
        reference=scale.reference,
        ideal=scale.ideal,
        in_conflict=scale.in_conflict,
        size=scale.size,
    )


def _unplaced_term(problem: Problem, goals: GoalValues, normalisation: Normalisation) -> Term:
    return Term("unplaced", goals.unplaced, "share", problem.objective.unplaced, 1.0, normalisation.unplaced, 0.0, True)
