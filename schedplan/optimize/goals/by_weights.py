"""All goals at once by their weights: the plain solve, as one that may be ended from outside."""

from __future__ import annotations

from schedplan.model.problem import Problem
from schedplan.model.progress import NOTHING, Progress, Watch, unwatched
from schedplan.optimize.ground import ground_of
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.solve import interrupted, optimize
from schedplan.optimize.solved import Solved


class ByWeights:
    """A solve of a problem by the weights of its goals."""

    def __init__(self, problem: Problem, options: SolveOptions, watch: Watch = unwatched) -> None:
        self.problem = problem
        self.options = options
        self.watch = watch
        self._reached = NOTHING
        self._solved: Solved | None = None

    def solve(self) -> Solved:
        """Return the plan. Raises SolverError as `optimize` does."""
        self._solved = Solved(self.problem, optimize(self.problem, self.options, watch=self._follow))
        return self._solved

    def reached(self) -> Solved | None:
        """Return the best plan so far as it stands."""
        if self._solved is not None or self._reached.decisions is None:
            return self._solved
        return Solved(self.problem, interrupted(ground_of(self.problem), self.problem, self.options, self._reached))

    def _follow(self, progress: Progress) -> None:
        if progress.decisions is not None:
            self._reached = progress
        self.watch(progress)
