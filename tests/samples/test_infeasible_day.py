"""Days of the shop that no plan can meet: the binding rules are named, and the first repair, written into the inputs, helps."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import TypeAlias

import pytest

from schedplan.config.load import load_settings
from schedplan.config.override import Override
from schedplan.config.project import ProjectPlace
from schedplan.model.plan import Plan, PlanStatus
from schedplan.workflows.optimize import plan_project, solve_options
from schedplan.workflows.project import open_project
from tests.samples.editing import change_cell, write_edits

SAMPLE = Path(__file__).parents[2] / "samples" / "ecommerce-day"
Spoil: TypeAlias = Callable[[Path], None]


def half_as_much_again(folder: Path) -> None:
    """A peak of 15,000 requests/s in place of 10,000."""
    with (folder / "load.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with (folder / "load.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({**row, "y": f"{float(row['y']) * 1.5:.1f}"} for row in rows)


def one_device_more(folder: Path) -> None:
    change_cell(folder / "jobs.csv", "job", "nightly-training", "workers", "11")


def one_minute_less(folder: Path) -> None:
    change_cell(folder / "jobs.csv", "job", "nightly-training", "deadline", "2026-12-01T05:59:00+08:00")


def a_quota_of_nine(folder: Path) -> None:
    (folder / "quotas.csv").write_text("tenant,nominal,max\nranking,9,9\n", encoding="utf-8")
    file = folder / "schedplan.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('jobs = "jobs.csv"', 'jobs = "jobs.csv"\nquotas = "quotas.csv"'), encoding="utf-8")


def planned(folder: Path, overrides: tuple[Override, ...] = ()) -> Plan:
    settings = load_settings(folder, overrides)
    return plan_project(open_project(ProjectPlace(settings.file, (), ()), settings), solve_options(settings)).plan


def told(plan: Plan) -> list[tuple[int, str, str]]:
    return [(one.group, one.rule, one.subject) for one in plan.proof.conflict]


# ondemand has 10 nodes of 1,406 requests/s; a gang stands in one market, of which each has 10 nodes; four hours of work in a
# window of four less a minute; ten devices beside a quota of nine.
@pytest.mark.parametrize(
    ("spoils", "conflict"),
    [
        ((half_as_much_again,), [(0, "service", "service recommender")]),
        ((one_device_more,), [(0, "gang", "job nightly-training")]),
        ((one_minute_less,), [(0, "window", "job nightly-training")]),
        ((a_quota_of_nine,), [(0, "quota", "job nightly-training")]),
        ((one_minute_less, half_as_much_again), [(0, "window", "job nightly-training"), (1, "service", "service recommender")]),
        ((one_device_more, a_quota_of_nine), [(0, "quota", "job nightly-training")]),
    ],
    ids=["15,000 requests/s", "gang too large", "window too short", "quota too small", "window and load", "quota, then gang"],
)
def test_the_conflict_is_exact_and_the_first_repair_mends_it(
    tmp_path: Path, spoils: tuple[Spoil, ...], conflict: list[tuple[int, str, str]]
) -> None:
    folder = copytree(SAMPLE, tmp_path / "shop")
    for spoil in spoils:
        spoil(folder)
    plan = planned(folder)

    assert PlanStatus.INFEASIBLE is plan.proof.status
    assert conflict == told(plan)
    assert plan.proof.repairs
    mended = planned(folder, write_edits(folder, plan.proof.repairs[0].edits))
    assert mended.proof.status in {PlanStatus.OPTIMAL, PlanStatus.FEASIBLE}


def test_more_nodes_are_priced_by_the_hours_that_need_them(tmp_path: Path) -> None:
    folder = copytree(SAMPLE, tmp_path / "shop")
    half_as_much_again(folder)
    repairs = {repair.change: repair.cost for repair in planned(folder).proof.repairs}

    # The forecast of 13:00 to 17:59 is above 14,062, what ten nodes carry; in one of these hours above 15,468, what eleven do.
    # 5 + 1 = 6 node-hours at 300.
    assert 1_800 == repairs["2 more nodes of ondemand"]


def test_a_node_more_for_the_gang_costs_its_four_hours(tmp_path: Path) -> None:
    folder = copytree(SAMPLE, tmp_path / "shop")
    one_device_more(folder)
    plan = planned(folder)

    # 1 spot node for 4 h at 100
    assert ("1 more node of spot", 400.0) == (plan.proof.repairs[0].change, plan.proof.repairs[0].cost)
    assert 'nodes."spot".max_count=11' == plan.proof.repairs[0].edits[0].text


def test_two_changes_where_no_single_one_helps(tmp_path: Path) -> None:
    folder = copytree(SAMPLE, tmp_path / "shop")
    one_minute_less(folder)
    half_as_much_again(folder)
    changes = [repair.change for repair in planned(folder).proof.repairs]

    assert changes
    assert all(" and " in change for change in changes)
    assert any("1 min later" in change and "2 more nodes of ondemand" in change for change in changes)
