"""The rows, bounds and costs of a formulation as arrays, so that a part of it can be cut out without building it again.

Only linear rows can stand in it, as every model with an objective has them.
"""

from __future__ import annotations

import numpy as np

from schedplan.optimize.formulation import Formulation
from schedplan.optimize.solvers.linear import ENDLESS, Program, Values, linear

__all__ = ["ENDLESS", "Program", "Values", "program"]


def program(formulation: Formulation) -> Program:
    """Return the arrays of a formulation with an objective. ValueError for one without, or with a row that is not linear."""
    if formulation.arrays is not None:
        return formulation.arrays
    form = formulation.form
    if form is None:
        raise ValueError("only a formulation with an objective has costs")
    found = linear(formulation.model)
    if found is None:
        raise ValueError("a row of a model with an objective is not linear")
    costs = np.zeros(found.n_columns)
    costs[list(form.coefficients)] = list(form.coefficients.values())
    return Program(found.rows, found.row_lower, found.row_upper, found.lower, found.upper, costs, form.constant)
