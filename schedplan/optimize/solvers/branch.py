"""One run of HiGHS branch and bound on the rows of a formulation: what it found, and the bound it proved.

Its objective is the unscaled one. Serial and limited by nodes, so that a
run can be repeated. A bound from floating point is worth less than one from integers: a margin is taken off, so that no plan
is ever called optimal on its word.
"""

from __future__ import annotations

import highspy
import numpy as np
from ortools.sat.python import cp_model

from schedplan.optimize.extraction import fleets_of, gangs_of
from schedplan.optimize.formulation import Formulation
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.solvers.cp_sat import Found, Outcome
from schedplan.optimize.solvers.highs import SilentHighs, as_highs
from schedplan.optimize.solvers.interruptible import interruptible
from schedplan.optimize.solvers.program import program

MARGIN = 1e-6


def branch(formulation: Formulation, options: SolveOptions, max_nodes: int) -> Found:
    """Solve a formulation by branch and bound of at most so many nodes, or its relaxation alone where max_nodes is 0.

    Its rows must be linear, as those of every model with an objective are.
    """
    if formulation.form is None:
        raise ValueError("only a formulation with an objective can be searched")
    if not formulation.model.proto.variables:
        # HiGHS tells no bound of an empty model; its value is its constant
        return Found(Outcome.UNKNOWN, (), (), lowered(formulation.form.constant), 0, hit_clock=False)
    gap = options.gap_for(formulation.variables.layout.n_columns)
    highs = SilentHighs()
    settings: tuple[tuple[str, bool | int | float], ...] = (
        ("random_seed", options.seed),
        ("mip_rel_gap", gap),
        ("mip_abs_gap", 0.0),
    )
    for option, setting in settings:
        highs.setOptionValue(option, setting)
    if options.time_limit_s is not None:
        highs.setOptionValue("time_limit", options.time_limit_s)
    highs.setOptionValue("mip_max_nodes", max_nodes)
    arrays = program(formulation)
    highs.passModel(as_highs(arrays, arrays.costs, arrays.constant, is_integer=max_nodes > 0))
    interruptible(highs.run)
    info = highs.getInfo()
    status = highs.getModelStatus()
    hit_clock = status == highspy.HighsModelStatus.kTimeLimit
    if max_nodes == 0:
        bound = lowered(info.objective_function_value) if status == highspy.HighsModelStatus.kOptimal else None
        return Found(Outcome.UNKNOWN, (), (), bound, 0, hit_clock)
    bound, nodes = lowered(info.mip_dual_bound), int(info.mip_node_count)
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return Found(Outcome.UNKNOWN, (), (), bound, nodes, hit_clock)
    values = np.rint(np.array(highs.getSolution().col_value)).astype(np.int64)

    def value(variable: cp_model.IntVar) -> int:
        return int(values[variable.index])

    return Found(Outcome.SOLVED, gangs_of(formulation, value), fleets_of(formulation, value), bound, nodes, hit_clock)


def lowered(bound: float) -> float | None:
    """Return a bound from floating point less its margin; None where it bounds nothing."""
    return bound - MARGIN * max(1.0, abs(bound)) if abs(bound) < highspy.kHighsInf else None
