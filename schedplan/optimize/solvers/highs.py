"""HiGHS as every solve here wants it: on one thread, so that a run can be repeated, and without a word on standard output.

What it prints there would break a result that is read by a program. It knows how HiGHS reads rows, not what they mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from schedplan.optimize.solvers.linear import ENDLESS, Linear

ROW_BITS = 20
"""Rows with larger coefficients are divided, so that the tolerance of a row means something."""


@dataclass(frozen=True)
class FloatRows:
    """lower <= rows · x <= upper in floats, infinite where a side is open; each row of a program over a power of two, exactly."""

    rows: csr_array
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


def in_floats(linear: Linear, bits: int = ROW_BITS) -> FloatRows:
    """Return rows as HiGHS reads them, no coefficient of more bits: so the tolerances of a row and of its price mean something."""
    units = _units(linear, bits)
    rows = csr_array(
        (linear.rows.data / np.repeat(units, np.diff(linear.rows.indptr)), linear.rows.indices, linear.rows.indptr),
        shape=linear.rows.shape,
    )
    return FloatRows(
        rows,
        np.where(linear.row_lower <= -ENDLESS, -np.inf, linear.row_lower / units),
        np.where(linear.row_upper >= ENDLESS, np.inf, linear.row_upper / units),
    )


def as_highs(
    linear: Linear, costs: NDArray[np.float64] | None = None, constant: float = 0.0, *, is_integer: bool
) -> highspy.HighsLp:
    """Return a program as HiGHS reads it, with costs to minimise; not is_integer: its relaxation."""
    floats = in_floats(linear)
    found = highspy.HighsLp()
    found.num_row_, found.num_col_ = linear.rows.shape
    found.col_cost_, found.offset_ = np.zeros(linear.n_columns) if costs is None else costs, constant
    found.col_lower_, found.col_upper_ = linear.lower.astype(float), linear.upper.astype(float)
    found.row_lower_, found.row_upper_ = floats.lower, floats.upper
    found.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    found.a_matrix_.start_, found.a_matrix_.index_ = floats.rows.indptr, floats.rows.indices
    found.a_matrix_.value_ = floats.rows.data
    if is_integer:
        found.integrality_ = [highspy.HighsVarType.kInteger] * linear.n_columns
    return found


def with_rows(program: highspy.HighsLp, rows: csr_array, lower: NDArray[np.float64]) -> highspy.HighsLp:
    """Return a program of `as_highs` with further rows, lower <= rows · x."""
    matrix = program.a_matrix_
    starts = np.asarray(matrix.start_)
    matrix.start_ = np.concatenate([starts, starts[-1] + rows.indptr[1:]])
    matrix.index_ = np.concatenate([np.asarray(matrix.index_), rows.indices])
    matrix.value_ = np.concatenate([np.asarray(matrix.value_), rows.data])
    program.row_lower_ = np.concatenate([np.asarray(program.row_lower_), lower])
    program.row_upper_ = np.concatenate([np.asarray(program.row_upper_), np.full(len(lower), np.inf)])
    program.num_row_ += len(lower)
    return program


def _units(linear: Linear, bits: int) -> NDArray[np.float64]:
    """Return the power of two by which each row is divided: 1 but for very large numbers."""
    largest = np.zeros(len(linear.row_lower))
    filled = np.flatnonzero(np.diff(linear.rows.indptr))
    if len(filled):
        largest[filled] = np.maximum.reduceat(np.abs(linear.rows.data).astype(float), linear.rows.indptr[filled])
    units: NDArray[np.float64] = np.exp2(np.maximum(np.floor(np.log2(np.maximum(largest, 1.0))) + 1 - bits, 0))
    return units
