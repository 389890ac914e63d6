"""Whether a set of named rules really has no plan: asked of two solvers, because one alone has been wrong before.

CP-SAT solves the rules firmly, without its presolve and with another seed; HiGHS solves the same rows as an integer program.
Faults of that kind: github.com/google/or-tools issues 3017, 3943, 5141, 5274, 5295.
"""

from __future__ import annotations

from enum import Enum

import highspy
from ortools.sat.python import cp_model

from schedplan.errors import SolverError
from schedplan.optimize.formulation import formulate
from schedplan.optimize.layout import Layout
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.solvers.cp_sat import configure, stoppable
from schedplan.optimize.solvers.highs import as_highs
from schedplan.optimize.solvers.interruptible import interruptible
from schedplan.optimize.solvers.linear import linear
from schedplan.optimize.solvers.silent import SilentHighs

BRANCH_NODES = 5_000


class Word(Enum):
    """What one solver says of a set of rules."""

    HOLDS = "has a solution"
    NONE = "has none"
    UNDECIDED = "not decided within the limits"


def is_confirmed(shape: Layout, rules: frozenset[str], options: SolveOptions) -> bool:
    """Return whether both solvers say that the rules have no solution; False where one did not decide.

    Raises SolverError where one of them has a solution of what was found to have none: then nothing is said.
    """
    model = formulate(shape, None, only=rules).model
    words = (_without_presolve(model, options), _branched(model, options))
    if Word.HOLDS in words:
        raise SolverError(
            "the solvers contradict one another: one found no plan where another has a solution, so nothing is claimed",
            code="SP4003",
            hint="Another `--seed` may avoid it. Please report it with the inputs, if you may.",
        )
    return words == (Word.NONE, Word.NONE)


def _without_presolve(model: cp_model.CpModel, options: SolveOptions) -> Word:
    solver = cp_model.CpSolver()
    configure(solver, options, options.work_limit, 0.0)
    solver.parameters.random_seed = options.seed + 1
    solver.parameters.cp_model_presolve = False
    status = stoppable(solver, model)
    if status == cp_model.INFEASIBLE:
        return Word.NONE
    return Word.HOLDS if status in (cp_model.OPTIMAL, cp_model.FEASIBLE) else Word.UNDECIDED


def _branched(model: cp_model.CpModel, options: SolveOptions) -> Word:
    rows = linear(model)
    if rows is None:
        return Word.UNDECIDED
    if rows.n_columns == 0:
        is_broken = bool((rows.row_lower > 0).any() or (rows.row_upper < 0).any())
        return Word.NONE if is_broken else Word.HOLDS
    highs = SilentHighs()
    highs.setOptionValue("random_seed", options.seed)
    highs.setOptionValue("mip_max_nodes", BRANCH_NODES)
    if options.time_limit_s is not None:
        highs.setOptionValue("time_limit", options.time_limit_s)
    highs.passModel(as_highs(rows, is_integer=True))
    interruptible(highs.run)
    status = highs.getModelStatus()
    if status == highspy.HighsModelStatus.kInfeasible:
        return Word.NONE
    is_solved = highs.getInfo().primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    return Word.HOLDS if is_solved else Word.UNDECIDED
