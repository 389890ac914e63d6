"""Repairs beside a conflict: each is tried, so each must work when it is applied by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schedplan.model.plan import PlanStatus
from schedplan.optimize.solve import optimize
from tests.optimize.problems import problem
from tests.oracle.instances import pair

RENTED = {"name": "n", "count": 2, "gpus": 1, "market": "on_demand", "price_per_hour": 5}


def test_more_nodes_for_a_gang_one_too_large() -> None:
    task = problem({"slots": 2, "nodes": [RENTED], "jobs": [{"name": "g", "gpus": 1, "workers": 3, "required": True}]})
    plan = optimize(task)

    # 3 workers on 2 nodes: one more, 5 for the hour of the run
    assert [("gang", "job g")] == [(item.rule, item.subject) for item in plan.proof.conflict]
    assert [("1 more node of n", 5.0), ("let job g be left out (required = false)", None)] == [
        (repair.change, repair.cost) for repair in plan.proof.repairs
    ]
    larger = replace(task.cluster.pools[0], count=3, max_count=3)
    mended = optimize(replace(task, cluster=replace(task.cluster, pools=(larger,))))
    assert mended.proof.status is PlanStatus.OPTIMAL


def test_a_later_deadline_for_a_window_one_minute_short() -> None:
    job = {"name": "a", "gpus": 1, "runtime_minutes": 121, "deadline": 2, "required": True}
    plan = optimize(problem({"slots": 4, "nodes": [RENTED], "jobs": [job]}))

    # 121 min book 3 slots, so the deadline of 02:00 has to become 03:00
    assert "a deadline 60 min later for job a (1970-01-01 03:00+00:00)" in [repair.change for repair in plan.proof.repairs]
    mended = optimize(problem({"slots": 4, "nodes": [RENTED], "jobs": [{**job, "deadline": 3}]}))
    assert mended.proof.status is PlanStatus.OPTIMAL


def test_the_budget_that_is_needed() -> None:
    jobs = [{"name": name, "gpus": 1, "required": True} for name in ("a", "b")]
    plan = optimize(problem({"slots": 1, "limits": {"budget_per_day": 9.0}, "nodes": [RENTED], "jobs": jobs}))

    # two jobs of one hour at 5: 10 in place of 9
    assert ("a budget of 10.00 USD a day in place of 9.00", 1.0) in [(one.change, one.cost) for one in plan.proof.repairs]
    mended = optimize(problem({"slots": 1, "limits": {"budget_per_day": 10.0}, "nodes": [RENTED], "jobs": jobs}))
    assert mended.proof.status is PlanStatus.OPTIMAL


@pytest.mark.parametrize("count", [7, 5])
def test_nodes_for_a_service(count: int) -> None:
    service = {"name": "s", "slo_ms": 200, "service_ms": 96, "service_cv": 0.3, "concurrency": 150, "gpus": 1}
    plan = optimize(
        problem(
            {
                "slots": 1,
                "limits": {"max_utilization": 0.9},
                "nodes": [{**RENTED, "count": count}],
                "services": [service],
                "demand": [{"service": "s", "rps": [10000]}],
            }
        )
    )

    # 8 replicas are needed; more nodes are tried as 1, 2, 3, 4, 6, ...
    more = {7: 1, 5: 3}[count]
    assert (f"{more} more node{'s' if more > 1 else ''} of n", more * 5.0) in [(one.change, one.cost) for one in plan.proof.repairs]


def test_steps_of_a_repair_are_priced_in_the_plan_of_all_of_them():
    # spot for a job, and then a second node beside it: p0 becomes p0/1 and p0/2, which the plan of the first step does not have
    task = pair("required", "spot", 3)
    assert task is not None
    plan = optimize(task)

    assert plan.proof.status is PlanStatus.INFEASIBLE
    assert [repair.change for repair in plan.proof.repairs if repair.cost is not None and repair.cost < 0] == []
