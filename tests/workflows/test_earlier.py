"""`--from`: a plan is kept to, and the new one can be verified when the earlier one is gone."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from schedplan.config.load import load_settings
from schedplan.config.project import ProjectPlace
from schedplan.errors import InputError
from schedplan.workflows.earlier import earlier_of_text, earlier_plan, earlier_text
from schedplan.workflows.optimize import Planned, plan_project, save, solve_options
from schedplan.workflows.plan import open_plan
from schedplan.workflows.project import Project, open_project
from schedplan.workflows.verify import verify_plan

NODES = "node,gpus,zone\nm,2,z\nn,2,z\no,2,z\n"
JOBS = "job,gpus_per_worker,runtime_minutes,earliest_start\na,2,60,2026-12-01T00:00\nb,1,120,2026-12-01T00:00\n"
PROJECT = '[project]\nname = "p"\n[horizon]\nhours = 4\nstart = 2026-12-01T00:00:00\n'


@pytest.fixture
def project(tmp_path: Path) -> Project:
    for name, text in (("nodes.csv", NODES), ("jobs.csv", JOBS), ("schedplan.toml", PROJECT)):
        (tmp_path / name).write_text(text, "utf-8")
    return opened(tmp_path)


def opened(folder: Path) -> Project:
    settings = load_settings(folder / "schedplan.toml")
    return open_project(ProjectPlace(settings.file, (), ()), settings)


def planned(project: Project, folder: Path, earlier: Path | None = None) -> Planned:
    before = None if earlier is None else earlier_plan(earlier)
    found = plan_project(project, solve_options(project.settings), earlier=before)
    save(found, project, folder)
    return found


def test_a_new_plan_keeps_to_the_earlier_one_and_stands_alone(project: Project, tmp_path: Path) -> None:
    first = planned(project, tmp_path / "one")
    (tmp_path / "outages.csv").write_text("node,start,end\nn,2026-12-01T00:00,2026-12-02T00:00\n", "utf-8")
    changed = opened(tmp_path)
    second = planned(changed, tmp_path / "two", tmp_path / "one")
    shutil.rmtree(tmp_path / "one")

    kept = {part for part in first.plan.decisions.parts if part.node != "n"}
    assert kept <= set(second.plan.decisions.parts)
    assert () == verify_plan(tmp_path / "two").findings
    rebuilt = open_plan(tmp_path / "two").problem.earlier
    assert rebuilt is not None
    assert rebuilt == second.prepared.problem.earlier
    assert 64 == len(rebuilt.sha256)


def test_the_record_gives_back_what_it_was_given(project: Project, tmp_path: Path) -> None:
    planned(project, tmp_path / "one")
    earlier = earlier_plan(tmp_path / "one")

    assert earlier == earlier_of_text(earlier_text(earlier))
    with pytest.raises(InputError, match="can't be read"):
        earlier_of_text("{}")


@pytest.mark.parametrize(("jobs", "is_said"), [("job,gpus_per_worker,runtime_minutes\nx,1,60\n", True), (JOBS, False)])
def test_an_earlier_plan_of_other_work_is_said(project: Project, tmp_path: Path, jobs: str, is_said: bool) -> None:
    planned(project, tmp_path / "one")
    (tmp_path / "jobs.csv").write_text(jobs, "utf-8")
    second = planned(opened(tmp_path), tmp_path / "two", tmp_path / "one")

    assert is_said == any("no job and no service of this project" in warning for warning in second.plan.warnings)
    assert () == verify_plan(tmp_path / "two").findings
