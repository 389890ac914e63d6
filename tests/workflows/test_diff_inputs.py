"""Which inputs of two plans differ, and how much each of them explains: worked out by hand on one or two nodes."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest

from schedplan.config.load import load_settings
from schedplan.config.project import ProjectPlace
from schedplan.report.json import json_text
from schedplan.workflows.diff import Difference, diff_plans
from schedplan.workflows.optimize import default_folder, plan_project, save, solve_options
from schedplan.workflows.project import open_project

SETTINGS = """[project]
name = "two"
[inputs]
nodes = "nodes.csv"
jobs = "jobs.csv"
[horizon]
start = 2026-12-01T00:00:00
hours = 4
[objective]
latency = 1.0
utilization = 0.0
cost = 0.0
"""
ONE_NODE = "node,gpus,price_per_hour\nn,1,10\n"
JOBS = "job,gpus_per_worker,runtime_minutes,submit_time\na,1,60,2026-12-01T00:00:00Z\nb,1,60,2026-12-01T00:00:00Z\n"


@pytest.fixture
def before(tmp_path: Path) -> Path:
    folder = tmp_path / "before"
    folder.mkdir()
    (folder / "schedplan.toml").write_text(SETTINGS, encoding="utf-8")
    (folder / "nodes.csv").write_text(ONE_NODE, encoding="utf-8")
    (folder / "jobs.csv").write_text(JOBS, encoding="utf-8")
    return folder


def planned(folder: Path) -> Path:
    settings = load_settings(folder)
    project = open_project(ProjectPlace(settings.file, (), ()), settings)
    save(plan_project(project, solve_options(settings)), project, default_folder(project))
    return default_folder(project)


def changed(before: Path, **files: str) -> Path:
    folder = copytree(before, before.parent / "after")
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return folder


def effects(found: Difference) -> dict[str, tuple[float | None, float | None, int | None]]:
    return {one.input: (one.cost, one.wait_h, one.moved) for one in found.attribution.effects}


def test_a_node_more_and_a_longer_job_are_told_apart(before: Path) -> None:
    after = changed(before, nodes_csv=ONE_NODE + "m,1,6\n", jobs_csv=JOBS.replace("b,1,60", "b,1,120"))
    found = diff_plans(planned(before), planned(after))

    # a and b one after the other: mean wait (0 + 1) / 2 = 0.5 h, 4 h x 10 = 40. A second node takes the wait away and costs 4 x 6.
    # b of two hours goes second, or goes second already: the wait stays. Together the same as each alone.
    assert {name: (cost, wait) for name, (cost, wait, _) in effects(found).items()} == {
        "jobs": (0.0, 0.0),
        "nodes": (24.0, -0.5),
        "together, beyond each alone": (0.0, 0.0),
        "all of them": (24.0, -0.5),
    }
    assert [("jobs", ("column runtime_minutes: b 60 -> 120",)), ("nodes", ("1 row added: m",))] == [
        (one.name, one.what) for one in found.attribution.inputs
    ]


def test_times_that_changed_are_told_in_the_zone_of_the_project(before: Path) -> None:
    (before / "schedplan.toml").write_text(SETTINGS.replace("[inputs]", 'timezone = "Asia/Shanghai"\n[inputs]'), encoding="utf-8")
    at = "2026-11-30T16:00:00Z"
    (before / "jobs.csv").write_text(JOBS.replace("2026-12-01T00:00:00Z", at), encoding="utf-8")
    after = changed(
        before, jobs_csv=JOBS.replace("2026-12-01T00:00:00Z", at, 1).replace("2026-12-01T00:00:00Z", "2026-11-30T17:00:00Z")
    )
    found = diff_plans(planned(before), planned(after))

    # 16:00 and 17:00 in Greenwich are midnight and one o'clock eight hours east of it
    assert [("jobs", ("column submit_time: b 2026-12-01 00:00+08:00 -> 2026-12-01 01:00+08:00",))] == [
        (one.name, one.what) for one in found.attribution.inputs
    ]


def test_a_list_in_the_settings_is_told_as_the_project_file_writes_it(before: Path) -> None:
    after = changed(before, schedplan_toml=SETTINGS + '[rules]\nforbid = ["kind=batch on node=m", "job=a on node=m"]\n')
    found = diff_plans(planned(before), planned(after))

    assert [("[rules]", ('rules.forbid [] -> ["kind=batch on node=m", "job=a on node=m"]',))] == [
        (one.name, one.what) for one in found.attribution.inputs
    ]


def test_what_two_inputs_do_only_together(before: Path) -> None:
    # two jobs of one hour may start at once only where there are two devices and each tenant may hold one
    quota = "tenant,nominal,max\ndefault,1,1\n"
    with_quota = SETTINGS.replace('jobs = "jobs.csv"', 'jobs = "jobs.csv"\nquotas = "quotas.csv"')
    (before / "schedplan.toml").write_text(with_quota, encoding="utf-8")
    (before / "quotas.csv").write_text(quota, encoding="utf-8")
    after = changed(before, nodes_csv=ONE_NODE + "m,1,6\n", quotas_csv=quota.replace("1,1", "2,2"))
    found = effects(diff_plans(planned(before), planned(after)))

    # a node without the quota, or the quota without the node, leaves the wait of 0.5 h; both take it away
    assert (24.0, 0.0) == found["nodes"][:2]
    assert (0.0, 0.0) == found["quotas"][:2]
    assert (0.0, -0.5) == found["together, beyond each alone"][:2]
    assert (24.0, -0.5) == found["all of them"][:2]


def test_a_setting_is_named_with_both_values(before: Path) -> None:
    after = changed(before, schedplan_toml=SETTINGS.replace("hours = 4", "hours = 6"))
    found = diff_plans(planned(before), planned(after))

    assert [("[horizon]", ("horizon.hours 4 -> 6",))] == [(one.name, one.what) for one in found.attribution.inputs]
    # two more hours of the node at 10
    assert 20.0 == effects(found)["[horizon]"][0]


def test_the_same_inputs_in_another_order_are_no_change(before: Path) -> None:
    lines = JOBS.splitlines()
    after = changed(before, jobs_csv="\n".join([lines[0], lines[2], lines[1]]) + "\n")
    found = diff_plans(planned(before), planned(after))

    assert () == found.attribution.inputs
    assert found.is_empty


def test_inputs_that_are_no_longer_there_are_said_to_be_missing(before: Path) -> None:
    first = planned(before)
    kept = copytree(before, before.parent / "kept")
    second = planned(changed(before, nodes_csv=ONE_NODE + "m,1,6\n"))
    (before / "nodes.csv").write_text(ONE_NODE.replace("10", "11"), encoding="utf-8")

    found = diff_plans(first, second)
    assert () == found.attribution.effects
    assert "nodes.csv" in found.attribution.reason
    # with the inputs as they were it can be told
    assert -0.5 == effects(diff_plans(first, second, before_data=kept))["nodes"][1]


def test_the_answer_is_the_same_each_time(before: Path) -> None:
    first, second = planned(before), planned(changed(before, nodes_csv=ONE_NODE + "m,1,6\n"))

    assert json_text(diff_plans(first, second).document) == json_text(diff_plans(first, second).document)
