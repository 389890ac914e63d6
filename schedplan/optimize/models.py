"""The models of one problem, one for each level, built when they are first asked for. It knows no solver run.

A solve that asks once takes them as they are. Goal by goal, and along a front, only goals change from solve to solve: then rows
are built once, and every aim gets a copy with its own objective and the rows of the goals it holds.
"""

from __future__ import annotations

from schedplan.measures.objective import Normalisation
from schedplan.model.problem import Objective, Problem
from schedplan.model.workload import Job
from schedplan.optimize.cells import Level
from schedplan.optimize.formulation import Formulation, aimed, build, copied
from schedplan.optimize.layout import Layout, layout
from schedplan.optimize.wide.widened import is_summable, widened

WIDE_COLUMNS = 10_000
"""Models of more columns are built as arrays where their rows are sums over slots, and not start by start."""

KB_A_START, KB_A_WIDE_START = 4.0, 2.0
"""What a column of a model on pools takes with its relaxation, built start by start and as arrays; measured on fleets of a day."""


class Models:
    """Layouts and models of `jobs` (those that may be planned). is_reused: whether more than one aim is asked for."""

    def __init__(self, problem: Problem, jobs: tuple[Job, ...], excluded: tuple[Job, ...], *, is_reused: bool = False) -> None:
        self.is_reused = is_reused
        self._problem = problem
        self._jobs = jobs
        self._excluded = excluded
        self._shapes: dict[Level, Layout] = {}
        self._plain: dict[Level, Formulation] = {}

    def know(self, shape: Layout) -> None:
        """Keep a layout of the jobs that may be planned, made elsewhere."""
        self._shapes[shape.level] = shape

    def shape(self, level: Level) -> Layout:
        """Return the layout of a level."""
        if level not in self._shapes:
            self._shapes[level] = layout(self._problem, self._jobs, level)
        return self._shapes[level]

    def memory_mb(self, level: Level, wanted: Objective) -> float:
        """Return about how much memory the model of a level takes, with its relaxation; known before it is built."""
        shape = self.shape(level)
        return shape.n_columns * (KB_A_WIDE_START if self._is_wide(shape, wanted) else KB_A_START) / 1000.0

    def aimed(self, level: Level, wanted: Objective, normalisation: Normalisation) -> Formulation:
        """Return the model of a level that minimises and holds what is wanted; as arrays where it is wide."""
        shape = self.shape(level)
        if self._is_wide(shape, wanted):
            return widened(shape, self._excluded, wanted, normalisation)
        if not self.is_reused:
            return aimed(build(self.shape(level), self._excluded), wanted, normalisation)
        if level not in self._plain:
            self._plain[level] = build(self.shape(level), self._excluded)
        return aimed(copied(self._plain[level]), wanted, normalisation)

    @staticmethod
    def _is_wide(shape: Layout, wanted: Objective) -> bool:
        return shape.n_columns > WIDE_COLUMNS and is_summable(shape, wanted)
