"""Goals one by one, and the front of two of them, on problems whose best plans are known by hand."""

from dataclasses import replace

import numpy as np
import pytest

from schedplan.errors import SolverError
from schedplan.measures.feasibility import violations
from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.plan import PlanStatus
from schedplan.model.problem import AtMost, Objective, PriceSeries, Problem
from schedplan.model.workload import Job, WorkerShape
from schedplan.optimize.goals.lexicographic import HELD, lexicographic, stage_of
from schedplan.optimize.goals.pareto import pareto
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.solve import optimize
from schedplan.timegrid import TimeGrid

PRICE = np.array([9.0, 7.0, 4.0, 2.0])
ONE = Pool("n", count=0, min_count=0, max_count=1, gpus=1, market=Market.ON_DEMAND)


def waiting_is_cheaper(n_jobs: int = 1, nodes: int = 1) -> Problem:
    """Jobs of an hour on rented nodes whose price falls from 9 to 2 over four hours: k hours of wait save 0, 2, 5 or 7 each."""
    pool = replace(ONE, max_count=nodes)
    jobs = tuple(Job(f"j{idx}", shape=WorkerShape(gpus=1), runtime_minutes=60.0) for idx in range(n_jobs))
    grid, prices = TimeGrid.regular(0, 60, 4), (PriceSeries("n", PRICE),)
    return Problem("p", grid, Cluster((pool,)), jobs, objective=Objective(0.5, 0, 0.5), prices=prices)


def values(plan, *goals):
    return tuple(next(term.value for term in plan.terms if term.name == goal) for goal in goals)


@pytest.mark.parametrize(("order", "expected"), [(("latency", "cost"), (0.0, 9.0)), (("cost", "latency"), (3.0, 2.0))])
def test_the_first_goal_is_at_its_best_and_the_second_as_good_as_that_allows(order, expected):
    plan = lexicographic(waiting_is_cheaper(), order)

    # size = 1 device of 1: an hour of wait is 1 device-hour
    assert expected == pytest.approx(values(plan, "latency", "cost"))
    assert ["unplaced", *order] == [stage.goal for stage in plan.stages]
    assert {PlanStatus.OPTIMAL} == {plan.proof.status, *(stage.status for stage in plan.stages)}


def test_what_is_held_is_written_down_and_kept():
    problem = waiting_is_cheaper()
    plan = lexicographic(problem, ("cost",))
    (unplaced, cost) = plan.stages
    held = replace(
        problem, objective=replace(problem.objective, at_most=tuple(AtMost(one.goal, one.held_at) for one in plan.stages))
    )

    # a millionth of the value, or of 1 where that is less
    assert (HELD, 2 + 2 * HELD) == pytest.approx((unplaced.held_at, cost.held_at), abs=1e-12)
    assert cost.bound == pytest.approx(2.0)
    assert violations(held, plan.decisions) == ()


def test_a_plan_with_a_stage_that_is_not_proven_is_refused_where_an_optimal_one_is_required(monkeypatch):
    def unproven(*given):
        return replace(stage_of(*given), status=PlanStatus.FEASIBLE)

    monkeypatch.setattr("schedplan.optimize.goals.lexicographic.stage_of", unproven)

    assert PlanStatus.FEASIBLE is lexicographic(waiting_is_cheaper(), ("cost",)).proof.status
    with pytest.raises(SolverError, match="not proven optimal"):
        lexicographic(waiting_is_cheaper(), ("cost",), SolveOptions(require_optimal=True))


def test_work_is_never_left_out_for_a_goal():
    # leaving the job out costs nothing and waits 4 h; with no price on it every goal alone would rather have it so
    problem = waiting_is_cheaper()
    free = replace(problem, objective=replace(problem.objective, unplaced=0.0))

    assert () == optimize(replace(free, objective=replace(free.objective, latency=0.0))).decisions.parts
    assert (0.0, 2.0) == pytest.approx(values(lexicographic(free, ("cost",)), "unplaced", "cost"))


def test_a_front_has_every_plan_that_is_best_for_some_cost():
    plan, told = pareto(waiting_is_cheaper(), ("latency", "cost"), 10)
    front = plan.front

    # wait 0, 1, 2 or 3 hours; a euro saved costs 1/2, 1/3 and 1/2 of an hour
    assert [(0, 9), (1, 7), (2, 4), (3, 2)] == [pytest.approx((one.first, one.second)) for one in front.points]
    assert [1 / 2, 1 / 3, 1 / 2] == pytest.approx([one.price for one in front.points[:-1]])
    assert front.is_whole
    assert [values(one.plan, "latency", "cost") for one in told] == [(one.first, one.second) for one in front.points]
    assert all(violations(one.problem, one.plan.decisions) == () for one in told)


