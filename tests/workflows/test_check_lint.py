"""What `validate` finds as measures of `check`: counted by severity, the first one told."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest

from schedplan.config.load import load_settings
from schedplan.config.project import ProjectPlace
from schedplan.workflows.check import Checked, check_solved
from schedplan.workflows.project import open_project

SAMPLE = Path(__file__).parents[2] / "samples" / "three-nodes-1-1-2"


@pytest.fixture
def checked(tmp_path: Path) -> Checked:
    folder = copytree(SAMPLE, tmp_path / "project")
    jobs = (folder / "jobs.csv").read_text("utf-8")
    # C asks for no device: one warning (SP1215 tells of work without devices)
    (folder / "jobs.csv").write_text(f"{jobs}C,2026-12-01T07:06:00Z,1,0,60\n", "utf-8")
    settings = load_settings(folder, ())
    project = open_project(ProjectPlace(settings.file, (), ()), settings)
    rules = ("lint_errors == 0", "lint_warnings == 0 warn", "unplaced == 0")
    return check_solved(project, folder / "runs" / "plan", rules=rules)


def test_warnings_are_counted_and_the_first_is_told(checked: Checked) -> None:
    errors, warnings, unplaced = checked.verdict.items

    assert (True, False, True) == (errors.passed, warnings.passed, unplaced.passed)
    assert checked.verdict.passed
    assert 1.0 == warnings.value
    assert warnings.hint.startswith("First: SP")
    assert "C" in warnings.hint
