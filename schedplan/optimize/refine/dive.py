"""A dive: from the relaxation of a model to whole numbers, family by family, each raised where the relaxation leans to it.

Order of families: gangs that fill nodes, replicas, nodes, smaller gangs by size, what is left. Raising, not rounding: what is
raised has its room, and only the rest is solved again. It looks for a plan and proves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray

from schedplan.optimize.formulation import Formulation
from schedplan.optimize.refine.atlas import NONE, Atlas
from schedplan.optimize.solvers.highs import SilentHighs
from schedplan.optimize.solvers.interruptible import interruptible
from schedplan.optimize.solvers.program import Program, Values

FRACTION = 1e-6


@dataclass(frozen=True, slots=True)
class DiveStyle:
    """whole_from: devices of the smallest gang that is raised before the nodes; share of a family's fractions raised at once."""

    whole_from: float
    share: float


STYLES = tuple(DiveStyle(whole_from, share) for whole_from in (8.0, 4.0) for share in (0.5, 0.25))


class _StuckError(Exception):
    """A variable can neither be raised nor kept down."""


def dive(program: Program, formulation: Formulation, atlas: Atlas, relaxed: highspy.HighsLp, style: DiveStyle) -> Values | None:
    """Return whole values that keep every row, found from a relaxation; None where the dive ends in a place without any.

    relaxed: the program's own, or one with further rows over the same columns that hold for every whole solution.
    """
    if program.n_columns == 0:
        return np.zeros(0, dtype=np.int64)
    try:
        diver = _Diver(program, relaxed)
        for family, by_class in _families(formulation, atlas, style):
            diver.settle(family, atlas.job_class if by_class else None, style.share)
    except _StuckError:
        return None
    found = np.rint(diver.values).astype(np.int64)
    return found if program.is_kept_by(found) else None


def _families(formulation: Formulation, atlas: Atlas, style: DiveStyle) -> list[tuple[NDArray[np.intp], bool]]:
    """Return the variables of every family in their order, and whether at most one per job class is raised at once."""
    devices = np.array([job_class.job.devices for job_class in formulation.variables.layout.classes])
    is_work = atlas.job_class != NONE
    size = np.full(len(is_work), -1.0)
    size[is_work] = devices[atlas.job_class[is_work]]
    sizes = sorted(set(devices.tolist()), reverse=True)
    replicas = [amount.index for one in formulation.variables.replicas for amounts in one.values() for amount in amounts]
    is_replica = np.zeros(len(is_work), dtype=np.bool_)
    is_replica[replicas] = True
    is_node = ~is_work & ~is_replica & atlas.is_known
    return [
        *((np.flatnonzero(size == one), True) for one in sizes if one >= style.whole_from),
        (np.flatnonzero(is_replica), False),
        (np.flatnonzero(is_node), False),
        *((np.flatnonzero(size == one), True) for one in sizes if one < style.whole_from),
        (np.arange(len(is_work)), False),
    ]


class _Diver:
    """One relaxation with bounds that close; `values` is its solution, float64 [variable]."""

    def __init__(self, program: Program, relaxed: highspy.HighsLp) -> None:
        self.highs = SilentHighs()
        self.highs.passModel(relaxed)
        self.lower, self.upper = program.lower.astype(float), program.upper.astype(float)
        if not self._solve():
            raise _StuckError

    def settle(self, family: NDArray[np.intp], job_class: NDArray[np.int64] | None, share: float) -> None:
        """Raise fractions of a family until none is left, then keep what it has reached."""
        while True:
            fractions = self._fractions(family, job_class)
            if not fractions:
                break
            self._raise(fractions[: max(1, int(len(fractions) * share))])
        for column in family[self.values[family] > self.lower[family] + FRACTION]:
            self._bound(int(column), round(self.values[column]), self.upper[column])

    def _fractions(self, family: NDArray[np.intp], job_class: NDArray[np.int64] | None) -> list[int]:
        """Return the fractional variables, the largest fraction first; with job classes the largest of each class alone."""
        found = self.values[family]
        fraction = found - np.floor(found + FRACTION)
        order = np.lexsort((family, -fraction))
        columns = [int(family[idx]) for idx in order if fraction[idx] > FRACTION]
        if job_class is None:
            return columns
        first: dict[int, int] = {}
        for column in columns:
            first.setdefault(int(job_class[column]), column)
        return list(first.values())

    def _raise(self, columns: Sequence[int]) -> None:
        before = [(column, self.lower[column], self.upper[column]) for column in columns]
        for column in columns:
            self._bound(column, float(np.ceil(self.values[column] - FRACTION)), self.upper[column])
        if self._solve():
            return
        for column, lower, upper in before:
            self._bound(column, lower, upper)
        if len(columns) > 1:
            half = len(columns) // 2
            self._raise(columns[:half])
            self._raise(columns[half:])
            return
        self._bound(columns[0], self.lower[columns[0]], float(np.floor(self.values[columns[0]] + FRACTION)))
        if not self._solve():
            raise _StuckError

    def _bound(self, column: int, lower: float, upper: float) -> None:
        self.lower[column], self.upper[column] = lower, upper
        self.highs.changeColBounds(column, lower, upper)

    def _solve(self) -> bool:
        interruptible(self.highs.run)
        is_solved = self.highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
        if is_solved:
            self.values = np.array(self.highs.getSolution().col_value)
        return bool(is_solved)
