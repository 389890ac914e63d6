"""Cells of nodes over time: equal neighbours are one bar, many nodes are pools."""

from dataclasses import replace

import numpy as np

from schedplan.model.cluster import Cluster, Market, NodeStatus, Pool
from schedplan.model.plan import Decisions, NodeUse, Plan, PlanStatus, Proof
from schedplan.model.problem import Problem
from schedplan.report.charts import Bar, Gantt
from schedplan.report.occupancy import FEW_ROWS, IDLE, MIXED, SERVICES, gantts
from schedplan.report.plotly_figures import tints
from schedplan.timegrid import TimeGrid


def only(problem: Problem, plan: Plan) -> Gantt:
    assert plan.node_use is not None
    assert len(plan.node_use.nodes) <= FEW_ROWS
    (chart,) = gantts(problem, plan, plan.node_use)
    return chart


def test_equal_neighbours_are_one_bar(problem: Problem, plan: Plan) -> None:
    assert plan.node_use is not None
    chart = only(problem, plan)
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
    chart = gantts(problem, plan, replace(plan.node_use, on=on))[0]
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

    bars = gantts(problem, plan, use)[0].bars

    assert ["down, paid for", IDLE, "cordoned, paid for"] == [bar.label for bar in bars]


def many(*pools: Pool) -> tuple[Problem, Plan, NodeUse]:
    """Three hours in which the first hundred nodes are on for two, with six devices in use each."""
    problem = Problem("many", TimeGrid.regular(0, 60, 3), Cluster(pools))
    nodes = problem.cluster.nodes
    on = np.zeros((len(nodes), 3), dtype=np.bool_)
    on[:100, :2] = True
    used = np.where(on, 6.0, 0.0)
    use = NodeUse(nodes, on, used, used, used * 0, used * 0, used * 0, used * 0)
    return problem, Plan(Decisions((), (), on), Proof(PlanStatus.FEASIBLE, None, None, None, None, ""), node_use=use), use


def test_many_nodes_are_summed_by_pool_and_shown_one_by_one() -> None:
    pools = (
        Pool("a", 250, 0, 250, gpus=8, market=Market.ON_DEMAND, price_per_hour=1.0),
        Pool("b", 5, 0, 5, market=Market.ON_DEMAND, price_per_hour=1.0),
    )
    summed, single = gantts(*many(*pools))

    # 6 of 8 devices: 75 %
    assert summed.rows == ("a", "b")
    assert (Bar(0, 0, 7200, "nodes on", "100 of 250 nodes on, 75 % of their devices in use", 0.75),) == summed.bars
    # of 255 nodes the 100 that are ever on, each with one bar of two hours
    assert (100, 100) == (len(single.rows), len(single.bars))


def test_many_pools_are_summed_by_kind() -> None:
    pools = tuple(
        Pool(f"n{idx:03d}", gpus=8 if idx < 150 else 4, accelerator="A100", market=Market.OWNED, price_per_hour=1.0)
        for idx in range(200)
    )
    summed, single = gantts(*many(*pools))

    # the first hundred of the 150 with eight devices are on, the 50 with four are not
    assert summed.rows == ("4 × A100, owned", "8 × A100, owned")
    assert (Bar(1, 0, 7200, "nodes on", "100 of 150 nodes on, 75 % of their devices in use", 0.75),) == summed.bars
    assert 100 == len(single.rows)


def test_beyond_five_thousand_nodes_only_the_sums_are_shown() -> None:
    pool = Pool("a", 5001, 0, 5001, gpus=8, market=Market.ON_DEMAND, price_per_hour=1.0)

    assert ["pools"] == [chart.block_id for chart in gantts(*many(pool))]


def test_a_kind_of_work_has_the_same_colour_in_every_plan() -> None:
    groups = ("batch jobs", MIXED, SERVICES, "training jobs", IDLE)
    colours = dict(tints(groups))

    assert colours == {**dict(tints(("training jobs", "batch jobs"))), **dict(tints((MIXED, SERVICES, IDLE)))}
    assert len(set(colours.values())) == len(groups)
    assert "c1" == dict(tints(("chat", "training jobs")))["chat"]
