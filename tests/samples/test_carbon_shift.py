"""What the sample carbon-shift must show: what moving work saves in emissions, and what each kilogram costs."""

import csv
from datetime import datetime
from itertools import pairwise

import pytest

from schedplan.config.load import load_settings
from schedplan.config.project import ProjectPlace
from schedplan.measures.feasibility import violations
from schedplan.model.plan import PlanStatus
from schedplan.workflows.goals import AskedGoals
from schedplan.workflows.optimize import plan_project, solve_options
from schedplan.workflows.project import open_project
from tests.samples.conftest import SAMPLES

SAMPLE = SAMPLES / "carbon-shift"
KWH = {"central": 7.5 * 1.4, "north": 7.5 * 1.1}


@pytest.fixture(scope="module")
def shifted():
    settings = load_settings(SAMPLE)
    project = open_project(ProjectPlace(settings.file, (), ()), settings)
    return plan_project(project, solve_options(settings), asked=AskedGoals(n_points=8, pair=("cost", "carbon")))


@pytest.fixture(scope="module")
def intensity():
    with (SAMPLE / "carbon.csv").open() as file:
        return {
            (row["region"], int(datetime.fromisoformat(row["ds"]).timestamp())): float(row["g_per_kwh"])
            for row in csv.DictReader(file)
        }


def emitted_g(plan, intensity):
    """Busy nodes alone are on: hours of placements x kWh of a busy node x the hour's intensity."""
    total = 0.0
    for row in plan.placements:
        region = row.node.split("/")[0]
        total += sum(KWH[region] * intensity[region, hour] for hour in range(row.start_s, row.end_s, 3600))
    return total


def test_emissions_are_power_times_intensity_hour_by_hour(shifted, intensity):
    found = next(one.value for one in shifted.plan.measures if one.name == "carbon_g" and not one.labels)

    assert found == pytest.approx(emitted_g(shifted.plan, intensity))
    assert shifted.plan.proof.status is PlanStatus.OPTIMAL


def test_the_ends_are_the_cheapest_and_the_cleanest_plan(shifted, intensity):
    first, last = shifted.plan.front.points[0], shifted.plan.front.points[-1]

    # 12 jobs x 4 h at 20, and at 21
    assert (960, 1008) == (pytest.approx(first.first), pytest.approx(last.first))
    assert {row.node.split("/")[0] for row in shifted.front[-1][0].placements} == {"north"}
    assert last.second == pytest.approx(emitted_g(shifted.front[-1][0], intensity))
    assert last.second < 0.2 * first.second


def test_the_price_of_a_kilogram_is_what_moves_between_two_points(shifted):
    points = shifted.plan.front.points
    prices = [1000 * point.price for point in points[:-1]]

    assert 8 == len(points)
    assert prices == [
        pytest.approx(1000 * (after.first - before.first) / (before.second - after.second)) for before, after in pairwise(points)
    ]
    # an hour in north costs 1 EUR more; it saves at most 10.5 x 0.62 - 8.25 x 0.04 = 6.18 kg, at least 10.5 x 0.28 - 8.25 x 0.16
    assert all(1 / 6.18 < price < 1 / 1.62 for price in prices)
    assert prices[0] < prices[-1]


def test_no_point_is_dominated_and_every_one_is_a_plan(shifted):
    points = shifted.plan.front.points

    assert all(one.first < two.first and one.second > two.second for one, two in pairwise(points))
    assert all(violations(shifted.prepared.problem, plan.decisions) == () for plan, _ in shifted.front)
    assert all(point.bound is not None and point.bound <= point.minimised + 1e-9 for point in points)
