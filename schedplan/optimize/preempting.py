"""Which running jobs to stop: every set of them is a problem, all are solved in one F, and the best plan is taken.

Up to MOST_TRIED_WHOLE jobs that may be stopped all sets are tried, so that the least bound bounds them all. With more, jobs are
stopped one by one, the least urgent first, as long as that helps; then nothing is proven.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from schedplan.errors import SolverError
from schedplan.measures.stops import stoppable, with_stopped
from schedplan.model.plan import Plan, PlanStatus
from schedplan.model.problem import Problem
from schedplan.model.workload import Job
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.proof import prove
from schedplan.optimize.solve import optimize, refuse_unproven

MOST_TRIED_WHOLE = 4
MOST_TRIED = 12


def optimize_preempting(problem: Problem, rows: dict[str, Job], options: SolveOptions) -> tuple[Problem, Plan]:
    """Return the problem with the jobs stopped that are best stopped, and its plan. rows: running jobs as their table has them.

    Raises SolverError where no plan was found within the limits, or `require_optimal` is set and the proof is missing.
    """
    able = tuple(job.name for job in stoppable(problem) if job.name in rows)
    first = _tried(problem, (), rows, options)
    is_whole = len(able) <= MOST_TRIED_WHOLE
    tried = [first, *(_all_sets(problem, able, rows, options) if is_whole else _one_by_one(problem, able, rows, options, first))]
    solved = [(changed, plan) for changed, plan in tried if plan is not None and plan.proof.objective is not None]
    if not solved:
        return problem, first[1] or optimize(problem, options)
    changed, best = min(solved, key=lambda found: (found[1].proof.objective or 0.0, len(found[0].stops)))
    bounds = [plan.proof.bound for _, plan in tried if plan is not None and plan.proof.status is not PlanStatus.INFEASIBLE]
    known = [bound for bound in bounds if bound is not None]
    is_bounded = is_whole and len(known) == len(bounds) and all(plan is not None for _, plan in tried)
    plan = _proven(best, min(known) if is_bounded else None, len(tried))
    refuse_unproven(plan.proof, options)
    return changed, plan


def _proven(best: Plan, bound: float | None, n_tried: int) -> Plan:
    """Return the best plan with the bound that holds for all sets of stopped jobs."""
    proof = best.proof
    if proof.objective is None:
        return best
    found = prove(proof.objective, None if bound is None else min(bound, proof.objective))
    route = f"{proof.route}; {n_tried} sets of stopped jobs"
    return replace(best, proof=replace(found, route=route, work=proof.work))


def _all_sets(
    problem: Problem, able: tuple[str, ...], rows: dict[str, Job], options: SolveOptions
) -> Iterator[tuple[Problem, Plan | None]]:
    for size in range(1, len(able) + 1):
        for names in combinations(able, size):
            yield _tried(problem, names, rows, options)


def _one_by_one(
    problem: Problem, able: tuple[str, ...], rows: dict[str, Job], options: SolveOptions, first: tuple[Problem, Plan | None]
) -> Iterator[tuple[Problem, Plan | None]]:
    best = None if first[1] is None else first[1].proof.objective
    chosen: tuple[str, ...] = ()
    for name in able[:MOST_TRIED]:
        changed, plan = _tried(problem, (*chosen, name), rows, options)
        value = None if plan is None else plan.proof.objective
        yield changed, plan
        if value is not None and (best is None or value < best):
            best, chosen = value, (*chosen, name)


def _tried(problem: Problem, names: tuple[str, ...], rows: dict[str, Job], options: SolveOptions) -> tuple[Problem, Plan | None]:
    """Return a problem with jobs stopped and its plan, None where none was found within the limits."""
    changed = with_stopped(problem, tuple(rows[name] for name in names))
    try:
        return changed, optimize(changed, replace(options, require_optimal=False))
    except SolverError:
        return changed, None
