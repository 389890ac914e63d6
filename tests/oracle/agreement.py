"""One small problem, planned by the solver and by trying everything: what is wrong with the solver's answer, in words.

The optimum must be what trying everything reaches, the plan must stand up to the check and be counted the same by both, the
relaxation must not lie above it, and the reference plan not below.
"""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.measures.accounting import account, goal_values
from schedplan.measures.feasibility import violations
from schedplan.measures.objective import Normalisation, terms, total
from schedplan.model.plan import Decisions, Plan, PlanStatus
from schedplan.model.problem import Problem
from schedplan.optimize.cells import Level
from schedplan.optimize.formulation import formulate
from schedplan.optimize.layout import layout
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.reference.plan import normalisation, reference
from schedplan.optimize.solve import optimize
from schedplan.optimize.solvers.branch import branch
from tests.oracle.arithmetic import objective_of
from tests.oracle.brute_force import Answer, best_plan

ONES = {"latency": 1.0, "utilization": 1.0, "cost": 1.0}
"""Divisors under which a goal counts by its own unit."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one problem. leaves_out: its best plan has no place for some job."""

    problem: str
    is_infeasible: bool
    leaves_out: bool
    faults: tuple[str, ...]


def verdict(problem: Problem) -> Verdict:
    """Return what both say of a problem, with every fault of the solver's answer."""
    plan = optimize(problem, SolveOptions())
    if plan.proof.status is PlanStatus.INFEASIBLE:
        has_plan = best_plan(problem, ONES) is not None
        faults = ["called infeasible, and is not"] * has_plan + ["infeasible without a conflict"] * (not plan.proof.conflict)
        return _told(problem, faults, is_infeasible=True)
    answer = best_plan(problem, divisors_of(plan))
    if answer is None:
        return _told(problem, ["has a plan, and is infeasible"])
    scales = normalisation(problem, reference(problem))
    faults = [*plan_faults(problem, plan, answer), *answer_faults(problem, answer, scales), *order_faults(problem, answer, scales)]
    return _told(problem, faults, leaves_out=leaves_out(problem, answer.decisions))


def faults_of(problem: Problem) -> list[str]:
    """Return in words what is wrong with the solver's answer; empty where it is right."""
    return list(verdict(problem).faults)


def leaves_out(problem: Problem, decisions: Decisions) -> bool:
    """Whether decisions have no place for some job."""
    return len({part.job for part in decisions.parts}) < len(problem.jobs)


def divisors_of(plan: Plan) -> dict[str, float]:
    return {term.name: term.divisor for term in plan.terms}


def plan_faults(problem: Problem, plan: Plan, answer: Answer) -> list[str]:
    """Compare value, proof and the check of a plan with the best there is."""
    found, bound = plan.proof.objective, plan.proof.bound
    faults = [f"breaks {broken.message}" for broken in violations(problem, plan.decisions)]
    if plan.proof.status is not PlanStatus.OPTIMAL:
        faults.append(f"status {plan.proof.status.value}, gap {plan.proof.gap}")
    if found is None or abs(found - answer.objective) > tolerance(answer.objective):
        faults.append(f"objective {found}, and {answer.objective} can be reached")
    elif abs(objective_of(problem, plan.decisions, divisors_of(plan)) - found) > tolerance(found):
        faults.append(f"objective {found}, and its decisions are worth {objective_of(problem, plan.decisions, divisors_of(plan))}")
    if bound is None or bound > answer.objective + tolerance(answer.objective):
        faults.append(f"bound {bound} above the best plan {answer.objective}")
    return faults


def answer_faults(problem: Problem, answer: Answer, scales: Normalisation) -> list[str]:
    """The product must accept the best plan of the oracle, and count it the same."""
    counted = total(terms(problem, account(problem, answer.decisions).goals, scales))
    faults = [f"the best plan is refused: {broken.message}" for broken in violations(problem, answer.decisions)]
    if abs(counted - answer.objective) > tolerance(answer.objective):
        faults.append(f"the best plan is worth {answer.objective} and is counted as {counted}")
    return faults


def order_faults(problem: Problem, answer: Answer, scales: Normalisation) -> list[str]:
    """Relaxation <= optimum <= reference, the last where the reference plan is one."""
    faults = []
    relaxed = relaxation(problem, scales)
    if relaxed is None or relaxed > answer.objective + tolerance(answer.objective):
        faults.append(f"the relaxation {relaxed} is above the best plan {answer.objective}")
    first = reference(problem)
    if not violations(problem, first):
        value = total(terms(problem, goal_values(problem, first), scales))
        if value < answer.objective - tolerance(answer.objective):
            faults.append(f"the reference plan {value} is better than the best plan {answer.objective}")
    return faults


def relaxation(problem: Problem, scales: Normalisation) -> float | None:
    """Return the value of the linear relaxation of the model on pools, None where the solver tells none."""
    everything = layout(problem, problem.jobs, Level.POOLS)
    placeable = {column.class_idx for column in everything.columns}
    able = {job.name for job_class in everything.classes if job_class.idx in placeable for job in job_class.jobs}
    shape = layout(problem, tuple(job for job in problem.jobs if job.name in able), Level.POOLS)
    excluded = tuple(job for job in problem.jobs if job.name not in able)
    return branch(formulate(shape, scales, excluded), SolveOptions(), 0).bound


def tolerance(value: float) -> float:
    return 1e-7 * max(1.0, abs(value))


def _told(problem: Problem, faults: list[str], *, is_infeasible: bool = False, leaves_out: bool = False) -> Verdict:
    return Verdict(problem.name, is_infeasible, leaves_out, tuple(f"{problem.name}: {fault}" for fault in faults))
