"""What ties work together, in a static placement: quotas, pins, rows of gangs, spread, a reserve, dedicated shares.

Each case by the whole model and by the recipe for many nodes; each rule is found broken by the check when the plan is changed.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from schedplan.measures.feasibility import violations
from schedplan.measures.pins import with_pins
from schedplan.measures.rules.case import CODES
from schedplan.model.pin import Pin
from schedplan.model.plan import Decisions, JobPart, Plan, PlanStatus, ReplicaPart
from schedplan.model.problem import Demand, Limits, Problem, Reserve
from schedplan.model.quota import Quota
from schedplan.model.workload import Service, Topology, WorkerShape
from schedplan.optimize.static import ties
from schedplan.optimize.static.at_one_instant import optimize_static
from schedplan.optimize.static.certificate import SIZE_AT_MOST, proven_objective
from tests.optimize_static.problems import node, pod, static

WHOLE, RECIPE = "whole model", "recipe"


@pytest.fixture(params=(WHOLE, RECIPE))
def route(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Send small problems by one route or the other."""
    if request.param == RECIPE:
        monkeypatch.setattr(ties, "MOST_NODES", 0)
    return str(request.param)


def placed(plan: Plan) -> set[str]:
    return {part.job for part in plan.decisions.parts}


def codes(problem: Problem, decisions: Decisions) -> set[str]:
    return {found.code for found in violations(problem, decisions)}


def with_parts(plan: Plan, *parts: JobPart) -> Decisions:
    return replace(plan.decisions, parts=tuple(sorted((*plan.decisions.parts, *parts))))


def moved(plan: Plan, *replicas: ReplicaPart) -> Decisions:
    return replace(plan.decisions, replicas=tuple(sorted(replicas)))


def web(**more: object) -> tuple[Service, Demand]:
    """Return a service of a device a replica, of which one serves the demand."""
    service = Service("web", slo_ms=1000.0, service_ms=100.0, shape=WorkerShape(gpus=1), **more)  # type: ignore[arg-type]
    return service, Demand("web", np.array([1.0]), np.array([1.0]))


def test_quota_keeps_out_what_is_above_it(route: str) -> None:
    # Tenant r may hold 2 of 4 devices: two of its three jobs stand beside the one of s, which no quota counts.
    jobs = (*(pod(f"r{idx}", 1.0, tenant="r") for idx in range(3)), pod("s", 1.0, tenant="s"))
    problem = replace(static((node("n0", 2), node("n1", 2)), jobs), quotas=(Quota("r", 2.0, max=2.0),))
    plan = optimize_static(problem)

    assert {"s", "r0", "r1"} == placed(plan) or len(placed(plan)) == 3
    assert "s" in placed(plan)
    assert violations(problem, plan.decisions) == ()
    assert [row.rule for row in plan.unplaced] == ["quota"]
    assert plan.unplaced[0].evidence == "3 gpus would count for tenant r with it; at most 2 may"
    # 3 of 4 are proven to be the most: what is left out is a quarter
    assert plan.proof.bound == pytest.approx(0.25, abs=1e-5)
    left = plan.unplaced[0].name
    free = next(name for name in ("n0", "n1") if sum(part.workers for part in plan.decisions.parts if part.node == name) < 2)

    assert codes(problem, with_parts(plan, JobPart(left, free, 0, 1))) == {CODES["quota"]}


def test_a_job_above_its_quota_by_itself_is_not_told_to_displace_others(route: str) -> None:
    # 3 devices where the tenant may hold 2: leaving out the job of one device makes no room for it, though 4 would count with both.
    jobs = (pod("large", 3.0, tenant="r"), pod("small", 1.0, tenant="r"))
    plan = optimize_static(replace(static((node("n", 4),), jobs), quotas=(Quota("r", 2.0, max=2.0),)))

    assert {"small"} == placed(plan)
    assert [
        ("large", "even alone, 3 gpus would count for tenant r with it; at most 2 may", "raise the quota, or ask for less")
    ] == [(row.name, row.evidence, row.repair) for row in plan.unplaced]


