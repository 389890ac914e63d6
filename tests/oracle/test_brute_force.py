"""The solver against trying everything, on random problems with every kind of constraint."""

import pytest

from schedplan.measures.accounting import account
from schedplan.measures.feasibility import violations
from schedplan.measures.objective import terms, total
from schedplan.model.plan import Plan, PlanStatus
from schedplan.model.problem import Problem
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.reference import normalisation, reference
from schedplan.optimize.solve import optimize
from tests.oracle.arithmetic import objective_of
from tests.oracle.brute_force import Answer, best_plan
from tests.oracle.instances import THEMES, instance

PER_THEME = 30
CHUNK = 10
ONES = {"latency": 1.0, "utilization": 1.0, "cost": 1.0}


@pytest.mark.parametrize("first", range(0, PER_THEME, CHUNK))
@pytest.mark.parametrize("theme", THEMES)
def test_the_solver_reaches_what_trying_everything_reaches(theme, first):
    faults = [fault for number in range(first, first + CHUNK) for fault in faults_of(instance(theme, number))]

    assert faults == []


def faults_of(problem: Problem) -> list[str]:
    """Return in words what is wrong with the solver's plan of a problem; empty where it is right."""
    plan = optimize(problem, SolveOptions())
    if plan.proof.status is PlanStatus.INFEASIBLE:
        has_plan = best_plan(problem, ONES) is not None
        faults = ["called infeasible, and is not"] * has_plan + ["infeasible without a conflict"] * (not plan.proof.conflict)
        return [f"{problem.name}: {fault}" for fault in faults]
    answer = best_plan(problem, divisors_of(plan))
    if answer is None:
        return [f"{problem.name}: has a plan, and is infeasible"]
    return [f"{problem.name}: {fault}" for fault in [*plan_faults(problem, plan, answer), *answer_faults(problem, answer)]]


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


def answer_faults(problem: Problem, answer: Answer) -> list[str]:
    """The product must accept the best plan of the oracle, and count it the same."""
    scales = normalisation(problem, reference(problem))
    counted = total(terms(problem, account(problem, answer.decisions).goals, scales))
    faults = [f"the best plan is refused: {broken.message}" for broken in violations(problem, answer.decisions)]
    if abs(counted - answer.objective) > tolerance(answer.objective):
        faults.append(f"the best plan is worth {answer.objective} and is counted as {counted}")
    return faults


def tolerance(value: float) -> float:
    return 1e-7 * max(1.0, abs(value))


@pytest.mark.parametrize("theme", THEMES)
def test_every_kind_of_constraint_makes_some_instances_infeasible_or_leaves_work_out(theme):
    # an oracle that only ever places everything would prove little: count what binds, per theme
    binding = 0
    for number in range(PER_THEME // 2):
        problem = instance(theme, number)
        answer = best_plan(problem, ONES)
        placed = set() if answer is None else {part.job for part in answer.decisions.parts}
        binding += answer is None or len(placed) < len(problem.jobs)

    assert binding > 0
