"""The changes that the README of ecommerce-day proposes end as it says: no plan, and the rule named."""

from pathlib import Path
from shutil import copytree

import pytest

from schedplan.config.load import load_settings
from schedplan.config.override import parse_set
from schedplan.config.project import ProjectPlace
from schedplan.model.plan import PlanStatus
from schedplan.workflows.optimize import plan_project, solve_options
from schedplan.workflows.project import open_project

SAMPLE = Path(__file__).parents[2] / "samples" / "ecommerce-day"


@pytest.mark.parametrize(
    ("table", "before", "after", "overrides", "rule"),
    [
        ("services.csv", ",200,", ",140,", (), "service"),
        ("jobs.csv", ",240,", ",270,", (), "window"),
        ("nodes.csv", "", "", ("limits.budget_per_day=30000",), "budget"),
    ],
)
def test_the_conflict_names_the_rule(tmp_path, table, before, after, overrides, rule):
    folder = copytree(SAMPLE, tmp_path / "shop")
    text = (folder / table).read_text(encoding="utf-8")
    (folder / table).write_text(text.replace(before, after), encoding="utf-8")
    settings = load_settings(folder, tuple(parse_set(override) for override in overrides))

    plan = plan_project(open_project(ProjectPlace(settings.file, (), ()), settings), solve_options(settings)).plan

    assert plan.proof.status is PlanStatus.INFEASIBLE
    assert rule in {item.rule for item in plan.proof.conflict}
