"""Cells of nodes over time: equal neighbours are one bar, many nodes are pools."""

from dataclasses import replace

import numpy as np

from schedplan.model.cluster import Cluster, Market, NodeStatus, Pool
from schedplan.model.plan import Decisions, NodeUse, Plan, PlanStatus, Proof
from schedplan.model.problem import Problem
from schedplan.report.charts import Bar
from schedplan.report.occupancy import IDLE, gantt
from schedplan.timegrid import TimeGrid


def test_equal_neighbours_are_one_bar(problem: Problem, plan: Plan) -> None:
    assert plan.node_use is not None
    chart = gantt(problem, plan, plan.node_use)
    first, spot = (chart.rows.index(name) for name in ("od-a100/01", "spot-a100/01"))
    start_s, end_s = problem.grid.start_s, problem.grid.end_s

    assert [Bar(first, start_s, end_s, "recommender", "recommender", 1.0)] == [bar for bar in chart.bars if bar.row_idx == first]
    assert [Bar(spot, start_s + 7200, start_s + 21600, "training jobs", "nightly-training", 1.0)] == [
        bar for bar in chart.bars if bar.row_idx == spot
    ]
    assert chart.groups == ("recommender", "training jobs")


def test_a_node_that_is_on_for_nothing_is_idle(problem: Problem, plan: Plan) -> None:
    assert plan.node_use is not None
    on = plan.node_use.on.copy()
    on[plan.node_use.nodes.index("od-a100/10"), 3] = True
    chart = gantt(problem, plan, replace(plan.node_use, on=on))
    row_idx = chart.rows.index("od-a100/10")
    hour_s = problem.grid.edges_s[3]

    assert [Bar(row_idx, hour_s, hour_s + 3600, IDLE, IDLE, 0.0)] == [bar for bar in chart.bars if bar.row_idx == row_idx]
    assert chart.groups[-1] == IDLE


def test_a_node_that_is_down_and_paid_for_is_not_told_as_on() -> None:
    states = {"dead": NodeStatus.DOWN, "good": NodeStatus.READY, "shut": NodeStatus.CORDONED}
    pools = tuple(Pool(name, gpus=1, status=status) for name, status in states.items())
    problem = Problem("three", TimeGrid.regular(0, 60, 1), Cluster(pools))
    on, none = np.ones((3, 1), dtype=np.bool_), np.zeros((3, 1))
    use = NodeUse(problem.cluster.nodes, on, none, none, none, none, none, none)
    plan = Plan(Decisions((), (), on), Proof(PlanStatus.OPTIMAL, None, None, None, None, ""), node_use=use)

    bars = gantt(problem, plan, use).bars

    assert ["down, paid for", IDLE, "cordoned, paid for"] == [bar.label for bar in bars]


def test_more_than_two_hundred_nodes_are_pools() -> None:
    pools = (
        Pool("a", 250, 0, 250, gpus=8, market=Market.ON_DEMAND, price_per_hour=1.0),
        Pool("b", 5, 0, 5, market=Market.ON_DEMAND, price_per_hour=1.0),
    )
    problem = Problem("many", TimeGrid.regular(0, 60, 3), Cluster(pools))
    nodes = problem.cluster.nodes
    on = np.zeros((255, 3), dtype=np.bool_)
    on[:100, :2] = True
    used = np.where(on, 6.0, 0.0)  # 6 of 8 devices: 75 %
    use = NodeUse(nodes, on, used, used, used * 0, used * 0, used * 0, used * 0)
    plan = Plan(Decisions((), (), on), Proof(PlanStatus.FEASIBLE, None, None, None, None, ""), node_use=use)

    chart = gantt(problem, plan, use)

    assert chart.rows == ("a", "b")
    assert (Bar(0, 0, 7200, "nodes on", "100 of 250 nodes on, 75 % of their devices in use", 0.75),) == chart.bars
