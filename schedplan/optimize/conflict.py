"""Why nothing is feasible: the rules that can't hold together, by name and as few as possible. It proposes, it changes nothing.

The rows of every named rule hang on a literal; a core of them is found with all assumed, and shrunk by leaving out one after
the other: what remains is infeasible, and feasible without any one of its rules.
"""

from __future__ import annotations

from ortools.sat.python import cp_model

from schedplan.model.plan import ConflictItem
from schedplan.model.problem import Problem
from schedplan.optimize.formulation import formulate
from schedplan.optimize.layout import Level, layout
from schedplan.optimize.options import SolveOptions
from schedplan.packing.screen import Screened


def conflict(problem: Problem, screened: tuple[Screened, ...], options: SolveOptions) -> tuple[ConflictItem, ...]:
    """Return a minimal conflict of an infeasible problem; where arithmetic alone shows it, every required job it concerns."""
    impossible = tuple(found for found in screened if found.job.required)
    if impossible:
        return tuple(ConflictItem(found.rule, f"job {found.job.name}", found.evidence) for found in impossible)
    rules = _core(problem, tuple(found.job.name for found in screened), options)
    return tuple(_item(problem, rule) for rule in rules)


def _core(problem: Problem, left_out: tuple[str, ...], options: SolveOptions) -> tuple[str, ...]:
    jobs = tuple(job for job in problem.jobs if job.name not in left_out)
    formulation = formulate(layout(problem, jobs, Level.POOLS, merged=False), None)
    literals = formulation.rows.literals
    kept = list(literals)
    for rule in list(literals):
        trial = [name for name in kept if name != rule]
        if _is_infeasible(formulation.model, [literals[name] for name in trial], options):
            kept = trial
    return tuple(kept)


def _is_infeasible(model: cp_model.CpModel, assumed: list[cp_model.IntVar], options: SolveOptions) -> bool:
    model.clear_assumptions()
    model.add_assumptions(assumed)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = options.seed
    solver.parameters.max_deterministic_time = options.work_limit
    return bool(solver.solve(model) == cp_model.INFEASIBLE)


def _item(problem: Problem, rule: str) -> ConflictItem:
    kind, _, name = rule.partition(" ")
    if kind == "service":
        demand = problem.demand_of[name].peak_rps
        return ConflictItem("service", f"service {name}", f"up to {float(demand.max()):g} requests/s must be served")
    if kind == "max_replicas":
        return ConflictItem(
            "service", f"service {name}", f"at most {problem.service_by_name[name].max_replicas} replicas are allowed"
        )
    if kind == "budget":
        return ConflictItem("budget", f"day {name}", f"the limit is {problem.limits.budget_per_day:g} {problem.currency} a day")
    if kind == "quota":
        ceiling = next(ceiling for ceiling in problem.ceilings if ceiling.key == name)
        unit = ceiling.scope.resource.value
        return ConflictItem("quota", ceiling.subject, f"at most {ceiling.limit:g} {unit} may count")
    job = problem.job_by_name[name]
    return ConflictItem(
        "required", f"job {name}", f"{job.workers} workers of {job.shape.gpus:g} devices must be placed in their window"
    )
