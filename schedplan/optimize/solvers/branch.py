"""One run of HiGHS branch and bound on the rows of a formulation: what it found, and the bound it proved.

Its objective is the unscaled one. Serial and limited by nodes, so that a run can be repeated. A bound from floating point is worth
less than one from integers: a margin is taken off, so that no plan is ever called optimal on its word.
"""

from __future__ import annotations

from math import floor, log2

import highspy
import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from schedplan.optimize.extraction import fleets_of, gangs_of
from schedplan.optimize.formulation import Formulation
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.solvers.cp_sat import Found, Outcome
from schedplan.optimize.solvers.highs import as_highs
from schedplan.optimize.solvers.interruptible import interruptible
from schedplan.optimize.solvers.program import program
from schedplan.optimize.solvers.silent import SilentHighs

MARGIN = 1e-6
COST_BITS = 16


def branch(formulation: Formulation, options: SolveOptions, max_nodes: int) -> Found:
    """Solve a formulation by branch and bound of at most so many nodes, or its relaxation alone where max_nodes is 0.

    Its rows must be linear, as those of every model with an objective are.
    """
    if formulation.form is None:
        raise ValueError("only a formulation with an objective can be searched")
    if not formulation.model.proto.variables:
        # HiGHS tells no bound of an empty model; its value is its constant
        return Found(Outcome.UNKNOWN, (), (), lowered(formulation.form.constant), 0, hit_clock=False)
    highs = _limited(options, options.gap_for(formulation.variables.layout.n_columns), max_nodes)
    arrays = program(formulation)
    scale = cost_scale(arrays.costs)
    highs.passModel(as_highs(arrays, arrays.costs * scale, arrays.constant * scale, is_integer=max_nodes > 0))
    interruptible(highs.run)
    return _relaxed(highs, scale) if max_nodes == 0 else _branched(highs, scale, formulation)


def _limited(options: SolveOptions, gap: float, max_nodes: int) -> SilentHighs:
    """Return a solver that ends at a gap, after so many nodes, or by the clock of the options."""
    highs = SilentHighs()
    settings: tuple[tuple[str, int | float], ...] = (
        ("random_seed", options.seed),
        ("mip_rel_gap", gap),
        ("mip_abs_gap", 0.0),
        ("mip_max_nodes", max_nodes),
    )
    for option, setting in settings:
        highs.setOptionValue(option, setting)
    if options.time_limit_s is not None:
        highs.setOptionValue("time_limit", options.time_limit_s)
    return highs


def _relaxed(highs: SilentHighs, scale: float) -> Found:
    """Return the bound of a relaxation that was solved to its end, and no plan."""
    status = highs.getModelStatus()
    is_optimal = status == highspy.HighsModelStatus.kOptimal
    bound = lowered(highs.getInfo().objective_function_value / scale) if is_optimal else None
    return Found(Outcome.UNKNOWN, (), (), bound, 0, status == highspy.HighsModelStatus.kTimeLimit)


def _branched(highs: SilentHighs, scale: float, formulation: Formulation) -> Found:
    """Return the best plan of a tree, where it has one, and the bound of what is left of the tree."""
    info = highs.getInfo()
    hit_clock = highs.getModelStatus() == highspy.HighsModelStatus.kTimeLimit
    bound, nodes = lowered(info.mip_dual_bound / scale), int(info.mip_node_count)
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return Found(Outcome.UNKNOWN, (), (), bound, nodes, hit_clock)
    values = np.rint(np.array(highs.getSolution().col_value)).astype(np.int64)

    def value(variable: cp_model.IntVar) -> int:
        return int(values[variable.index])

    return Found(Outcome.SOLVED, gangs_of(formulation, value), fleets_of(formulation, value), bound, nodes, hit_clock)


def lowered(bound: float) -> float | None:
    """Return a bound from floating point less its margin; None where it bounds nothing."""
    return bound - MARGIN * max(1.0, abs(bound)) if abs(bound) < highspy.kHighsInf else None


def cost_scale(costs: NDArray[np.float64]) -> float:
    """Return the power of two that brings the largest cost to some 2**16: the solver takes costs far below 1 for none at all."""
    largest = float(np.abs(costs).max(initial=0.0))
    return 2.0 ** (COST_BITS - floor(log2(largest))) if largest > 0 else 1.0
