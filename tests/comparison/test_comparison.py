"""Two small plans side by side; each difference is worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from schedplan.measures.comparison import (
    ComparedPlan,
    InputChange,
    InputChangeKind,
    JobChange,
    JobChangeKind,
    MeasureChange,
    NodeHours,
    ReplicaChange,
    compare,
)
from schedplan.model.findings import Measure
from schedplan.model.plan import Decisions, NodeUse, Placement, Plan, PlanStatus, Proof, ReplicaRow
from schedplan.timegrid import TimeGrid

HOUR = 3600
GRID = TimeGrid.regular(0, 60, 3)
NODES = ("od/1", "od/2", "solo")


def placement(job: str, node: str, start_h: int, *, first: int = 0, last: int = 0, cost: float = 1.0) -> Placement:
    start_s = start_h * HOUR
    return Placement(job, first, last, node, start_s, start_s + HOUR, start_s + HOUR, 1.0, "0", "on_demand", cost)


def row(hour: int, replicas: int, node: str = "od/1", minutes: float = 60.0) -> ReplicaRow:
    return ReplicaRow("web", hour * HOUR, minutes, node, replicas, hour * HOUR, 1.0, 0.0)


def plan(
    placements: tuple[Placement, ...] = (),
    replicas: tuple[ReplicaRow, ...] = (),
    on: tuple[tuple[int, ...], ...] = ((0, 0, 0), (0, 0, 0), (0, 0, 0)),
    measures: tuple[Measure, ...] = (),
    objective: float | None = None,
) -> ComparedPlan:
    is_on = np.array(on, dtype=np.bool_)
    zeros = np.zeros(is_on.shape)
    use = NodeUse(NODES, is_on, zeros, zeros, zeros, zeros, zeros, zeros)
    proof = Proof(PlanStatus.FEASIBLE, objective, None, None, None, "by hand")
    made = Plan(Decisions((), (), is_on), proof, measures=measures, placements=placements, replicas=replicas, node_use=use)
    return ComparedPlan(made, GRID)


def test_the_same_plan_differs_in_nothing() -> None:
    one = plan((placement("a", "solo", 0),), (row(0, 2),), ((1, 1, 0), (0, 0, 0), (1, 1, 1)), (Measure("cost", 5.0, "USD"),), 1.5)

    diff = compare(one, one)

    assert not diff.decisions_differ
    assert () == diff.measures
    assert () == diff.inputs
    assert diff.cost_delta == 0.0
    assert diff.objective_delta == 0.0


def test_jobs_that_move_start_stop_and_shift() -> None:
    before = plan(
        (
            placement("dropped", "solo", 0),
            placement("later", "solo", 0),
            placement("moved", "od/1", 1),
            placement("same", "solo", 2),
        )
    )
    after = plan(
        (
            placement("later", "solo", 1),
            placement("moved", "od/2", 0, cost=3.5),
            placement("new", "od/1", 0),
            placement("same", "solo", 2),
        )
    )

    found = compare(before, after).jobs

    expected = (
        JobChange("dropped", (JobChangeKind.DROPPED,), 0, None, (("solo", 1),), (), -1.0),
        JobChange("later", (JobChangeKind.LATER,), 0, HOUR, (("solo", 1),), (("solo", 1),), 0.0),
        # 3.5 instead of 1, on the other node and an hour sooner
        JobChange("moved", (JobChangeKind.MOVED, JobChangeKind.EARLIER), HOUR, 0, (("od/1", 1),), (("od/2", 1),), 2.5),
        JobChange("new", (JobChangeKind.NEWLY_PLACED,), None, 0, (), (("od/1", 1),), 1.0),
    )
    assert expected == found


def test_a_gang_is_the_same_however_its_rows_are_cut() -> None:
    whole = plan((placement("gang", "solo", 0, first=0, last=3, cost=4.0),))
    cut = plan((placement("gang", "solo", 0, first=0, last=1, cost=2.0), placement("gang", "solo", 0, first=2, last=3, cost=2.0)))

    assert () == compare(whole, cut).jobs


def test_replicas_differ_in_stretches_that_are_joined() -> None:
    # hours 0, 1, 2: before 2 2 2; after 2 3 3 on two nodes: one stretch from hour 1 to 3 with 2 -> 3
    before = plan(replicas=(row(0, 2), row(1, 2), row(2, 2)))
    after = plan(replicas=(row(0, 2), row(1, 2), row(1, 1, "od/2"), row(2, 3)))

    assert (ReplicaChange("web", HOUR, 3 * HOUR, 2, 3),) == compare(before, after).replicas


def test_replicas_are_compared_by_instants_where_slots_differ() -> None:
    # before: an hour of 2; after: half an hour of 2, half an hour of 1: they differ in the second half
    before = plan(replicas=(row(0, 2),))
    after = plan(replicas=(row(0, 2, minutes=30.0), ReplicaRow("web", HOUR // 2, 30.0, "od/1", 1, 0, 1.0, 0.0)))

    assert (ReplicaChange("web", HOUR // 2, HOUR, 2, 1),) == compare(before, after).replicas


def test_node_hours_are_summed_per_pool() -> None:
    # od: 2 + 1 = 3 h against 3 h; solo: 3 h against 1 h
    before = plan(on=((1, 1, 0), (1, 0, 0), (1, 1, 1)))
    after = plan(on=((1, 1, 1), (0, 0, 0), (0, 0, 1)))

    diff = compare(before, after)

    assert (NodeHours("solo", 3.0, 1.0),) == diff.node_hours
    assert diff.decisions_differ


def test_measures_cost_and_objective() -> None:
    labels = (("pool", "od"),)
    before = plan(
        measures=(Measure("cost", 10.0, "USD"), Measure("utilization", 0.5, "1", labels), Measure("wait_s", 1.0, "s")),
        objective=2.0,
    )
    after = plan(measures=(Measure("cost", 7.5, "USD"), Measure("utilization", None, "1", labels), Measure("wait_s", 1.0, "s")))

    diff = compare(before, after)

    expected = (MeasureChange("cost", (), "USD", 10.0, 7.5), MeasureChange("utilization", labels, "1", 0.5, None))
    assert expected == diff.measures
    assert diff.cost_delta == -2.5
    assert diff.measures[0].delta == -2.5
    assert diff.measures[1].delta is None
    assert diff.objective_delta is None


def test_inputs_that_changed_came_or_went() -> None:
    before = replace(plan(), inputs=(("jobs.csv", "1"), ("load.csv", "2"), ("nodes.csv", "3")))
    after = replace(plan(), inputs=(("jobs.csv", "1"), ("nodes.csv", "4"), ("prices.csv", "5")))

    expected = (
        InputChange("load.csv", InputChangeKind.REMOVED),
        InputChange("nodes.csv", InputChangeKind.CHANGED),
        InputChange("prices.csv", InputChangeKind.ADDED),
    )
    assert expected == compare(before, after).inputs


def test_what_moves_is_counted_in_devices_and_replica_hours() -> None:
    def row(job: str, node: str, start_s: int, devices: float) -> Placement:
        return Placement(job, 0, 0, node, start_s, start_s + 3600, start_s + 3600, devices, "", "owned", 0.0)

    def replicas(count: int) -> ReplicaRow:
        return ReplicaRow("chat", 0, 30.0, "n1", count, 0, None, 0.0)

    grid = TimeGrid.regular(0, 30, 4)
    proof = Proof(PlanStatus.FEASIBLE, None, None, None, None, "")
    empty = Decisions((), (), np.zeros((0, 4), dtype=np.bool_))
    before = (row("stays", "n1", 0, 8.0), row("moves", "n2", 0, 4.0), row("gone", "n3", 0, 2.0))
    after = (row("stays", "n1", 0, 8.0), row("moves", "n3", 0, 3.0), row("moves", "n4", 0, 1.0), row("new", "n5", 0, 1.0))
    first, second = (
        ComparedPlan(Plan(empty, proof, placements=rows, replicas=(replicas(count),)), grid)
        for rows, count in ((before, 2), (after, 5))
    )
    found = compare(first, second)

    # `moves` holds 3 + 1 devices; what is gone or new does not move; 3 replicas more for half an hour
    assert (1, 4.0, 1.5) == (found.moved_jobs, found.moved_devices, found.replica_h)
