"""A box: some variables of a program free, all others as they are. It solves the part that is left, from the values it is given.

Every row of the program that holds a free variable is kept with what the fixed ones leave of it, so a rule of the model is a
rule of every box. CP-SAT solves it: it counts its work, so that a box ends at the same place on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model
from scipy.sparse import csr_array

from schedplan.optimize.solvers.cp_sat import stoppable
from schedplan.optimize.solvers.program import ENDLESS, Program, Values
from schedplan.units import objective_scale

Box = NDArray[np.bool_]
FINE = 2.0**40
"""Largest scale of a box's objective: it steers a search and bounds nothing."""
SLACK = 1e-4
"""A box is left as it is once it is known to be this close to its best, as a share of F."""


@dataclass(frozen=True, slots=True)
class Solved:
    """Values of all variables, None where none were found, and the deterministic work it took."""

    values: Values | None
    work: float


def solve_box(
    program: Program, values: Values, free: Box, work_limit: float, seed: int = 0, *, is_symmetric: bool = False
) -> Solved:
    """Return the best values found with the `free` variables chosen anew within a limit of deterministic work.

    `values` must hold for what is fixed; of what is free they are a hint, and need not keep any row. is_symmetric: nodes that are
    alike are all free, so it pays to look for that.
    """
    columns = np.flatnonzero(free)
    model = cp_model.CpModel()
    bounds = zip(program.lower[columns].tolist(), program.upper[columns].tolist(), strict=True)
    variables = [model.new_int_var(low, high, "") for low, high in bounds]
    if not _add_rows(model, variables, program, values, columns):
        return Solved(None, 0.0)
    scale = _minimise(model, variables, program, columns)
    for variable, value in zip(variables, values[columns].tolist(), strict=True):
        model.add_hint(variable, value)
    solver = cp_model.CpSolver()
    parameters = solver.parameters
    parameters.num_workers = 1
    parameters.random_seed = seed
    parameters.symmetry_level = 2 if is_symmetric else 0
    parameters.linearization_level = 2
    parameters.max_deterministic_time = work_limit
    parameters.absolute_gap_limit = SLACK * abs(program.objective(values)) * scale
    status = stoppable(solver, model)
    work = solver.response_proto.deterministic_time
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Solved(None, work)
    found = values.copy()
    found[columns] = [solver.value(variable) for variable in variables]
    return Solved(found if program.is_kept_by(found) else None, work)


def _add_rows(
    model: cp_model.CpModel, variables: list[cp_model.IntVar], program: Program, values: Values, columns: NDArray[np.intp]
) -> bool:
    """Add the rows that may bind the free columns; False where a row is broken whatever they are."""
    part, lower, upper = part_of(program, values, columns)
    positive, negative = part.maximum(0), part.minimum(0)
    least = positive @ program.lower[columns] + negative @ program.upper[columns]
    most = positive @ program.upper[columns] + negative @ program.lower[columns]
    if ((most < lower) | (least > upper)).any():
        return False
    indices, weights, starts = part.indices.tolist(), part.data.tolist(), part.indptr.tolist()
    for row in np.flatnonzero((least < lower) | (most > upper)).tolist():
        span = slice(starts[row], starts[row + 1])
        total = cp_model.LinearExpr.weighted_sum([variables[idx] for idx in indices[span]], weights[span])
        model.add_linear_constraint(total, int(lower[row]), int(upper[row]))
    return True


def _minimise(model: cp_model.CpModel, variables: list[cp_model.IntVar], program: Program, columns: NDArray[np.intp]) -> float:
    costs = program.costs[columns]
    scale = min(objective_scale(float(np.abs(costs) @ program.upper[columns])), FINE)
    model.minimize(cp_model.LinearExpr.weighted_sum(variables, [round(cost * scale) for cost in costs.tolist()]))
    return scale


def part_of(program: Program, values: Values, columns: NDArray[np.intp]) -> tuple[csr_array, NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows that hold any of the columns, over these alone, and the sides that the other columns leave."""
    fixed = values.copy()
    fixed[columns] = 0
    part = program.rows[:, columns]
    touched = np.flatnonzero(np.diff(part.indptr) > 0)
    activity = (program.rows @ fixed)[touched]
    lower, upper = program.row_lower[touched], program.row_upper[touched]
    return (
        part[touched],
        np.where(lower <= -ENDLESS, lower, lower - activity),
        np.where(upper >= ENDLESS, upper, upper - activity),
    )
