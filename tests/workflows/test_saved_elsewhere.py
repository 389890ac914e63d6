"""Plans that are saved away from their project, and folders that hold a project in place of a plan."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from schedplan.config.load import load_settings
from schedplan.config.project import ProjectPlace
from schedplan.errors import InputError
from schedplan.tables.artefacts import read_plan
from schedplan.workflows.optimize import default_folder, plan_project, save, solve_options
from schedplan.workflows.plan import data_option, open_plan
from schedplan.workflows.project import open_project


def test_a_plan_away_from_its_project_is_found_with_data(tmp_path: Path) -> None:
    root = tmp_path / "a project"
    root.mkdir()
    (root / "schedplan.toml").write_text('[inputs]\nnodes = "nodes.csv"\njobs = "jobs.csv"\n', encoding="utf-8")
    (root / "nodes.csv").write_text("node,gpus\nn,1\n", encoding="utf-8")
    (root / "jobs.csv").write_text("job,gpus_per_worker,runtime_minutes\na,1,60\n", encoding="utf-8")
    settings = load_settings(root)
    project = open_project(ProjectPlace(settings.file, (), ()), settings)
    planned = plan_project(project, solve_options(settings))
    for folder in (default_folder(project), tmp_path / "elsewhere"):
        save(planned, project, folder)

    assert "" == data_option(default_folder(project), planned.context, project.root)
    assert f" --data '{root}'" == data_option(tmp_path / "elsewhere", planned.context, project.root)
    assert planned.plan.placements == open_plan(tmp_path / "elsewhere", root).plan.placements
    with pytest.raises(InputError, match="no plan: it has no") as refused:
        read_plan(root)
    assert f"Its plan is {root / 'runs' / 'plan'}." == refused.value.hint


def test_check_from_outside_a_project_asks_its_own_rules(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    rules = '[check]\nrules = ["unplaced == 0", "cost <= 0"]\n'
    (root / "schedplan.toml").write_text(f'[inputs]\nnodes = "nodes.csv"\njobs = "jobs.csv"\n{rules}', encoding="utf-8")
    (root / "nodes.csv").write_text("node,gpus,price_per_hour\nn,1,2\n", encoding="utf-8")
    (root / "jobs.csv").write_text("job,gpus_per_worker,runtime_minutes\na,1,60\n", encoding="utf-8")
    settings = load_settings(root)
    project = open_project(ProjectPlace(settings.file, (), ()), settings)
    save(plan_project(project, solve_options(settings)), project, default_folder(project))

    def checked(*words: str) -> subprocess.CompletedProcess[str]:
        call = (sys.executable, "-m", "schedplan", "check", "project/runs/plan", *words)
        return subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False)

    # an owned node at 2 an hour is paid for all day, whatever it does
    assert 1 == checked().returncode
    assert "cost <= 0" in checked().stdout
    assert 0 == checked("--rule", "cost <= 48").returncode
