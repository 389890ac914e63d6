"""Whether what must hold of a problem has a plan at all: without an objective, and cheap ways first.

Work that may be left out is left out, so the models hold required and running work and services alone. A plan that is found
has passed the solver-free check. That there is none is not said here for good: `conflict` confirms it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from ortools.sat.python import cp_model

from schedplan.measures.feasibility import violations
from schedplan.model.plan import Decisions
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState
from schedplan.optimize.cells import Level
from schedplan.optimize.conflict.screening import screened_jobs
from schedplan.optimize.extraction import fleets_of, gangs_of
from schedplan.optimize.formulation import Formulation, formulate
from schedplan.optimize.layout import layout
from schedplan.optimize.on_nodes import on_nodes
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.reference.plan import reference
from schedplan.optimize.solvers.cp_sat import configure, stoppable


class Answer(Enum):
    POSSIBLE = "possible"
    IMPOSSIBLE = "impossible"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Satisfaction:
    """decisions: a plan, of what must be placed alone, that the check accepts. known: what was found out, in words."""

    answer: Answer
    decisions: Decisions | None = None
    known: str = ""


def satisfaction(problem: Problem, options: SolveOptions) -> Satisfaction:
    """Return whether what must hold has a plan: by arithmetic, by the reference plan, on pools, then on single nodes."""
    must = musts(problem)
    if any(must_be_placed(found.job) for found in screened_jobs(must)):
        return Satisfaction(Answer.IMPOSSIBLE, known="a required job has no place even in an empty cluster")
    by_hand = reference(must)
    if not violations(must, by_hand):
        return Satisfaction(Answer.POSSIBLE, by_hand)
    known = []
    for level, limit in ((Level.POOLS, options.pool_columns), (Level.NODES, options.node_columns)):
        shape = layout(must, must.jobs, level)
        if shape.n_columns > limit:
            known.append(f"its model on {level.value} would have {shape.n_columns} columns, more than the {limit} that are tried")
            continue
        found = _asked(must, formulate(shape, None), options)
        if found.answer is not Answer.UNKNOWN:
            return found
        known.append(found.known)
    return Satisfaction(Answer.UNKNOWN, known="; ".join(known))


def musts(problem: Problem) -> Problem:
    """Return a problem with the jobs alone that no plan may leave out, those that they need, and all that stops may give way to."""
    least = min((stop.priority for stop in problem.stops), default=None)
    instead = {job.name for job in problem.jobs if least is not None and (job.priority > least or job.name in problem.stop_of_job)}
    return with_needed(problem, {job.name for job in problem.jobs if must_be_placed(job)} | instead)


def with_needed(problem: Problem, names: set[str]) -> Problem:
    """Return a problem with the named jobs alone, and those that they come after or start together with."""
    kept: set[str] = set()
    waiting = sorted(names)
    rows_of: dict[str, list[str]] = {}
    for job in problem.jobs:
        if job.gang is not None:
            rows_of.setdefault(job.gang, []).append(job.name)
    while waiting:
        job = problem.job_by_name[waiting.pop()]
        if job.name not in kept:
            kept.add(job.name)
            waiting += [name for name in job.after if name in problem.job_by_name]
            waiting += rows_of.get(job.gang, []) if job.gang is not None else []
    return replace(problem, jobs=tuple(job for job in problem.jobs if job.name in kept))


def of_named_work(problem: Problem, names: set[str], whole: Problem) -> Problem | None:
    """Return a problem of the named jobs and services alone, what they need, and what runs; None where that is as much
    as `whole` has, or nothing.

    What is left out only loosens the other rules, so what has no plan in it has none in the whole; not where jobs are stopped.
    """
    if problem.stops:
        return None
    jobs = {job.name for job in problem.jobs if job.name in names or job.state is JobState.RUNNING}
    services = tuple(service for service in problem.services if service.name in names)
    few = replace(with_needed(problem, jobs), services=services)
    is_whole = (len(few.jobs), len(few.services)) == (len(whole.jobs), len(whole.services))
    return None if is_whole or not (jobs or services) else few


def must_be_placed(job: Job) -> bool:
    """Whether a plan that leaves a job out is none."""
    return job.required or job.state is JobState.RUNNING


def _asked(must: Problem, formulation: Formulation, options: SolveOptions) -> Satisfaction:
    level = formulation.variables.layout.level
    for literal in formulation.rows.literals.values():
        formulation.model.add(literal == 1)
    solver = cp_model.CpSolver()
    configure(solver, options, options.work_limit, 0.0)
    status = stoppable(solver, formulation.model)
    if status == cp_model.INFEASIBLE:
        return Satisfaction(Answer.IMPOSSIBLE, known=f"its model on {level.value} has no solution")
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Satisfaction(Answer.UNKNOWN, known=f"its model on {level.value} was not decided within the limits")
    found = on_nodes(must, gangs_of(formulation, solver.value), fleets_of(formulation, solver.value))
    held = next((decisions for decisions in found if not violations(must, decisions)), None)
    if held is not None:
        return Satisfaction(Answer.POSSIBLE, held)
    place = "single nodes" if level is Level.POOLS else "single devices"
    return Satisfaction(Answer.UNKNOWN, known=f"its model on {level.value} has a solution, but none was found that {place} hold")
