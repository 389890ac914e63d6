"""Linear and integer programs in HiGHS, one thread and no clock, so that the same program has the same answer. It knows no jobs."""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray

from schedplan.optimize.solvers.interruptible import interruptible
from schedplan.optimize.solvers.silent import SilentHighs

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Matrix:
    """A sparse matrix by columns: entries of column j are at start[j]..start[j + 1]. int32 start, row; float64 value."""

    n_rows: int
    start: NDArray[np.int32]
    row: NDArray[np.int32]
    value: Floats

    @property
    def n_columns(self) -> int:
        return len(self.start) - 1

    def times(self, x: Floats) -> Floats:
        """Return the row sums at column values x, float64 [n_rows]."""
        column = np.repeat(np.arange(self.n_columns), np.diff(self.start))
        return np.bincount(self.row, weights=self.value * x[column], minlength=self.n_rows).astype(np.float64)

    def priced(self, prices: Floats) -> Floats:
        """Return what each column takes at a price per row, float64 [n_columns]."""
        column = np.repeat(np.arange(self.n_columns), np.diff(self.start))
        return np.bincount(column, weights=self.value * prices[self.row], minlength=self.n_columns).astype(np.float64)

    def columns(self, kept: NDArray[np.intp]) -> Matrix:
        """Return the matrix of some columns."""
        lengths = np.diff(self.start)[kept]
        start = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
        entries = np.repeat(self.start[kept] - start[:-1], lengths) + np.arange(int(start[-1]))
        return Matrix(self.n_rows, start, self.row[entries], self.value[entries])


def matrix_of(n_rows: int, columns: list[list[tuple[int, float]]]) -> Matrix:
    """Return the matrix of columns given as (row, value) pairs."""
    start = np.concatenate(([0], np.cumsum([len(column) for column in columns]))).astype(np.int32)
    row = np.array([row for column in columns for row, _ in column], dtype=np.int32)
    value = np.array([value for column in columns for _, value in column], dtype=np.float64)
    return Matrix(n_rows, start, row, value)


@dataclass(frozen=True)
class Answer:
    """Column values and row prices (0 for an integer program) of a maximum; bound: no solution is worth more; nodes branched."""

    x: Floats
    prices: Floats
    value: float
    bound: float
    is_optimal: bool
    nodes: int


class Program:
    """max gain x, low <= A x <= high, lower <= x <= upper; x whole where `integer` says so."""

    def __init__(
        self, matrix: Matrix, gain: Floats, high: Floats, *, low: Floats | None = None, lower: Floats | None = None,
        upper: Floats | None = None, integer: NDArray[np.bool_] | None = None, node_limit: int = 500, gap: float = 1e-7,
    ) -> None:  # fmt: skip
        model = highspy.HighsLp()
        n_columns = matrix.n_columns
        model.num_col_, model.num_row_ = n_columns, matrix.n_rows
        model.sense_ = highspy.ObjSense.kMaximize
        model.col_cost_ = gain
        model.col_lower_ = np.zeros(n_columns) if lower is None else lower
        model.col_upper_ = np.full(n_columns, highspy.kHighsInf) if upper is None else upper
        model.row_lower_ = np.full(matrix.n_rows, -highspy.kHighsInf) if low is None else low
        model.row_upper_ = high
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        model.a_matrix_.start_, model.a_matrix_.index_, model.a_matrix_.value_ = matrix.start, matrix.row, matrix.value
        self.is_integer = integer is not None
        self.nothing_to_choose = _holds_at_nothing(model) if n_columns == 0 else None
        if integer is not None:
            kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
            model.integrality_ = [kinds[int(flag)] for flag in integer]
        self.highs = SilentHighs()
        for name, value in _options(node_limit, gap):
            self.highs.setOptionValue(name, value)
        self.highs.passModel(model)

    def solve(self) -> Answer | None:
        """Return the answer; None where there is no solution, or none was found within the node limit."""
        if self.nothing_to_choose is not None:
            n_rows = self.highs.getNumRow()
            return Answer(np.zeros(0), np.zeros(n_rows), 0.0, 0.0, True, 0) if self.nothing_to_choose else None
        interruptible(self.highs.run)
        info = self.highs.getInfo()
        if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
            return None
        solution = self.highs.getSolution()
        is_optimal = self.highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
        value = float(info.objective_function_value)
        return Answer(
            x=np.array(solution.col_value, dtype=np.float64),
            prices=np.zeros(0) if self.is_integer else np.array(solution.row_dual, dtype=np.float64),
            value=value,
            bound=float(info.mip_dual_bound) if self.is_integer else value,
            is_optimal=is_optimal,
            nodes=int(info.mip_node_count) if self.is_integer else 0,
        )


def _holds_at_nothing(model: highspy.HighsLp) -> bool:
    """Whether rows without columns hold: HiGHS has no answer for an empty model."""
    return bool(np.all(np.asarray(model.row_lower_) <= 0) and np.all(np.asarray(model.row_upper_) >= 0))


def _options(node_limit: int, gap: float) -> tuple[tuple[str, bool | float | str], ...]:
    return (
        ("parallel", "off"),
        ("random_seed", 0),
        ("mip_max_nodes", node_limit),
        ("mip_rel_gap", gap),
        ("mip_abs_gap", 1e-9),
    )
