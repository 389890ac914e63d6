"""One run of CP-SAT on one formulation: what it found, and what it proved. Deterministic: limits are counts of work.

The solver's own word `OPTIMAL` is not passed on: a relative gap limit makes it say so early.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ortools.sat.python import cp_model

from schedplan.model.plan import Decisions
from schedplan.optimize.extraction import fleets_of, gangs_of
from schedplan.optimize.formulation import Formulation
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.plan_values import plan_values
from schedplan.optimize.solvers.interruptible import interruptible
from schedplan.packing.assignment import FleetSlot, GangStart


class Outcome(Enum):
    SOLVED = "solved"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Found:
    """What a run gives: gangs and fleets on cells, and a proven lower bound on F (None where there is none)."""

    outcome: Outcome
    gangs: tuple[GangStart, ...]
    fleets: tuple[FleetSlot, ...]
    bound: float | None
    work: float
    hit_clock: bool


def search(formulation: Formulation, options: SolveOptions, work_limit: float, hint: Decisions | None = None) -> Found:
    """Solve a formulation within a deterministic work limit, starting from the decisions of `hint` where given."""
    if formulation.scaled is None:
        raise ValueError("only a formulation with an objective can be searched")
    layout = formulation.variables.layout
    formulation.model.clear_hints()  # type: ignore[no-untyped-call]
    if hint is not None:
        for index, value in plan_values(formulation.variables, hint).items():
            formulation.model.add_hint(formulation.model.get_int_var_from_proto_index(index), value)
    solver = cp_model.CpSolver()
    configure(solver, options, work_limit, options.gap_for(layout.n_columns))
    status = stoppable(solver, formulation.model)
    work = solver.response_proto.deterministic_time
    hit_clock = options.time_limit_s is not None and solver.wall_time >= options.time_limit_s * 0.98
    if status == cp_model.INFEASIBLE:
        return Found(Outcome.INFEASIBLE, (), (), None, work, hit_clock)
    if status == cp_model.MODEL_INVALID:
        raise AssertionError(f"the solver calls the model invalid: {formulation.model.validate() or 'no reason given'}")
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        # A run that ended before its search began reports a bound of 0, which bounds nothing.
        return Found(Outcome.UNKNOWN, (), (), None, work, hit_clock)
    # The integer bound: the public one is a float, which holds 53 of our 56 bits.
    bound = formulation.scaled.bound(solver.response_proto.inner_objective_lower_bound)
    return Found(Outcome.SOLVED, gangs_of(formulation, solver.value), fleets_of(formulation, solver.value), bound, work, hit_clock)


def stoppable(solver: cp_model.CpSolver, model: cp_model.CpModel) -> cp_model.CpSolverStatus:
    """Return the status of a solve that an interrupt of the main thread ends at once."""
    solver.parameters.catch_sigint_signal = False
    return interruptible(lambda: solver.solve(model), solver.stop_search)


def configure(solver: cp_model.CpSolver, options: SolveOptions, work_limit: float, gap: float) -> None:
    """Set the parameters under which a run can be repeated, whatever the machine has of cores."""
    parameters = solver.parameters
    parameters.random_seed = options.seed
    parameters.num_workers = 1
    parameters.relative_gap_limit = gap
    parameters.max_deterministic_time = work_limit
    parameters.log_search_progress = False
    if not options.is_probed:
        parameters.cp_model_probing_level = 0
        parameters.symmetry_level = 0
        parameters.max_presolve_iterations = 1
    if options.time_limit_s is not None:
        parameters.max_time_in_seconds = options.time_limit_s
