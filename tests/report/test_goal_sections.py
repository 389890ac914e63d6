"""The front and the stages of a plan: words, tables, chart, and what stands in for the chart where nothing can be drawn."""

from dataclasses import replace
from datetime import UTC
from typing import Any

import pytest

from schedplan.model.cluster import Cluster
from schedplan.model.front import Front, FrontPoint, PointStatus
from schedplan.model.plan import PlanStatus, Stage
from schedplan.model.problem import Problem
from schedplan.report.chart_table import chart_table
from schedplan.report.charts import ChartPoint, PointChart
from schedplan.report.goal_sections import front_section, stages_sentence
from schedplan.report.plotly_figures import figure
from schedplan.report.text_charts import point_lines
from schedplan.timegrid import TimeGrid
from tests.artefacts.handmade import handmade_plan

CHART = PointChart(
    "front-chart",
    "",
    "caption",
    "Carbon (kg CO2e)",
    "Cost (EUR)",
    "front",
    (ChartPoint(0.0, 20.0, "a"), ChartPoint(10.0, 10.0, "b")),
    "this plan",
    (ChartPoint(5.0, 15.0, "c"),),
)


def point(first: float, second: float, price: float | None, status: PointStatus = PointStatus.OPTIMAL) -> FrontPoint:
    return FrontPoint(first, second, None, price, 1.0, first, 1.0, 1.0, 0.0, status)


def with_front(*points: FrontPoint, goals: tuple[str, str] = ("cost", "carbon"), is_whole: bool = True) -> Any:
    units = tuple({"cost": "EUR", "carbon": "gCO2e", "latency": "device-h"}[goal] for goal in goals)
    return replace(handmade_plan(), front=Front(goals, (units[0], units[1]), points, 5, is_whole, 6))


def rows(plan: Any) -> list[tuple[object, ...]]:
    (table,) = (block for block in front_section(_problem(), plan).blocks if getattr(block, "block_id", "") == "front-points")
    return [*table.rows]


def _problem() -> Problem:
    return Problem("p", TimeGrid.regular(0, 60, 1), Cluster(()), currency="EUR")


def test_carbon_is_told_in_kilograms_and_its_price_in_money() -> None:
    found = rows(with_front(point(100.0, 5000.0, 0.002), point(104.0, 3000.0, None)))

    # 4 EUR for 2,000 g less: 2 EUR for a kilogram
    assert [(1, 100.0, 5.0, pytest.approx(2.0)), (2, 104.0, 3.0, None)] == [row[:4] for row in found]


def test_the_price_is_in_money_also_where_cost_comes_second() -> None:
    found = rows(with_front(point(0.0, 9.0, 0.5), point(1.0, 7.0, None), goals=("latency", "cost")))

    # half an hour of wait for a euro less is two euros for an hour less
    assert [pytest.approx(2.0), None] == [row[3] for row in found]


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (with_front(point(1, 2, None)), "one plan is proven best in both, so the front has one point, not 5"),
        (with_front(point(1, 2, 1), point(2, 1, None)), "The front has 2 points, and no more than these"),
        (with_front(point(1, 2, 1), point(2, 1, None), is_whole=False), "2 points of the front: the less carbon, the more cost"),
    ],
)
def test_the_words_say_whether_there_is_more(plan: Any, words: str) -> None:
    assert words in front_section(_problem(), plan).blocks[0].parts[0]  # type: ignore[union-attr, operator]


def test_stages_that_are_not_proven_are_named() -> None:
    stage = Stage("cost", 1.0, "EUR", 0.9, 0.1, PlanStatus.FEASIBLE, 1.0)
    plan = replace(handmade_plan(), stages=(Stage("unplaced", 0.0, "share", 0.0, 0.0, PlanStatus.OPTIMAL, 0.0), stage))

    assert "(work left out, then cost), each held at the best that was found; not proven best: cost." in stages_sentence(plan)


def test_a_front_is_drawn_as_a_line_and_its_plan_as_a_ring() -> None:
    drawn: Any = figure(CHART, UTC)
    line, ring = drawn["data"]

    assert ([0.0, 10.0], [20.0, 10.0], "lines+markers") == (line["x"], line["y"], line["mode"])
    assert ([5.0], [15.0], "markers", "circle-open") == (ring["x"], ring["y"], ring["mode"], ring["marker"]["symbol"])
    assert "Carbon (kg CO2e)" == drawn["layout"]["xaxis"]["title"]["text"]


def test_a_front_is_a_table_where_nothing_can_be_drawn() -> None:
    table = chart_table(CHART)

    assert ((0.0, 20.0, "a"), (10.0, 10.0, "b"), (5.0, 15.0, "c")) == table.rows


def test_a_front_of_characters_has_its_ends_at_the_corners() -> None:
    lines = ["".join(text for text, _ in line) for line in point_lines(CHART, 40)]

    assert "Cost (EUR)" == lines[0]
    assert lines[1].startswith("20 │●")
    assert lines[9].rstrip().endswith("●")
    assert "○" in lines[5]
    assert lines[-2].split() == ["0", "10"]
    assert "Carbon (kg CO2e)" in lines[-1]
    assert 40 >= max(map(len, lines))
