"""Rows of a program by column with their prices: reduced costs, and the bound on F that prices prove.

Sets: rows r with sides, columns j with ranges l_j .. u_j, y_r the price of a row.
Formula: F >= constant + Σ_r min over its sides of y_r · side + Σ_j min(d_j l_j, d_j u_j), d = costs − yᵀ rows: any y that has no
sign against an open side gives a bound.
Rounding: a sum of n floats is off by at most γ_n Σ |terms|, γ_n = n u / (1 − n u), u = 2⁻⁵³; that is taken off, twice over, and the
last sum is exact.
Source: Lasdon 1970, Optimization Theory for Large Systems, 3.7; γ_n: Higham 2002, doi.org/10.1137/1.9780898718027, 3.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from schedplan.optimize.solvers.highs import in_floats
from schedplan.optimize.solvers.program import Program

Floats: TypeAlias = NDArray[np.float64]
ROUNDOFF = 2.0**-53
PRICE_BITS = 1
"""Coefficients of a row are at most 1: what a price may be off by would be multiplied by larger ones."""


@dataclass(frozen=True)
class PricedRows:
    """Rows by column, float64 [variable, row], with their sides."""

    columns: csr_array
    lower: Floats
    upper: Floats

    @classmethod
    def of(cls, program: Program) -> PricedRows:
        rows = in_floats(program, PRICE_BITS)
        return cls(rows.rows.T.tocsr(), rows.lower, rows.upper)

    @cached_property
    def sizes(self) -> csr_array:
        return abs(self.columns)

    @cached_property
    def most(self) -> int:
        """The most terms of a reduced cost."""
        return int(np.diff(self.columns.indptr).max(initial=0)) + 2

    def with_rows(self, rows: csr_array, lower: Floats) -> PricedRows:
        columns = hstack([self.columns, rows.T], format="csr")
        return PricedRows(columns, np.concatenate([self.lower, lower]), np.concatenate([self.upper, np.full(len(lower), np.inf)]))

    def without_rows(self, rows: NDArray[np.int32]) -> PricedRows:
        kept = np.setdiff1d(np.arange(len(self.lower)), rows)
        return PricedRows(self.columns[:, kept], self.lower[kept], self.upper[kept])

    def signed(self, prices: Floats) -> Floats:
        """Return prices that bound: none on a side that is open."""
        least, most = np.where(np.isinf(self.upper), 0.0, -np.inf), np.where(np.isinf(self.lower), 0.0, np.inf)
        return np.clip(prices, least, most)

    def reduced(self, prices: Floats, program: Program) -> tuple[Floats, Floats]:
        """Return the reduced costs of all columns, and by how much rounding may have moved each."""
        off = self.most * ROUNDOFF / (1 - self.most * ROUNDOFF)
        error = 2 * off * (np.abs(program.costs) + self.sizes @ np.abs(prices))
        return program.costs - self.columns @ prices, error

    def bound(self, prices: Floats, program: Program) -> float:
        """Return the bound on F that prices of the right signs prove, rounding taken off."""
        reduced, error = self.reduced(prices, program)
        least, most = reduced - error, reduced + error
        lower, upper = program.lower.astype(float), program.upper.astype(float)
        of_columns = np.minimum.reduce([least * lower, least * upper, most * lower, most * upper])
        side = np.where(prices > 0, self.lower, self.upper)
        priced = prices != 0
        of_rows = prices[priced] * side[priced]
        lost = 4 * ROUNDOFF * (fsum(np.abs(of_columns)) + fsum(np.abs(of_rows)) + abs(program.constant))
        return fsum([program.constant, *of_columns.tolist(), *of_rows.tolist()]) - lost
