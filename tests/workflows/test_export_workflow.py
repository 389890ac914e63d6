"""A saved plan as files for Prometheus and Grafana: all or nothing, the same each time."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copytree

import pytest
import yaml

from schedplan.config.load import load_settings
from schedplan.config.project import ProjectPlace
from schedplan.errors import OutputError, UsageError
from schedplan.workflows.export import export_plan
from schedplan.workflows.optimize import plan_project, save, solve_options
from schedplan.workflows.project import open_project

SAMPLE = Path(__file__).parents[2] / "samples" / "three-nodes-1-1-2"


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = copytree(SAMPLE, tmp_path_factory.mktemp("export") / "project")
    settings = load_settings(folder, ())
    project = open_project(ProjectPlace(settings.file, (), ()), settings)
    save(plan_project(project, solve_options(settings)), project, folder / "runs" / "plan")
    return folder / "runs" / "plan"


def test_everything_is_written_beside_the_plan_and_written_anew(plan: Path) -> None:
    first = export_plan(plan)
    before = {path.name: path.read_bytes() for path in first.paths}
    again = export_plan(plan)

    assert ["schedplan.prom", "schedplan-rules.yml", "schedplan-dashboard.json"] == [path.name for path in first.paths]
    assert before == {path.name: path.read_bytes() for path in again.paths}
    assert plan.parent / "export" == first.paths[0].parent
    # the sample's three rules, and that the plan has ended
    assert 4 == len(yaml.safe_load(before["schedplan-rules.yml"])["groups"][0]["rules"])
    assert json.loads(before["schedplan-dashboard.json"])["title"] == "schedplan: three-nodes-1-1-2"


def test_one_target_writes_its_own_files(plan: Path, tmp_path: Path) -> None:
    done = export_plan(plan, tmp_path / "board", targets=("grafana",))

    assert [tmp_path / "board" / "schedplan-dashboard.json"] == list(done.paths)
    assert {"export.json", "schedplan-dashboard.json"} == {path.name for path in (tmp_path / "board").iterdir()}


def test_what_is_in_the_way_stays(plan: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear", "utf-8")

    with pytest.raises(OutputError):
        export_plan(plan, tmp_path / "mine")
    with pytest.raises(UsageError, match="there is no target nagios"):
        export_plan(plan, tmp_path / "x", targets=("nagios",))
    assert ["letter.txt"] == [path.name for path in (tmp_path / "mine").iterdir()]
    assert not (tmp_path / "x").exists()
