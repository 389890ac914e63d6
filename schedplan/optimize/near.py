"""The search near an earlier plan: its bound anew by the relaxation, the plan mended on nodes, and boxes around what has changed.

It is for large models alone: a small one is searched whole in the same time. Where more has changed than a mend is for, or the
check does not accept what it gives, the whole search goes on from there.
"""

from __future__ import annotations

from schedplan.measures.accounting import goal_values
from schedplan.measures.feasibility import violations
from schedplan.optimize.best import Best
from schedplan.optimize.cells import Level
from schedplan.optimize.layout import Layout
from schedplan.optimize.models import Models
from schedplan.optimize.nodes.mending import Mending
from schedplan.optimize.refine.prices import StartPrices
from schedplan.optimize.refine.refinement import Refinement

MOST_CHANGED = 0.2
"""Share of the jobs that have no place in the earlier plan, from which on the whole is searched."""


class Near:
    """One such search, which adds to `best`."""

    def __init__(self, best: Best, models: Models) -> None:
        self.best = best
        self.models = models

    def is_asked_for(self) -> bool:
        """Whether there is an earlier plan to stay near to, and the model is too large to be searched whole at once."""
        problem, options = self.best.problem, self.best.options
        if problem.earlier is None or problem.stops or problem.objective.at_most or not options.is_near:
            return False
        return self.models.shape(Level.POOLS).n_columns > options.whole_columns

    def has_plan(self) -> bool:
        """Search; whether the outcome is a plan that the check accepts, and little had to change for it."""
        best, options, shape = self.best, self.best.options, self.models.shape(Level.POOLS)
        best.tell("earlier plan")
        mending = Mending(best.problem, shape, best.normalisation, options.seed)
        mended = mending.mended()
        if mended is None or mending.changed > MOST_CHANGED * len(best.problem.jobs):
            best.route.append(f"earlier plan not mended: {mending.changed} of {len(best.problem.jobs)} jobs have no place in it")
            return False
        if violations(best.problem, mended):
            best.route.append("earlier plan mended, but not by every rule")
            return False
        best.take(mended, goal_values(best.problem, mended))
        self._improve(mending, self._bound(shape), shape)
        return True

    def _bound(self, shape: Layout) -> StartPrices | None:
        """Prove what no plan of this problem is below; return the prices of starts that follow, if any do."""
        self.best.tell("relaxation")
        formulation = self.models.aimed(shape.level, self.best.problem.objective, self.best.normalisation)
        self.best.route.append(f"{shape.n_columns} columns on {shape.level.value}, {len(shape.classes)} classes")
        refinement = Refinement(formulation, self.best.options)
        bound = refinement.relax(dives=False)
        self.best.bounds += [] if bound is None else [bound]
        self.best.route.append("HiGHS relaxation with rounding rows")
        return refinement.prices()

    def _improve(self, mending: Mending, prices: StartPrices | None, shape: Layout) -> None:
        """Draw boxes around what has changed."""
        self.best.tell("boxes on nodes")
        for decisions in mending.improve(prices, self.best.options.near_work, self.best.options.near_box_work):
            self.best.offer(decisions)
            self.best.tell()
            if self.best.is_late() or self.best.is_closed(shape):
                break
        self.best.work.append(("nodes_box_time", round(mending.work, 6)))
        self.best.route.append(
            f"earlier plan mended: {len(mending.homeless)} jobs have lost their place in it, {len(mending.placeless)} had none;"
            f" {mending.boxes} boxes around them"
        )
