"""A box solved by branch and bound of HiGHS, its root alone: on the pools of a wide model, rows of slots are so tight that the
root solves most boxes outright, in a fraction of what a search takes. It begins at the values it is given.

Its work is counted in iterations of the simplex method, so that a run ends at the same place on every machine.
"""

from __future__ import annotations

import highspy
import numpy as np

from schedplan.optimize.refine.box import Box, Solved, part_of
from schedplan.optimize.solvers.branch import cost_scale
from schedplan.optimize.solvers.highs import as_highs
from schedplan.optimize.solvers.interruptible import interruptible
from schedplan.optimize.solvers.linear import Linear
from schedplan.optimize.solvers.program import Program, Values
from schedplan.optimize.solvers.silent import SilentHighs

NODES = 1
SLACK = 1e-5
"""A box is left as it is once it is known to be this close to its best, as a share of F."""
ITERATIONS_A_UNIT = 4_000
"""Of the simplex method: with all that goes with them about a second."""


def branch_box(program: Program, values: Values, free: Box, seed: int = 0) -> tuple[Solved, bool]:
    """Return the best values found with the `free` variables chosen anew, and whether none are better.

    `values` must keep all rows.
    """
    columns = np.flatnonzero(free)
    if not len(columns):
        return Solved(None, 0.0), True
    part, lower, upper = part_of(program, values, columns)
    linear = Linear(part, lower, upper, program.lower[columns], program.upper[columns])
    scale = cost_scale(program.costs[columns])
    highs = SilentHighs()
    settings: tuple[tuple[str, int | float], ...] = (
        ("random_seed", seed),
        ("mip_max_nodes", NODES),
        ("mip_rel_gap", 0.0),
        ("mip_abs_gap", SLACK * abs(program.objective(values)) * scale),
    )
    for option, setting in settings:
        highs.setOptionValue(option, setting)
    highs.passModel(as_highs(linear, program.costs[columns] * scale, is_integer=True))
    begun = highspy.HighsSolution()
    begun.col_value = values[columns].astype(float).tolist()
    highs.setSolution(begun)
    interruptible(highs.run)
    info = highs.getInfo()
    is_best = highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    work = max(int(info.simplex_iteration_count), 0) / ITERATIONS_A_UNIT
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return Solved(None, work), is_best
    found = values.copy()
    found[columns] = np.rint(np.array(highs.getSolution().col_value)).astype(np.int64)
    return Solved(found if program.is_kept_by(found) else None, work), is_best
