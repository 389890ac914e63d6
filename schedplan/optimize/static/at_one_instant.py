"""Everything at one instant: a static solve, as one that may be ended from outside."""

from __future__ import annotations

from dataclasses import replace

from schedplan.model.plan import Plan
from schedplan.model.problem import Problem
from schedplan.model.progress import NOTHING, Progress, Watch, unwatched
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.solved import Solved
from schedplan.optimize.static.beside import held_beside
from schedplan.optimize.static.solve import StaticSolve
from schedplan.optimize.static.ties import is_for_one_slot


def optimize_static(problem: Problem, options: SolveOptions | None = None) -> Plan:
    """Return the plan of a static problem with its bound, or its conflict where a required job fits no node.

    Raises SolverError where required jobs found no room, or `require_optimal` is set and the proof is missing.
    """
    return AtOneInstant(problem, options or SolveOptions()).solve().plan


class AtOneInstant:
    """A solve of a static problem, by the whole model of one slot or by the recipe for many nodes."""

    def __init__(self, problem: Problem, options: SolveOptions, watch: Watch = unwatched) -> None:
        self.problem = problem
        self.options = options
        self.watch = watch
        self._by_recipe: StaticSolve | None = None
        self._reached = NOTHING
        self._solved: Solved | None = None

    def solve(self) -> Solved:
        """Return the plan. Raises SolverError as `optimize_static` does."""
        if is_for_one_slot(self.problem):
            # Late: the model of one slot brings a solver along that takes as much memory as a large placement.
            from schedplan.optimize.static.one_slot import optimize_one_slot

            plan = optimize_one_slot(self.problem, self.options, self._follow)
        else:
            self._by_recipe = StaticSolve(self.problem, self.options, self.watch)
            plan = self._by_recipe.plan()
        self._solved = Solved(self.problem, _with_choices(self.problem, plan))
        return self._solved

    def reached(self) -> Solved | None:
        """Return the best plan so far as it stands."""
        if self._solved is not None:
            return self._solved
        plan = None
        if self._by_recipe is not None:
            plan = self._by_recipe.kept()
        elif self._reached.decisions is not None:
            from schedplan.optimize.static.one_slot import interrupted_in_one_slot

            plan = interrupted_in_one_slot(self.problem, self.options, self._reached)
        return None if plan is None else Solved(self.problem, plan)

    def _follow(self, progress: Progress) -> None:
        if progress.decisions is not None:
            self._reached = progress
        self.watch(progress)


def _with_choices(problem: Problem, plan: Plan) -> Plan:
    """The plan, beside what choices of one node at a time hold of the same work."""
    if plan.proof.objective is None:
        return plan
    return replace(plan, proof=replace(plan.proof, work=(*plan.proof.work, *held_beside(problem))))
