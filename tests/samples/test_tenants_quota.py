"""What the sample tenants-quota must show."""

from __future__ import annotations

import pytest

from schedplan.measures.feasibility import violations
from schedplan.measures.latency import latency_ms
from schedplan.model.plan import PlanStatus
from schedplan.workflows.optimize import Planned


@pytest.mark.parametrize(
    ("replicas", "rate_rps", "expected_ms"),
    [
        (1, 8.0, 500.0),  # 100 / (1 - 0.8)
        (2, 8.0, 119.05),  # Erlang C of 0.8 on 2 is 0.32 / 0.6 / (1 + 0.8 + 0.32 / 0.6) = 0.2286; 0.2286 x 100 / 1.2 + 100
        (10, 80.0, 120.46),  # Erlang C of 8 on 10 is 0.4092; 0.4092 x 100 / 2 + 100
        (9, 80.0, 165.33),  # Erlang C of 8 on 9 is 0.6533; 0.6533 x 100 / 1 + 100
    ],
)
def test_why_one_target_utilization_fits_neither_night_nor_day(replicas: int, rate_rps: float, expected_ms: float) -> None:
    found = latency_ms(100.0, 1.0, None, replicas, rate_rps)

    assert expected_ms == pytest.approx(found, abs=0.005)


def test_the_plan_holds_two_replicas_at_night_and_nine_by_day(tenants_quota: Planned) -> None:
    plan, grid = tenants_quota.plan, tenants_quota.prepared.problem.grid
    counts = [sum(part.replicas for part in plan.decisions.replicas if part.slot == slot) for slot in range(grid.n_slots)]
    latencies = {round(row.latency_ms, 2) for row in plan.replicas if row.latency_ms is not None}

    assert [2] * 8 == counts[:8]
    assert [9] * 8 == counts[11:19]
    assert {119.05, 165.33} <= latencies
    assert max(latencies) <= 200
    assert PlanStatus.OPTIMAL is plan.proof.status
    assert () == violations(tenants_quota.prepared.problem, plan.decisions)


def test_the_bank_stands_on_core_nodes_alone(tenants_quota: Planned) -> None:
    pools = {tenants_quota.prepared.problem.cluster.pool_of_node[part.node].name for part in tenants_quota.plan.decisions.replicas}

    assert {"core"} == pools


def test_what_is_lent_is_back_when_its_tenant_wants_it(tenants_quota: Planned) -> None:
    problem, plan = tenants_quota.prepared.problem, tenants_quota.plan
    starts = {part.job: part.start_slot for part in plan.decisions.parts}
    measures = {found.name: found.value for found in plan.measures if not found.labels}

    # nlp holds 8 of its 4 from the start for 10 h; ads wants its own 4 at noon and waits for nothing
    assert 0 == starts["nlp-pretrain"]
    assert 12 == starts["ads-retrain"]
    assert () == plan.unplaced
    # 4 devices x 10 h for nlp, 4 x 2 h for search (8 + 4 from 10:00 to noon), at 0.5
    assert 24.0 == pytest.approx(measures["borrow_cost"])
    assert 16.0 == sum(quota.nominal for quota in problem.quotas if quota.parent == "training")
