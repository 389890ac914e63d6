"""What decisions are worth in the objective of a plan: the same goals, weights and divisors. It decides nothing."""

from __future__ import annotations

from dataclasses import replace

from schedplan.explain.room import Berth, Room
from schedplan.measures.accounting import goal_values
from schedplan.measures.objective import total
from schedplan.model.plan import Decisions, Plan
from schedplan.model.problem import Problem


class Worth:
    """The objective by which a plan was made."""

    def __init__(self, problem: Problem, plan: Plan) -> None:
        self._problem = problem
        self._terms = plan.terms
        self._here = self.of(plan.decisions) if plan.terms else None

    def of(self, decisions: Decisions) -> float:
        """Return F of decisions."""
        values = goal_values(self._problem, decisions)
        return total(tuple(replace(term, value=values.of(term.name)) for term in self._terms))

    def difference(self, room: Room, berth: Berth) -> float | None:
        """Return by how much F grows when a job stands on a berth, all else as planned; None where that can't be told."""
        if self._here is None:
            return None
        on = room.supply_with(berth.parts)
        if on is None:
            return None
        there = room.with_parts(berth.parts)
        return self.of(Decisions(there.parts, there.replicas, on)) - self._here
