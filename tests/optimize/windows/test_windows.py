"""Long horizons window by window, on problems so small that the best plan is known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schedplan.measures.feasibility import violations
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.plan import PlanStatus
from schedplan.model.problem import Limits, Problem
from schedplan.model.workload import Job, WorkerShape
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.route import is_long, kept_whole_because
from schedplan.optimize.size import Size
from schedplan.optimize.solve import optimize
from schedplan.timegrid import TimeGrid
from tests.oracle.agreement import ONES, divisors_of, tolerance
from tests.oracle.brute_force import best_plan
from tests.oracle.instances import THEMES, instance

BY_WINDOWS = SolveOptions(long_slots=1, long_columns=0, window_slots=2, overlap_slots=1, price_steps=30)
FIRST = {theme: instance(theme, 1) for theme in THEMES}
IN_WINDOWS = [theme for theme, one in FIRST.items() if is_long(one, BY_WINDOWS, Size(one))]


@pytest.mark.parametrize("theme", IN_WINDOWS)
def test_bound_best_plan_and_plan_by_windows_are_in_this_order(theme: str) -> None:
    problem = FIRST[theme]
    plan = optimize(problem, BY_WINDOWS)
    best = best_plan(problem, divisors_of(plan) or ONES)
    if plan.proof.status is PlanStatus.INFEASIBLE:
        assert best is None
        return

    assert best is not None
    assert plan.proof.objective is not None
    assert violations(problem, plan.decisions) == ()
    assert best.objective <= plan.proof.objective + tolerance(best.objective)
    assert plan.proof.bound is None or plan.proof.bound <= best.objective + tolerance(best.objective)


def test_what_starts_in_one_window_holds_its_node_in_the_next() -> None:
    # One node for two gangs of all its devices, 3 hours each: the second can't start before hour 3, which is in the second window.
    problem = _one_node(_job("a", 180), _job("b", 180))

    plan = optimize(problem, BY_WINDOWS)

    assert "3 windows of 2 slots with 1 more in view" in plan.proof.route
    assert sorted(part.start_slot for part in plan.decisions.parts) == [0, 3]


def test_what_is_worth_more_later_can_wait_with_nothing_else_to_choose() -> None:
    # Of this problem's second window all jobs that wait gain by it, so that none has a weight above 0 to be drawn by.
    problem = instance("speeds", 5)

    assert violations(problem, optimize(problem, replace(BY_WINDOWS, price_steps=40)).decisions) == ()


def test_the_same_problem_gives_the_same_plan() -> None:
    problem = instance("capacity", 2)
    first, second = optimize(problem, BY_WINDOWS), optimize(problem, BY_WINDOWS)

    assert first.decisions.parts == second.decisions.parts
    assert first.proof == second.proof


def test_how_much_a_model_of_all_slots_would_take_is_told_before_it_is_built() -> None:
    # One job on one pool with 6 slots to start in, and 6 numbers of nodes: about 12 columns, 4 kB each.
    problem = _one_node(_job("a", 60))

    assert Size(problem).columns == 12
    assert "a model of all 6 slots not built: about 12 columns on pools, about 0 MB" in optimize(problem, BY_WINDOWS).proof.route


def test_a_short_or_small_problem_is_planned_as_a_whole() -> None:
    problem = _one_node(_job("a", 60))

    assert "windows" not in optimize(problem).proof.route
    assert "windows" not in optimize(problem, replace(BY_WINDOWS, long_slots=6)).proof.route


def test_what_a_budget_binds_is_planned_as_a_whole() -> None:
    problem = replace(_one_node(_job("a", 60)), limits=Limits(budget_per_day=100.0))

    assert kept_whole_because(problem) == "a budget counts whole days"
    assert "all slots at once: a budget counts whole days" in optimize(problem, BY_WINDOWS).proof.route


def _one_node(*jobs: Job) -> Problem:
    pool = Pool("n", accelerator="A100", gpus=8)
    return Problem("p", TimeGrid.regular(0, 60, 6), Cluster((pool,)), jobs=jobs)


def _job(name: str, minutes: float) -> Job:
    return Job(name, shape=WorkerShape(gpus=8), runtime_minutes=minutes)