def test_a_front_has_as_many_points_as_are_asked_for_where_there_are_more():
    # two jobs on two nodes: waits of 0 to 6 hours in all
    plan, _ = pareto(waiting_is_cheaper(2, 2), ("latency", "cost"), 3)

    assert 3 == len(plan.front.points)
    assert (0, 18) == pytest.approx((plan.front.points[0].first, plan.front.points[0].second))
    assert (6, 4) == pytest.approx((plan.front.points[-1].first, plan.front.points[-1].second))
    assert not plan.front.is_whole


def test_goals_that_do_not_pull_apart_have_a_front_of_one_point():
    problem = replace(waiting_is_cheaper(), prices=(PriceSeries("n", PRICE[::-1].copy()),))
    plan, told = pareto(problem, ("latency", "cost"), 5)

    assert [(0, 2)] == [pytest.approx((one.first, one.second)) for one in plan.front.points]
    assert plan.front.is_whole
    assert 1 == len(told)
    assert "Nor do any others of latency, cost, utilization" in plan.front.told


def test_a_front_of_one_point_names_the_goals_that_do_pull_apart():
    # a node with nothing idle is used at once or later: idle hours are 0 in every plan, wait and cost pull apart
    plan, _ = pareto(waiting_is_cheaper(), ("utilization", "latency"), 5)

    assert [(0, 0)] == [pytest.approx((one.first, one.second)) for one in plan.front.points]
    assert "latency and cost (--pareto-goals latency,cost)" in plan.front.told


def test_points_on_a_line_and_off_the_hull_are_found():
    # waits 0, 1, 2, 3 for 9, 5, 4, 0: (2, 4) lies beyond the line from (1, 5) to (3, 0), so no weights give it
    price = PriceSeries("n", np.array([9.0, 5.0, 4.0, 0.0]))
    plan, told = pareto(replace(waiting_is_cheaper(), prices=(price,)), ("latency", "cost"), 10)

    assert [(0, 9), (1, 5), (2, 4), (3, 0)] == [pytest.approx((one.first, one.second)) for one in plan.front.points]
    assert plan.front.points[2].held_at is not None
    assert all(one.gap == pytest.approx(0, abs=1e-4) for one in plan.front.points)
    assert all(violations(one.problem, one.plan.decisions) == () for one in told)


def test_points_of_a_front_that_differ_by_less_than_their_gap_have_no_room_between_them():
    # the node with devices is on from 1 h to 4 h, one of its two devices idle, 3 device-h; the job without devices joins it there
    # or starts at once on m for 2 an hour: a thousandth of a device-h of wait less, of no more use
    pools = (replace(ONE, gpus=2), replace(ONE, name="m", gpus=0, price_per_hour=2.0))
    jobs = (
        Job("j", shape=WorkerShape(gpus=1), runtime_minutes=180.0, submit_s=3600),
        Job("k", runtime_minutes=180.0),
    )
    problem = Problem("p", TimeGrid.regular(0, 60, 4), Cluster(pools), jobs, objective=Objective(0.5, 0.3, 0.2))
    plan, _ = pareto(problem, ("latency", "utilization"), 4)

    assert [(0, 3)] == [pytest.approx((one.first, one.second)) for one in plan.front.points]
    assert plan.front.is_whole


def test_the_plan_beside_a_front_is_that_of_the_weights():
    problem = waiting_is_cheaper()
    plan, _ = pareto(problem, ("latency", "cost"), 4)

    assert optimize(problem).decisions.parts == plan.decisions.parts
    assert plan.proof.objective == pytest.approx(min(one.objective for one in plan.front.points))


def test_no_plan_has_no_front():
    problem = waiting_is_cheaper()
    late = replace(problem, jobs=(replace(problem.jobs[0], required=True, runtime_minutes=300.0),))
    plan, told = pareto(late, ("latency", "cost"), 4)

    assert PlanStatus.INFEASIBLE is plan.proof.status
    assert (None, ()) == (plan.front, told)
    assert PlanStatus.INFEASIBLE is lexicographic(late, ("cost",)).proof.status
