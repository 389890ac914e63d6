"""The rows, bounds and costs of a formulation as arrays, so that a part of it can be cut out without building it again.

Only linear rows can stand in it, as every model with an objective has them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from schedplan.optimize.formulation import Formulation

Values: TypeAlias = NDArray[np.int64]
"""A value of every variable, [variable]."""
ENDLESS = 2**62
"""Sides of a row from here on stand for none at all."""


@dataclass(frozen=True)
class Program:
    """Minimise costs · x with row_lower <= rows · x <= row_upper and lower <= x <= upper; all int64 but the float64 costs.

    costs are those of F, unscaled; `constant` is what F has beyond them.
    """

    rows: csr_array
    row_lower: NDArray[np.int64]
    row_upper: NDArray[np.int64]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    costs: NDArray[np.float64]
    constant: float

    @cached_property
    def pattern(self) -> csr_array:
        """1 where a row holds a variable, int64."""
        found = self.rows.copy()
        found.data = np.ones_like(found.data)
        return found

    @property
    def n_columns(self) -> int:
        return len(self.lower)

    def objective(self, values: Values) -> float:
        """Return F of the values of all variables."""
        return float(self.costs @ values) + self.constant

    def is_kept_by(self, values: Values) -> bool:
        """Whether values keep all rows and bounds."""
        if (values < self.lower).any() or (values > self.upper).any():
            return False
        activity = self.rows @ values
        return bool(((activity >= self.row_lower) & (activity <= self.row_upper)).all())


def program(formulation: Formulation) -> Program:
    """Return the arrays of a formulation with an objective. ValueError for one without, or with a row that is not linear."""
    form = formulation.form
    if form is None:
        raise ValueError("only a formulation with an objective has costs")
    proto = formulation.model.proto
    n_columns = len(proto.variables)
    domains = [_sides(variable.domain) for variable in proto.variables]
    costs = np.zeros(n_columns)
    costs[list(form.coefficients)] = list(form.coefficients.values())
    starts, indices, values, sides = [0], [], [], []
    for constraint in proto.constraints:
        if not constraint.has_linear() or len(constraint.enforcement_literal):
            raise ValueError("a row of a model with an objective is not linear")
        row = constraint.linear
        indices.extend(row.vars)
        values.extend(row.coeffs)
        starts.append(len(indices))
        sides.append(_sides(row.domain))
    matrix = csr_array(
        (np.array(values, dtype=np.int64), np.array(indices, dtype=np.int64), np.array(starts, dtype=np.int64)),
        shape=(len(sides), n_columns),
    )
    lower, upper = _columns(domains)
    row_lower, row_upper = _columns(sides)
    return Program(matrix, row_lower, row_upper, lower, upper, costs, form.constant)


def relaxation(program: Program) -> highspy.HighsLp:
    """Return a program without the demand for whole numbers, as HiGHS reads it."""
    found = highspy.HighsLp()
    found.num_row_, found.num_col_ = program.rows.shape
    found.col_cost_, found.offset_ = program.costs, program.constant
    found.col_lower_, found.col_upper_ = program.lower.astype(float), program.upper.astype(float)
    found.row_lower_ = np.where(program.row_lower <= -ENDLESS, -highspy.kHighsInf, program.row_lower.astype(float))
    found.row_upper_ = np.where(program.row_upper >= ENDLESS, highspy.kHighsInf, program.row_upper.astype(float))
    found.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    found.a_matrix_.start_, found.a_matrix_.index_ = program.rows.indptr, program.rows.indices
    found.a_matrix_.value_ = program.rows.data.astype(float)
    return found


def _sides(domain: object) -> tuple[int, int]:
    bounds = list(domain)  # type: ignore[call-overload]
    return max(bounds[0], -ENDLESS), min(bounds[-1], ENDLESS)


def _columns(pairs: list[tuple[int, int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    found = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]
