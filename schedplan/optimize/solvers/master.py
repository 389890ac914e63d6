"""The relaxation of a program by column generation: it holds the columns that its prices ask for, and bounds all of them.

It may be stopped after any round: LP value + Σ_c n_c · min(0, least reduced cost of class c) is a bound (`solvers/priced.py`), for
the price of the row that places a class takes what its columns are worth beyond it.
Source: Gilmore and Gomory 1961, doi.org/10.1287/opre.9.6.849.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from schedplan.optimize.solvers.highs import as_highs, with_rows
from schedplan.optimize.solvers.interruptible import interruptible
from schedplan.optimize.solvers.priced import Floats, PricedRows
from schedplan.optimize.solvers.program import Program
from schedplan.optimize.solvers.silent import SilentHighs
from schedplan.optimize.solvers.starts import NONE, Indices, Starts, links, place_rows, rank

A_CLASS = 6
"""Columns of a class that one round of pricing adds at most."""
ROUNDS = 60
PRICED = 1e-9
"""A column is worth adding when a unit of it lowers F by more."""
CUT_ERROR = 1e-13
"""What the weights of a cut may be off by, as a share of them."""


@dataclass(frozen=True)
class Cut:
    """Σ weights · columns >= side, a row that every whole solution keeps; broken by `violation` where it was made."""

    columns: NDArray[np.int32]
    weights: Floats
    side: float
    violation: float


class Master:
    """A relaxation with some columns of a program; `values` are those of the last solve, None where it had none."""

    def __init__(self, program: Program, starts: Starts, first: Indices | None = None) -> None:
        """first: the columns that it begins with; None: the earliest starts of each class."""
        self.program, self.starts = program, starts
        self.rows = PricedRows.of(program)
        self.links, self.place_row = links(program, starts), place_rows(program, starts)
        self.lower, self.upper = program.lower.astype(float), program.upper.astype(float)
        self.values: Floats | None = None
        self.held: Indices = np.zeros(0, dtype=np.intp)
        self.position = np.full(program.n_columns, NONE, dtype=np.int64)
        self.highs = SilentHighs()
        empty = np.zeros(0, dtype=np.int32)
        begins = np.zeros(len(self.rows.lower), dtype=np.int32)
        self.highs.addRows(len(begins), self.rows.lower, self.rows.upper, 0, begins, empty, np.zeros(0))
        self.scale = _scale(program.costs)
        self._hold(starts.first() if first is None else first)

    def copied(self) -> Master:
        """Return a master of its own that stands where this one does."""
        found = copy(self)
        found.lower, found.upper, found.position = self.lower.copy(), self.upper.copy(), self.position.copy()
        found.highs = SilentHighs()
        found.highs.passModel(self.highs.getLp())
        found.highs.setBasis(self.highs.getBasis())
        return found

    def solve(self, rounds: int = ROUNDS) -> bool:
        """Solve with the columns that are held and, in so many rounds, with those that prices ask for; whether there is a solution.

        Where what is held has none, all columns are held.
        """
        if self.program.n_columns == 0:
            self.values = np.zeros(0)
            return True
        if not self._run():
            if not self._is_infeasible():
                return False
            self._hold(np.flatnonzero(self.position == NONE))
            if not self._run():
                return False
        for _ in range(rounds):
            wanted = self._wanted()
            if not len(wanted):
                return True
            self._hold(wanted)
            if not self._run():
                return False
        return True

    def solve_again(self, *, with_prices: bool) -> bool:
        """Solve once more after ranges have changed; whether the columns that are held have a solution.

        with_prices: then take the columns that the prices ask for, and solve with them.
        """
        if not self._run():
            return False
        wanted = self._wanted() if with_prices else self.held[:0]
        if len(wanted):
            self._hold(wanted)
            return self._run()
        return True

    def add(self, cuts: Sequence[Cut]) -> None:
        """Add rows that hold for every whole solution."""
        lengths = [len(cut.columns) for cut in cuts]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        columns = np.concatenate([cut.columns for cut in cuts])
        weights = np.concatenate([cut.weights for cut in cuts])
        sides = np.array([cut.side for cut in cuts])
        rows = csr_array((weights, columns, starts), shape=(len(cuts), self.program.n_columns))
        # the weights are rounded floats: the side gives way by more than they can be off
        sides -= CUT_ERROR * (abs(rows) @ self.upper + np.abs(sides))
        self.rows = self.rows.with_rows(rows, sides)
        here = rows[:, self.held]
        self.highs.addRows(
            len(cuts), sides, np.full(len(cuts), np.inf), here.nnz, here.indptr[:-1].astype(np.int32), here.indices, here.data
        )

    def drop_idle(self) -> None:
        """Take off the added rows that do not bind where the last solve ended."""
        status = self.highs.getBasis().row_status
        first, last = self.program.rows.shape[0], len(self.rows.lower)
        idle = np.array([row for row in range(first, last) if status[row] == highspy.HighsBasisStatus.kBasic], dtype=np.int32)
        if len(idle):
            self.highs.deleteRows(len(idle), idle)
            self.rows = self.rows.without_rows(idle)

    def change(self, columns: Indices, lower: Floats, upper: Floats) -> None:
        """Give columns other ranges."""
        self.lower[columns], self.upper[columns] = lower, upper
        held = columns[self.position[columns] != NONE]
        where = self.position[held].astype(np.int32)
        self.highs.changeColsBounds(len(held), where, self.lower[held], self.upper[held])

    def proven(self) -> float | None:
        """Return the bound that the prices of the last solve prove for the program, all of its columns and any of its ranges."""
        if self.program.n_columns == 0:
            return self.program.constant
        if self.values is None:
            return None
        prices = self._prices()
        return max(self.rows.bound(prices, self.program), self.rows.bound(self._fitted(prices), self.program))

    def reduced_costs(self) -> Floats:
        """Return the reduced cost of every column of the program, held or not, at the prices of the last solve."""
        return np.asarray(self.program.costs - self.rows.columns @ self._prices(), dtype=np.float64)

    def is_open(self, known: float) -> NDArray[np.bool_]:
        """Return which columns may be above their lower bound in a whole solution better than a known value of F, [variable].

        F of any solution is at least the bound of the prices plus, of each column, its reduced cost times what it is above its
        lower bound.
        """
        plain = self._prices()
        bound, prices = max(
            ((self.rows.bound(prices, self.program), prices) for prices in (plain, self._fitted(plain))), key=lambda pair: pair[0]
        )
        reduced, error = self.rows.reduced(prices, self.program)
        return np.asarray(reduced - error <= known - bound, dtype=np.bool_)

    def whole(self, *, is_integer: bool) -> highspy.HighsLp:
        """Return the program with all of its columns and the added rows."""
        found = as_highs(self.program, self.program.costs, self.program.constant, is_integer=is_integer)
        added = self.rows.columns[:, self.program.rows.shape[0] :].T.tocsr()
        return with_rows(found, added, self.rows.lower[self.program.rows.shape[0] :])

    def _run(self) -> bool:
        interruptible(self.highs.run)
        if self.highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            self.values = None
            return False
        self.values = self.lower.copy()
        self.values[self.held] = self.highs.getSolution().col_value
        return True

    def _is_infeasible(self) -> bool:
        return bool(self.highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible)

    def _prices(self) -> Floats:
        return self.rows.signed(np.array(self.highs.getSolution().row_dual) / self.scale)

    def _wanted(self) -> Indices:
        """Return the columns that the prices ask for: of each class the starts that lower F most."""
        reduced = self.reduced_costs()
        found = self.links.with_workers(reduced)
        is_wanted = (self.position == NONE) & self.starts.is_gang & (found < -PRICED)
        columns = np.flatnonzero(is_wanted)
        job_class = self.starts.job_class[columns]
        order = np.lexsort((columns, found[columns], job_class))
        return self.starts.whole(columns[order][rank(job_class[order]) < A_CLASS])

    def _fitted(self, prices: Floats) -> Floats:
        """Return prices under which no start is worth more than nothing: what it is worth comes off its class, once.

        The workers of a start that is not held have no price yet; it is that of their cheapest nodes.
        """
        fitted = prices.copy()
        reduced = self.program.costs - self.rows.columns @ fitted
        is_out = self.position[self.links.gangs] == NONE
        fitted[self.links.rows[is_out]] += self.links.least(reduced)[is_out]
        reduced, error = self.rows.reduced(fitted, self.program)
        worth = np.zeros(self.starts.n_classes)
        counts = self.starts.counts
        np.minimum.at(worth, self.starts.job_class[counts], (reduced - 2 * error)[counts])
        is_placed = self.place_row != NONE
        fitted[self.place_row[is_placed]] += worth[is_placed]
        return fitted

    def _hold(self, columns: Indices) -> None:
        part = self.rows.columns[columns]
        self.highs.addCols(
            len(columns),
            self.program.costs[columns] * self.scale,
            self.lower[columns],
            self.upper[columns],
            part.nnz,
            part.indptr[:-1].astype(np.int32),
            part.indices.astype(np.int32),
            part.data,
        )
        self.position[columns] = len(self.held) + np.arange(len(columns))
        self.held = np.concatenate([self.held, columns])


def _scale(costs: Floats) -> float:
    """Return the power of two by which HiGHS gets the costs multiplied: beside costs near 1 its tolerance is small."""
    sizes = np.abs(costs[costs != 0])
    return float(2.0 ** -np.round(np.log2(np.median(sizes)))) if len(sizes) else 1.0