def test_what_a_tenant_does_not_lend_stays_its_own(route: str) -> None:
    # a and b share 4 devices, 2 each; b lends 1 of its 2 and asks for nothing: a may hold 4 - 1 = 3.
    quotas = (Quota("a", 2.0, parent="team"), Quota("b", 2.0, parent="team", lend=1.0))
    problem = replace(static((node("n", 8),), tuple(pod(f"j{idx}", 1.0, tenant="a") for idx in range(5))), quotas=quotas)
    plan = optimize_static(problem)

    assert len(placed(plan)) == 3
    assert {row.rule for row in plan.unplaced} == {"quota"}
    assert plan.proof.bound == pytest.approx(2 / 5, abs=1e-5)
    # the whole proves by trying, the recipe by prices: it states what one device more of the quota is worth
    priced = [("", "quota team 1")] if route == RECIPE else []
    assert [(price.pool, price.item) for price in plan.proof.prices] == priced
    if priced:
        assert proven_objective(problem, plan.proof.prices) == pytest.approx(2 / 5, abs=1e-5)


def test_quota_on_one_device_model_leaves_the_other_open(route: str) -> None:
    # r may hold one device of model A and any of B: of four jobs one stands on A and two on B.
    pools = (node("a", 2, accelerator="A"), node("b", 2, accelerator="B"))
    quotas = (Quota("r", 1.0, accelerator="A", max=1.0),)
    problem = replace(static(pools, tuple(pod(f"j{idx}", 1.0, tenant="r") for idx in range(4))), quotas=quotas)
    plan = optimize_static(problem)
    on_a = sum(part.workers for part in plan.decisions.parts if part.node == "a")

    assert (1, 3) == (on_a, len(placed(plan)))
    assert violations(problem, plan.decisions) == ()


def test_pinned_job_stands_on_its_node(route: str) -> None:
    # Of two jobs of one device the lighter one is pinned to n0, where the heavier would fit as well; both stand.
    jobs = (pod("light", 1.0), pod("heavy", 2.0))
    problem = with_pins(static((node("n0", 2), node("n1", 2)), jobs), (Pin("light", "n0"),))
    plan = optimize_static(problem)

    assert {part.job: part.node for part in plan.decisions.parts} == {"light": "n0", "heavy": "n1"}
    assert violations(problem, plan.decisions) == ()
    swapped = replace(plan.decisions, parts=(JobPart("heavy", "n0", 0, 1), JobPart("light", "n1", 0, 1)))

    assert codes(problem, swapped) == {CODES["pin"]}


def test_pin_to_a_node_without_room_is_a_conflict(route: str) -> None:
    problem = with_pins(static((node("n0", 1), node("n1", 2)), (pod("a", 2.0),)), (Pin("a", "n0"),))
    plan = optimize_static(problem)

    assert plan.proof.status is PlanStatus.INFEASIBLE
    assert {item.subject for item in plan.proof.conflict} >= {"job a"}


def test_pins_count_before_services_choose(route: str) -> None:
    # The service would take the cheap node, which a job is pinned to; it moves to the dear one.
    pools = (node("cheap", 1, price_per_hour=1.0), node("dear", 1, price_per_hour=9.0))
    service, demand = web(min_replicas=1)
    problem = with_pins(static(pools, (pod("a", 1.0),), (service,), (demand,)), (Pin("a", "cheap"),))
    plan = optimize_static(problem)

    assert [(part.job, part.node) for part in plan.decisions.parts] == [("a", "cheap")]
    assert [(stand.node, stand.replicas) for stand in plan.decisions.replicas] == [("dear", 1)]


def test_pinned_replicas_stand_on_their_node(route: str) -> None:
    # One replica serves the demand; two are pinned to n1, so two devices of three are left out for the job of two.
    service, demand = web()
    problem = with_pins(
        static((node("n0", 1), node("n1", 2)), (pod("a", 2.0),), (service,), (demand,)),
        (Pin("web", "n1", replicas=2, is_service=True),),
    )
    plan = optimize_static(problem)

    assert sum(stand.replicas for stand in plan.decisions.replicas if stand.node == "n1") == 2
    assert placed(plan) == set()
    assert codes(problem, moved(plan, ReplicaPart("web", 0, "n1", 1))) == {CODES["pin"]}


def test_rows_of_a_gang_stand_together_or_not_at_all(route: str) -> None:
    # The rows ask for 2 + 1 devices. Of 3 devices the other job takes 1, weighs 1 and fits; the gang weighs 3 and goes first.
    jobs = (pod("g-a", 2.0, gang="g"), pod("g-b", 1.0, gang="g"), pod("other", 1.0))
    fits = static((node("n0", 2), node("n1", 1)), jobs)
    # with a device less the gang does not fit as a whole: the other job stands alone, however large one row of the gang is
    short = static((node("n0", 2),), jobs)
    both, alone = optimize_static(fits), optimize_static(short)

    assert placed(both) == {"g-a", "g-b"}
    assert placed(alone) == {"other"}
    assert {row.name: row.rule for row in alone.unplaced} == {"g-a": "gang", "g-b": "gang"}
    parts = tuple(part for part in both.decisions.parts if part.job == "g-a")

    assert codes(fits, replace(both.decisions, parts=parts)) == {CODES["gang"]}


