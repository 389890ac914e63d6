"""Prices of starts: how much F rises at least with each of them, as the relaxation on pools tells it, for models on any level.

Formula: with L the relaxation's value and d >= 0 the reduced costs of its columns at their lower bounds, a plan x is worth at least
L + Σ d x. A start of a price above U − L is in no plan better than U; those of good plans are nearly all among the cheapest.
Intuition: a price near 0 is a start the relaxation could as well have chosen. Boxes that may use a few starts of each job can hold
many more jobs. Source of the use for boxes: kernel search, Angelelli, Mansini and Speranza 2010, doi.org/10.1016/j.cor.2010.02.002.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from schedplan.measures.gang_family import gang_family
from schedplan.measures.pieces import Piece
from schedplan.optimize.formulation import Formulation
from schedplan.optimize.refine.box import Box
from schedplan.optimize.variables import Start, Variables

STARTS_A_CLASS = 7
"""So many starts a class of jobs, over all classes, are worth a look."""

Key: TypeAlias = tuple[int, int, int, int, Piece, tuple[str, ...]]
"""Class of jobs, first slot, edge of the end, workers, piece and family of nodes."""


@dataclass(frozen=True)
class StartPrices:
    """class_of_job: on pools, by name; likely: the starts that are worth a look, of the classes that have a price; dear: the
    variables of the others in the model that the prices are of, `source`."""

    class_of_job: dict[str, int]
    likely: frozenset[Key]
    priced: frozenset[int]
    source: Variables
    dear: NDArray[np.intp]

    @classmethod
    def of(cls, formulation: Formulation, reduced_costs: NDArray[np.float64]) -> StartPrices:
        """Return the prices of the starts of a formulation from the reduced costs of its variables."""
        layout = formulation.variables.layout
        class_of_job = {job.name: job_class.idx for job_class in layout.classes for job in job_class.jobs}
        prices = reduced_costs[formulation.variables.indices.gangs]
        last = min(STARTS_A_CLASS * len(layout.classes), len(prices)) - 1
        limit = float(np.partition(prices, last)[last]) if len(prices) else 0.0
        starts = (formulation.variables.starts[number] for number in np.flatnonzero(prices <= limit).tolist())
        likely = frozenset(_key(formulation, start, start.column.class_idx) for start in starts)
        variables, is_dear = formulation.variables, prices > limit
        indices = variables.indices
        dear = np.concatenate([indices.gangs[is_dear], indices.worker[is_dear[indices.worker_column]]])
        return cls(class_of_job, likely, frozenset(np.unique(layout.arrays.class_idx).tolist()), variables, dear)

    def is_likely(self, key: Key) -> bool:
        """Whether a start is worth a look; one of a class without prices is."""
        return key in self.likely or key[0] not in self.priced

    def worth_a_look(self, formulation: Formulation) -> Box:
        """Return which variables of a model on any level may be chosen anew: all but those of starts above the limit."""
        found = np.ones(len(formulation.model.proto.variables), dtype=np.bool_)
        if formulation.variables is self.source:
            found[self.dear] = False
            return found
        classes = formulation.variables.layout.classes
        for start in formulation.variables.starts:
            class_idx = self.class_of_job[classes[start.column.class_idx].job.name]
            if not self.is_likely(_key(formulation, start, class_idx)):
                amounts = (amount for _, amount in start.workers if isinstance(amount, cp_model.IntVar))
                found[[start.gangs.index, *(amount.index for amount in amounts)]] = False
        return found


def _key(formulation: Formulation, start: Start, class_idx: int) -> Key:
    layout, column = formulation.variables.layout, start.column
    family = gang_family(layout.problem, layout.cells[start.workers[0][0]].pool) if start.workers else ()
    return (class_idx, column.start_slot, column.end_edge, column.workers, column.piece, family)
