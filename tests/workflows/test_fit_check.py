"""One job file against a snapshot: where it could start, or which rule keeps it out; nothing is reserved."""

import json
from pathlib import Path

import pytest

from schedplan.check.verdict import VerdictItem
from schedplan.config.load import load_settings
from schedplan.config.override import parse_set
from schedplan.config.project import locate_project
from schedplan.errors import InputError
from schedplan.report.json import json_text
from schedplan.timegrid import format_instant
from schedplan.workflows.check import Checked
from schedplan.workflows.fit_check import check_fit
from schedplan.workflows.project import Project, open_project

NOON_S = 1796126400  # 2026-12-01T12:00:00Z
NODES = "node,accelerator,gpus,count,market,price_per_hour\na100,A100,8,6,owned,20\n"
# four of six nodes are held from 10:00 to 20:00; one job waits
JOBS = """job,state,submit_time,start_time,workers,gpus_per_worker,runtime_minutes,placement
held,running,2026-12-01T10:00:00Z,2026-12-01T10:00:00Z,4,8,600,a100/1*1;a100/2*1;a100/3*1;a100/4*1
waits,pending,2026-12-01T11:30:00Z,,6,8,60,
"""
HEAD = "job,workers,gpus_per_worker,runtime_minutes,deadline\n"


@pytest.fixture
def snapshot(tmp_path: Path) -> Project:
    folder = tmp_path / "snapshot"
    folder.mkdir()
    (folder / "nodes.csv").write_text(NODES, "utf-8")
    (folder / "jobs.csv").write_text(JOBS, "utf-8")
    place = locate_project((folder,), None, tmp_path)
    return open_project(place, load_settings(place.file, (parse_set("horizon.hours=24"),)))


def asked(snapshot: Project, tmp_path: Path, row: str, **more: int) -> Checked:
    (tmp_path / "job.csv").write_text(f"{HEAD}{row}\n", "utf-8")
    return check_fit(tmp_path / "job.csv", snapshot, now_s=NOON_S, **more)


def only(checked: Checked) -> VerdictItem:
    (item,) = checked.verdict.items
    return item


def test_two_nodes_are_free_at_once(snapshot: Project, tmp_path: Path) -> None:
    # the newest time of the snapshot is 11:30, so the first slot of an hour begins at 12:00
    item = only(asked(snapshot, tmp_path, "mine,2,8,60,"))

    assert item.passed
    assert item.message == "feasible, not reserved: it could start at 2026-12-01 12:00+00:00 on a100/5, a100/6"


def test_five_nodes_are_free_when_the_running_job_has_ended(snapshot: Project, tmp_path: Path) -> None:
    item = only(asked(snapshot, tmp_path, "mine,5,8,60,"))

    # 10:00 and 600 minutes
    assert item.message.startswith("feasible, not reserved: it could start at 2026-12-01 20:00+00:00 on ")


@pytest.mark.parametrize(
    ("row", "rule", "repair"),
    [
        ("mine,7,8,60,", "gang", "1 more node of a100"),
        ("mine,1,9,60,", "devices", "ask for fewer devices per worker"),
        ("mine,3,8,60,2026-12-01T18:00:00Z", "capacity", "1 more node of a100"),
    ],
)
def test_what_keeps_it_out_is_told_with_a_repair(snapshot: Project, tmp_path: Path, row: str, rule: str, repair: str) -> None:
    checked = asked(snapshot, tmp_path, row)
    told = json.loads(json_text(checked.document))

    assert not checked.verdict.passed
    assert "SP5006" == only(checked).code
    assert (False, rule, False) == (told["jobs"][0]["feasible"], told["jobs"][0]["rule"], told["reserved"])
    assert repair in only(checked).hint


def test_the_age_of_the_snapshot_is_told_and_may_be_limited(snapshot: Project, tmp_path: Path) -> None:
    fresh = asked(snapshot, tmp_path, "mine,1,1,60,", max_age_s=1800)
    old = asked(snapshot, tmp_path, "mine,1,1,60,", max_age_s=1799)
    told = json.loads(json_text(fresh.document))["snapshot"]

    # 11:30 to 12:00
    assert {"age_s": 1800, "running": 1, "taken": format_instant(NOON_S - 1800), "waiting": 1} == told
    assert (True, False) == (fresh.verdict.passed, old.verdict.passed)
    assert "SP5008" == old.verdict.denials[0].code


@pytest.mark.parametrize(("row", "code"), [("held,1,1,60,", "SP1010"), ("", "SP1001")])
def test_a_job_of_the_snapshot_and_an_empty_file_are_refused(snapshot: Project, tmp_path: Path, row: str, code: str) -> None:
    with pytest.raises(InputError) as refused:
        asked(snapshot, tmp_path, row)

    assert code == refused.value.code
