"""Static placements worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from schedplan.measures.corruption import corrupted
from schedplan.measures.feasibility import violations
from schedplan.model.cluster import Market, NodeStatus
from schedplan.model.plan import Plan, PlanStatus
from schedplan.model.problem import Demand
from schedplan.model.workload import Service, WorkerShape
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.static.at_one_instant import optimize_static
from schedplan.optimize.static.certificate import (
    COUNTED_AT_MOST,
    COUNTED_BY_BEST_FIT,
    COUNTED_BY_LEAST_FRAGMENTATION,
    COUNTED_PLACED,
    NODES_AT_LEAST,
    SIZE_AT_MOST,
    SIZE_PLACED,
)
from schedplan.optimize.static.reference import static_scales
from tests.optimize_static.problems import node, pod, static


def placed(plan: Plan) -> set[str]:
    return {part.job for part in plan.decisions.parts}


def test_shares_above_half_need_a_device_each() -> None:
    # Two devices of 100 slices. 0.55 + 0.46 = 1.01 > 1, 0.55 + 0.45 = 1. Three of 0.55 ask for three devices, so one is left out;
    # of the others 0.45 fits beside a 0.55, 0.46 fits nowhere but on a device of its own. Best: 0.55 + 0.45 and 0.55 = 1.55.
    jobs = (pod("a", 0.55), pod("b", 0.55), pod("c", 0.55), pod("d", 0.46), pod("e", 0.45))
    plan = optimize_static(static((node("n", gpus=2, cpus=None, memory_gib=None),), jobs))
    work = dict(plan.proof.work)

    assert pytest.approx(1.55) == work[SIZE_PLACED]
    assert "e" in placed(plan)
    assert "d" not in placed(plan)
    assert plan.proof.status is PlanStatus.OPTIMAL
    assert pytest.approx((0.55 + 0.46) / 2.56) == plan.proof.objective


def test_cores_bind_before_devices() -> None:
    # One node, 4 devices, 8 cores. Four pods of a device and 4 cores: cores for two. Sizes: a device is 1 of 4, 4 cores are half of
    # 8, times 4 devices = 2 each. A fifth pod of one device and no core (size 1) fits beside them.
    jobs = (*(pod(f"p{idx}", 1.0, 4.0) for idx in range(4)), pod("thin", 1.0))
    plan = optimize_static(static((node("n", gpus=4, cpus=8.0),), jobs))
    work = dict(plan.proof.work)

    assert pytest.approx(2 * 2 + 1) == work[SIZE_PLACED]
    assert len(placed(plan)) == 3
    assert "thin" in placed(plan)
    # 4 units at most 2 by cores (4 of 8 each): at most 2 x 2 + 1 in the relaxation too.
    assert pytest.approx(5, abs=1e-4) == work[SIZE_AT_MOST]
    assert plan.proof.status is PlanStatus.OPTIMAL


def test_urgent_work_goes_first() -> None:
    # One device. A whole-device pod of priority 0 weighs 1 x 1; one of 0.6 with priority 7 weighs 2 x 0.6 = 1.2.
    jobs = (pod("large", 1.0), pod("urgent", 0.6, priority=7))
    plan = optimize_static(static((node("n", cpus=None, memory_gib=None),), jobs))

    assert placed(plan) == {"urgent"}
    assert pytest.approx(1 / 2.2) == plan.proof.objective
    assert pytest.approx(1.0) == dict(plan.proof.work)[COUNTED_AT_MOST]


def test_history_and_future_count_alike_and_every_job_is_told() -> None:
    jobs = (pod("a", 1.0), pod("b", 1.0), pod("c", 2.0))
    plan = optimize_static(static((node("n", gpus=1, cpus=None, memory_gib=None),), jobs))
    told = {row.name: row for row in plan.unplaced}

    assert len(placed(plan)) == 1
    assert set(told) | placed(plan) == {"a", "b", "c"}
    assert told["c"].rule == "devices"
    assert "one worker asks for 2" in told["c"].evidence
    other = told["b"] if "b" in told else told["a"]
    assert other.rule == "capacity"
    assert "1 more node like n" in other.repair


def test_dear_nodes_stay_off_where_cheap_ones_hold_the_work() -> None:
    # Two pods fit one node of 2 devices; the cheap pool has it. Cost then 1, and the other on-demand nodes are off.
    pools = (
        node("cheap", gpus=2, cpus=None, memory_gib=None, market=Market.ON_DEMAND, price_per_hour=1.0, min_count=0),
        node("dear", gpus=2, cpus=None, memory_gib=None, market=Market.ON_DEMAND, price_per_hour=3.0, min_count=0),
    )
    plan = optimize_static(static(pools, (pod("a", 1.0), pod("b", 1.0))))

    assert {part.node for part in plan.decisions.parts} == {"cheap"}
    assert plan.decisions.on[:, 0].tolist() == [True, False]
    assert next(one.value for one in plan.measures if one.name == "cost" and not one.labels) == pytest.approx(1.0)


def test_fewest_nodes_of_those_that_are_paid_anyway() -> None:
    pools = tuple(node(f"n{idx}", gpus=4, cpus=None, memory_gib=None) for idx in range(4))
    plan = optimize_static(static(pools, tuple(pod(f"p{idx}", 1.0) for idx in range(4))))

    assert len({part.node for part in plan.decisions.parts}) == 1


def test_gang_stands_whole_or_not_at_all() -> None:
    # Three devices: a gang of 2 x 1 and another of 2 x 1 ask for four. One gang, and the single pod of 1.
    jobs = (pod("g1", 1.0, workers=2), pod("g2", 1.0, workers=2), pod("single", 1.0))
    pools = tuple(node(f"n{idx}", cpus=None, memory_gib=None) for idx in range(3))
    problem = static(pools, jobs)
    plan = optimize_static(problem)
    workers = {name: sum(part.workers for part in plan.decisions.parts if part.job == name) for name in placed(plan)}

    assert not violations(problem, plan.decisions)
    assert sorted(workers.values()) == [1, 2]
    assert "single" in workers


def test_gang_does_not_span_two_device_models() -> None:
    pools = (node("a", accelerator="A"), node("b", accelerator="B"))
    plan = optimize_static(static(pools, (pod("gang", 1.0, workers=2),)))

    assert placed(plan) == set()
    assert plan.unplaced[0].rule == "gang"
    assert plan.proof.gap_avoidable == 0 or plan.proof.status is PlanStatus.OPTIMAL


def test_required_job_has_its_place_before_larger_ones() -> None:
    jobs = (pod("large", 1.0), pod("must", 0.3, required=True))
    plan = optimize_static(static((node("n", cpus=None, memory_gib=None),), jobs))

    assert placed(plan) == {"must"}


def test_required_job_that_fits_no_node_is_a_conflict() -> None:
    plan = optimize_static(static((node("n"),), (pod("must", 2.0, required=True),)))

    assert plan.proof.status is PlanStatus.INFEASIBLE
    assert [(item.rule, item.subject) for item in plan.proof.conflict] == [("required", "job must")]


def test_service_stands_before_jobs() -> None:
    # One request of 100 ms a second: one replica would do, but 2 are the least that may stand, half a device each.
    service = Service("web", slo_ms=1000.0, service_ms=100.0, shape=WorkerShape(gpus=0.5), min_replicas=2)
    demand = Demand("web", np.array([1.0]), np.array([1.0]))
    pools = (node("n0", cpus=None, memory_gib=None), node("n1", cpus=None, memory_gib=None))
    problem = static(pools, (pod("a", 1.0), pod("b", 1.0)), (service,), (demand,))
    plan = optimize_static(problem)

    assert not violations(problem, plan.decisions)
    assert sum(part.replicas for part in plan.decisions.replicas) == 2
    assert len(placed(plan)) == 1
    # Two halves on one device: of 2 devices one is left, and the bound knows it.
    assert pytest.approx(1.0, abs=1e-4) == dict(plan.proof.work)[SIZE_AT_MOST]


def test_service_without_room_is_a_conflict() -> None:
    # three replicas of a device each are the least that may stand, and there is one device
    service = Service("web", slo_ms=1000.0, service_ms=100.0, shape=WorkerShape(gpus=1), min_replicas=3)
    demand = Demand("web", np.array([1.0]), np.array([1.0]))
    plan = optimize_static(static((node("n"),), (), (service,), (demand,)))

    assert plan.proof.status is PlanStatus.INFEASIBLE
    assert {item.rule for item in plan.proof.conflict} == {"service"}


def test_cordoned_nodes_take_nothing() -> None:
    pools = (node("closed", status=NodeStatus.CORDONED), node("open"))
    plan = optimize_static(static(pools, (pod("a", 1.0), pod("b", 1.0))))

    assert {part.node for part in plan.decisions.parts} == {"open"}


def test_no_more_workers_of_a_kind_than_a_node_may_hold() -> None:
    shape = WorkerShape(gpus=0.1, max_per_node=1)
    job = replace(pod("spread"), workers=3, shape=shape)
    problem = static((node("n0"), node("n1")), (job, pod("filler", 0.5)))
    plan = optimize_static(problem)

    assert placed(plan) == {"filler"}
    assert not violations(problem, plan.decisions)


def test_without_devices_cores_count() -> None:
    pools = (node("n", gpus=0, cpus=4.0, memory_gib=None),)
    plan = optimize_static(static(pools, (pod("a", cpus=3.0), pod("b", cpus=2.0))))

    assert placed(plan) == {"a"}
    assert pytest.approx(3.0) == next(value for name, value in plan.proof.work if name == "counted resource placed")


def test_proof_of_optimality_may_be_required() -> None:
    problem = static((node("n"),), (pod("a", 1.0),))

    assert optimize_static(problem, SolveOptions(require_optimal=True)).proof.status is PlanStatus.OPTIMAL


def test_nothing_to_place_is_a_plan() -> None:
    plan = optimize_static(static((node("n"),), ()))

    assert plan.proof.status is PlanStatus.OPTIMAL
    assert plan.proof.objective == 0


def test_fresh_account_agrees_and_a_changed_field_shows() -> None:
    problem = static((node("n", gpus=2),), (pod("a", 0.5, 1.0), pod("b", 1.0, 1.0), pod("c", 0.9)))
    plan = optimize_static(problem)
    scales = static_scales(problem)
    moved = replace(plan.placements[0], device_slots="7")

    assert corrupted(problem, plan, scales) == ()
    assert [found.code for found in corrupted(problem, replace(plan, placements=(moved, *plan.placements[1:])), scales)] == [
        "SP3122"
    ]
    assert [found.code for found in corrupted(problem, replace(plan, unplaced=()), scales)] == ["SP3127"]


def test_profiles_stand_at_legal_starts() -> None:
    # memory 4 + 4 of 8 for two of 3g, so the seventh compute slice is of no use to a 1g; weights are shares: 3/7 + 3/7
    pool = node("n", cpus=None, memory_gib=None, slices=7, accelerator="A100", gpu_memory_gib=40.0)
    asked = (("a", "3g.20gb", 3 / 7), ("b", "3g.20gb", 3 / 7), ("c", "1g.5gb", 1 / 7))
    jobs = tuple(
        replace(job, shape=replace(job.shape, slice_profile=profile))
        for name, profile, share in asked
        for job in (pod(name, share),)
    )
    task = static((pool,), jobs)
    plan = optimize_static(task)

    assert placed(plan) == {"a", "b"}
    assert plan.proof.status is PlanStatus.OPTIMAL
    assert [row.name for row in plan.unplaced] == ["c"]
    assert corrupted(task, plan, static_scales(task)) == ()


def test_work_stands_on_the_fewest_nodes() -> None:
    # 26 nodes of 10 cores, work of 4, 4, 3, 3, 3, 3 cores: 20 in all, so two nodes at least, and 4 + 3 + 3 twice is two. Best fit,
    # the largest first, ends at 4 + 4, 3 + 3 + 3 and 3: no one of these three can be emptied onto the others.
    pools = tuple(node(f"n{idx:02d}", cpus=10.0, memory_gib=None) for idx in range(26))
    plan = optimize_static(static(pools, tuple(pod(f"p{idx}", cpus=cores) for idx, cores in enumerate((4, 4, 3, 3, 3, 3)))))

    assert len(plan.decisions.parts) == 6
    assert len({part.node for part in plan.decisions.parts}) == 2
    assert dict(plan.proof.work)[NODES_AT_LEAST] == 2


def test_rent_goes_before_the_number_of_nodes() -> None:
    # Six pods of a device. Seven nodes of one device are sunk; one of eight devices would do alone, and costs 5 an hour. Nineteen
    # more nodes have none.
    sunk = tuple(node(f"s{idx}", cpus=None, memory_gib=None, market=Market.OWNED) for idx in range(7))
    rented = node("r", gpus=8, cpus=None, memory_gib=None, market=Market.ON_DEMAND, price_per_hour=5.0)
    bare = tuple(node(f"b{idx:02d}", gpus=0, cpus=1.0) for idx in range(19))
    plan = optimize_static(static((*sunk, rented, *bare), tuple(pod(f"p{idx}", 1.0) for idx in range(6))))

    assert {part.node for part in plan.decisions.parts} <= {f"s{idx}" for idx in range(7)}


def test_choices_of_one_node_at_a_time_are_told_beside_the_plan() -> None:
    # A node of one device and 8 cores, one of two devices and 4. `a`, half a device, comes first and goes where it leaves least: to
    # the single device. `b`, half a device and 8 cores, fits there alone, and its half is free. `c` takes a whole device of the
    # other node, as does `d`: all 3 devices are held one at a time. With `e`, a whole device, nothing changes: none is free.
    # By fragments `a` goes to the other node. Of 5 asked for, 3 want whole devices. On the single device it would strand its other
    # half for those: 0.6 x 0.5 = 0.3. On the other node, of whose 2 devices `b` can use none for lack of cores, it strands 0.3 too
    # and takes 0.2 x 0.5 off what was stranded: 0.2. Then `b` on the single device, `c` on the other: 2 in all.
    pools = (node("one", cpus=8.0, memory_gib=None), node("two", gpus=2, cpus=4.0, memory_gib=None))
    jobs = (pod("a", 0.5), pod("b", 0.5, 8.0), pod("c", 1.0), pod("d", 1.0), pod("e", 1.0))
    work = dict(optimize_static(static(pools, jobs)).proof.work)

    assert work[COUNTED_BY_BEST_FIT] == 3
    assert work[COUNTED_BY_LEAST_FRAGMENTATION] == 2


def test_choices_of_one_node_at_a_time_are_worse_where_order_misleads() -> None:
    # Two devices. 0.4 and 0.4 come first and share one; 0.6 and 0.6 then find the other alone: 1.4 held of 2. The plan pairs them.
    pools = (node("n", gpus=2, cpus=None, memory_gib=None),)
    jobs = (pod("a", 0.4), pod("b", 0.4), pod("c", 0.6), pod("d", 0.6))
    work = dict(optimize_static(static(pools, jobs)).proof.work)

    assert pytest.approx(1.4) == work[COUNTED_BY_BEST_FIT]
    assert pytest.approx(2.0) == work[COUNTED_PLACED]


def test_choices_of_one_node_at_a_time_are_not_asked_about_gangs() -> None:
    plan = optimize_static(static((node("n", gpus=2, cpus=None, memory_gib=None),), (pod("gang", 1.0, workers=2),)))

    assert len(plan.decisions.parts) == 1
    assert COUNTED_BY_BEST_FIT not in dict(plan.proof.work)
