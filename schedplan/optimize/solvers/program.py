"""The rows, bounds and costs of a formulation as arrays, so that a part of it can be cut out without building it again.

Only linear rows can stand in it, as every model with an objective has them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from schedplan.optimize.formulation import Formulation
from schedplan.optimize.solvers.linear import ENDLESS, Linear, linear

__all__ = ["ENDLESS", "Program", "Values", "program"]

Values: TypeAlias = NDArray[np.int64]
"""A value of every variable, [variable]."""


@dataclass(frozen=True)
class Program(Linear):
    """Minimise costs · x over the whole numbers x of its rows.

    costs are those of F, unscaled, float64; `constant` is what F has beyond them.
    """

    costs: NDArray[np.float64]
    constant: float

    @cached_property
    def pattern(self) -> csr_array:
        """1 where a row holds a variable, int64."""
        found = self.rows.copy()
        found.data = np.ones_like(found.data)
        return found

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
    found = linear(formulation.model)
    if found is None:
        raise ValueError("a row of a model with an objective is not linear")
    costs = np.zeros(found.n_columns)
    costs[list(form.coefficients)] = list(form.coefficients.values())
    return Program(found.rows, found.row_lower, found.row_upper, found.lower, found.upper, costs, form.constant)
