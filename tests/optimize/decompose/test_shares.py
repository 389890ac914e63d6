"""Problems dealt out as shares: what they hold, and the plan that is joined of theirs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from schedplan.measures.feasibility import violations
from schedplan.model.problem import Problem
from schedplan.optimize.decompose.shares import number_of_shares, shares_of
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.size import Size
from schedplan.optimize.solve import optimize
from tests.optimize.problems import problem

SLOTS = 12
OPTIONS = SolveOptions(memory_mb=1, share_columns=300, price_steps=60)


def fleet(**changes: object) -> Problem:
    """Seven nodes of 8 devices, three of them rented by the hour, 32 jobs of four shapes and two tenants, a service, a quota."""
    shapes = ((1, 1), (1, 4), (1, 8), (2, 8))
    jobs = [
        {
            "name": f"j{number:02}",
            "workers": shapes[number % 4][0],
            "gpus": shapes[number % 4][1],
            "runtime_minutes": 60.0 * (1 + number % 3),
            "earliest_start": number % 5,
            "priority": number % 2,
            "tenant": "ab"[number % 2],
        }
        for number in range(32)
    ]
    rented = {"name": "r", "count": 1, "max_count": 3, "gpus": 8, "market": "on_demand", "price_per_hour": 4.0}
    case: dict[str, object] = {
        "slots": SLOTS,
        "nodes": [{"name": "o", "count": 4, "gpus": 8}, rented],
        "jobs": jobs,
        "services": [{"name": "s", "slo_ms": 400, "service_ms": 100, "concurrency": 4, "gpus": 1, "min_replicas": 3}],
        "demand": [{"service": "s", "rps": [60.0] * SLOTS}],
        "quotas": [{"tenant": "a", "nominal": 20, "max": 30, "borrow_price": 0.5}],
    }
    return problem(case | changes)


def n_shares(whole: Problem, options: SolveOptions = OPTIONS) -> int:
    return number_of_shares(whole, options, Size(whole))


def test_shares_add_up_to_the_whole() -> None:
    whole = fleet()
    shares = shares_of(whole, 3)

    assert sorted(whole.cluster.nodes) == sorted(name for share in shares for name in share.names)
    assert [job.name for job in whole.jobs] == sorted(job.name for share in shares for job in share.problem.jobs)
    # 7 nodes and 32 jobs by three; of 3 replicas each share keeps one
    assert [3, 2, 2] == [len(share.names) for share in shares]
    assert [11, 11, 10] == [len(share.problem.jobs) for share in shares]
    assert [1, 1, 1] == [share.problem.services[0].min_replicas for share in shares]
    assert [20.0] * SLOTS == shares[0].problem.demands[0].mean_rps.tolist()
    assert [(20 / 3, 10.0)] * 3 == [(one.nominal, one.max) for share in shares for one in share.problem.quotas]
    assert 10.0 == pytest.approx(sum(share.problem.objective.unplaced for share in shares))
    # the only rented node that is up at the start is the fifth node: the second share has it, and its name comes first there
    up = [[(pool.name, pool.count) for pool in share.problem.cluster.pools] for share in shares]
    assert [[("o", 2), ("r", 0)], [("o", 1), ("r", 1)], [("o", 1), ("r", 0)]] == up
    assert all(len(share.names) == len(share.problem.cluster.nodes) for share in shares)


def test_each_share_has_like_work() -> None:
    devices = [sum(job.devices for job in share.problem.jobs) for share in shares_of(fleet(), 2)]

    # 8 jobs of 1, 4, 8 and 16 devices each: 232 in all
    assert [116, 116] == devices


def test_a_plan_of_shares_keeps_every_rule_and_is_no_worse_than_first_come() -> None:
    whole = fleet()
    plan = optimize(whole, OPTIONS)
    exact = optimize(whole, SolveOptions(pool_boxes=4, node_boxes=4, work_limit=1.0))

    assert n_shares(whole) == -(-Size(whole).columns // 300) > 1
    assert "shares of nodes, jobs and demand" in plan.proof.route
    assert violations(whole, plan.decisions) == ()
    assert plan.proof.bound is not None
    assert exact.proof.bound is not None
    assert plan.proof.objective is not None
    assert exact.proof.objective is not None
    assert plan.proof.bound <= exact.proof.objective + 1e-9
    assert exact.proof.bound - 1e-6 <= plan.proof.objective <= (plan.policies[0].objective or np.inf) + 1e-9


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"pins": [{"job": "j00", "node": "o/1"}]}, id="a pin names a node"),
        pytest.param({"limits": {"budget_per_day": 100.0}}, id="a budget counts all work"),
        pytest.param({"limits": {"reserve": "node"}}, id="a reserve counts all nodes"),
        pytest.param({"outages": [{"node": "o/1", "start": 1, "end": 2}]}, id="an outage names a node"),
    ],
)
def test_what_ties_work_to_nodes_or_counts_all_of_it_is_not_dealt_out(changes: dict[str, object]) -> None:
    assert n_shares(fleet()) > 1
    assert 1 == n_shares(fleet(**changes))


def test_so_many_shares_that_they_would_take_for_ever_are_not_made() -> None:
    assert 1 == n_shares(fleet(), replace(OPTIONS, most_shares=2))


def test_jobs_that_wait_for_others_are_not_dealt_out() -> None:
    whole = fleet()
    first, second, *others = whole.jobs

    assert 1 == n_shares(replace(whole, jobs=(first, replace(second, after=(first.name,)), *others)))