def test_replicas_are_spread_over_nodes(route: str) -> None:
    # Two replicas, on two nodes: a device of each is left, so the job of two devices does not fit.
    service, demand = web(min_replicas=2, spread=("node", 2))
    problem = static((node("n0", 2), node("n1", 2)), (pod("wide", 2.0), pod("slim", 1.0)), (service,), (demand,))
    plan = optimize_static(problem)

    assert {stand.node: stand.replicas for stand in plan.decisions.replicas} == {"n0": 1, "n1": 1}
    assert placed(plan) == {"slim"}
    assert CODES["service"] in codes(replace(problem, jobs=()), replace(moved(plan, ReplicaPart("web", 0, "n0", 2)), parts=()))


def test_one_node_may_be_lost(route: str) -> None:
    # One replica serves; with a reserve of a node there are two on two nodes. Three devices hold two replicas and one job.
    service, demand = web()
    free = static((node("n0", 2), node("n1", 1)), (pod("a", 1.0), pod("b", 1.0)), (service,), (demand,))
    problem = replace(free, limits=Limits(reserve=Reserve.NODE))
    plan, without = optimize_static(problem), optimize_static(free)

    assert {stand.node: stand.replicas for stand in plan.decisions.replicas} == {"n0": 1, "n1": 1}
    assert len(placed(plan)) == 1
    assert len(placed(without)) == 2
    both_on_one = replace(moved(plan, ReplicaPart("web", 0, "n0", 2)), parts=())

    assert codes(replace(problem, jobs=()), both_on_one) == {CODES["reserve"]}


def test_reserve_that_no_second_node_gives_is_a_conflict(route: str) -> None:
    service, demand = web()
    problem = replace(static((node("n0", 2),), (), (service,), (demand,)), limits=Limits(reserve=Reserve.NODE))
    plan = optimize_static(problem)

    assert plan.proof.status is PlanStatus.INFEASIBLE
    assert "reserve" in {item.rule for item in plan.proof.conflict}


def test_nobody_joins_the_device_of_a_dedicated_service(route: str) -> None:
    # A replica holds 0.4 of a device alone; two share one. Of two devices one is left: for 1, not for 1 and 0.2.
    service = Service("web", slo_ms=1000.0, service_ms=100.0, shape=WorkerShape(gpus=0.4), min_replicas=2, dedicated=True)
    demand = Demand("web", np.array([1.0]), np.array([1.0]))
    problem = static((node("n", 2),), (pod("whole", 1.0), pod("share", 0.2)), (service,), (demand,))
    plan = optimize_static(problem)

    assert placed(plan) == {"whole"}
    assert codes(problem, with_parts(plan, JobPart("share", "n", 0, 1))) == {CODES["capacity"]}


def test_gang_of_one_device_group_takes_no_device_of_another(route: str) -> None:
    # Groups of 2 devices: the gang of 2 takes one group, and the pair of 2 without a group the other; a third device is not there.
    gang = replace(pod("gang", 1.0), workers=2, topology=Topology.DEVICE_GROUP)
    problem = static((node("n", 4, device_groups=2),), (gang, pod("pair", 2.0), pod("one", 1.0)))
    plan = optimize_static(problem)

    assert placed(plan) == {"gang", "pair"}
    assert violations(problem, plan.decisions) == ()


def test_bound_of_the_recipe_knows_the_quota(monkeypatch: pytest.MonkeyPatch) -> None:
    # 3 of 8 devices at most for r, and 2 for s, which asks for 1: no placement holds more than 4.
    monkeypatch.setattr(ties, "MOST_NODES", 0)
    jobs = (*(pod(f"r{idx}", 1.0, tenant="r") for idx in range(6)), pod("s", 1.0, tenant="s"))
    problem = replace(static((node("n", 8),), jobs), quotas=(Quota("r", 3.0, max=3.0), Quota("s", 2.0, max=2.0)))
    plan = optimize_static(problem)

    assert dict(plan.proof.work)[SIZE_AT_MOST] == pytest.approx(4.0, abs=1e-4)
    assert len(placed(plan)) == 4
