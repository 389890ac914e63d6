"""Plans from prices alone: the route of problems whose model would not fit in memory, and the bound that the prices prove."""

from __future__ import annotations

import pytest

from schedplan.measures.feasibility import violations
from schedplan.model.plan import PlanStatus
from schedplan.model.problem import Problem
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.route import is_beyond_memory
from schedplan.optimize.size import Size
from schedplan.optimize.solve import optimize
from tests.optimize.problems import problem
from tests.oracle.instances import instances

NO_MODEL = SolveOptions(memory_mb=0, price_steps=50)


def one_node() -> Problem:
    """A node of 8 devices for two hours, two jobs of an hour that fill it; the urgent one is to go first."""
    jobs = [
        {"name": name, "gpus": 8, "runtime_minutes": 60.0, "priority": priority} for name, priority in (("calm", 0), ("urgent", 1))
    ]
    return problem({"slots": 2, "nodes": [{"name": "n", "gpus": 8}], "jobs": jobs})


def test_only_what_would_take_too_much_memory_is_planned_without_a_model() -> None:
    assert is_beyond_memory(one_node(), NO_MODEL, Size(one_node()))
    assert not is_beyond_memory(one_node(), SolveOptions(), Size(one_node()))


def test_a_plan_without_a_model_says_why_and_has_a_bound() -> None:
    plan = optimize(one_node(), NO_MODEL)

    assert {part.job for part in plan.decisions.parts} == {"calm", "urgent"}
    assert "model on pools not built" in plan.proof.route
    assert plan.proof.bound is not None
    assert plan.proof.bound <= plan.proof.objective + 1e-9


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in instances(1)])
def test_bounds_and_plans_hold_beside_those_of_the_whole_model(case: Problem) -> None:
    exact, found = optimize(case), optimize(case, NO_MODEL)
    if exact.proof.status is PlanStatus.INFEASIBLE or found.proof.status is PlanStatus.INFEASIBLE:
        assert exact.proof.status is found.proof.status
        return

    assert violations(case, found.decisions) == ()
    assert exact.proof.objective is not None
    assert found.proof.objective is not None
    if found.proof.bound is not None:
        assert found.proof.bound <= exact.proof.objective + 1e-9
    if exact.proof.bound is not None:
        assert found.proof.objective >= exact.proof.bound - 1e-6
