"""Every row of the table of exit statuses, through the installed command; tests/workflows/test_interruption has 130 and 143.

One project of one node and two jobs, so that no call takes long.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMAND = Path(sys.executable).with_name("schedplan")

NODES = "node,accelerator,gpus,market,price_per_hour\nn1,A100,2,owned,1\n"
JOBS = """job,submit_time,gpus_per_worker,runtime_minutes,required
a,2026-12-01T00:00:00Z,2,60,{required}
b,2026-12-01T00:00:00Z,{gpus},60,{required}
"""
PROJECT = """[project]
name = "small"
[inputs]
nodes = "nodes.csv"
jobs = "jobs.csv"
[horizon]
start = 2026-12-01T00:00:00
hours = 2
step_minutes = 60
[check]
rules = ["unplaced == 0", "cost <= {cost}", "gap <= 0.5 warn"]
"""
BROKEN = """import schedplan.workflows.version as broken

def document():
    raise ZeroDivisionError

broken.version_document = document
"""


def run(folder: Path, *words: str, path: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys((str(path), str(ROOT))))}
    return subprocess.run([COMMAND, *words], cwd=folder, capture_output=True, text=True, check=False, env=environ)


def project(folder: Path, *, gpus: int = 2, required: str = "false", cost: int = 2) -> Path:
    folder.mkdir()
    (folder / "nodes.csv").write_text(NODES, "utf-8")
    (folder / "jobs.csv").write_text(JOBS.format(gpus=gpus, required=required), "utf-8")
    (folder / "schedplan.toml").write_text(PROJECT.format(cost=cost), "utf-8")
    return folder


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = project(tmp_path_factory.mktemp("statuses") / "small")
    done = run(folder, "optimize", "-q")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (0, ("check",)),
        (0, ("verify",)),
        (0, ("diff", "runs/plan", "runs/plan", "--detailed-exitcode")),
        (1, ("check", "--rule", "cost <= 1")),
        (0, ("check", "--rule", "cost <= 1", "--fail-on", "never")),
        (0, ("check", "--rule", "cost <= 1 warn")),
        (1, ("check", "--rule", "cost <= 1 warn", "--fail-on", "warning")),
        (2, ("check", "--rule", "costs <= 1")),
        (2, ("optimize", "--weights", "beauty=1")),
        (2, ("optimize", "nowhere.csv")),
        (2, ("fly",)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else str(value),
)
def test_done_no_and_could_not_run(planned: Path, status: int, words: tuple[str, ...]) -> None:
    done = run(planned, *words)

    assert status == done.returncode, done.stderr
    assert "Traceback" not in done.stderr


def test_a_plan_that_no_longer_fits_its_inputs_is_two(planned: Path, tmp_path: Path) -> None:
    folder = project(tmp_path / "small")
    run(folder, "optimize", "-q")
    (folder / "jobs.csv").write_text(JOBS.format(gpus=1, required="false"), "utf-8")
    done = run(folder, "check", "-o", "json")

    assert 2 == done.returncode
    assert "jobs.csv" in json.loads(done.stderr)["error"]["message"]


def test_infeasible_is_three_and_in_a_gate_one(tmp_path: Path) -> None:
    folder = project(tmp_path / "small", gpus=4, required="true")
    planned = run(folder, "optimize", "-o", "json")
    gate = run(folder, "check", "--solve", "-o", "json")
    item = json.loads(gate.stdout)["items"][0]

    assert (3, "infeasible") == (planned.returncode, json.loads(planned.stdout)["status"])
    assert (1, "SP5007") == (gate.returncode, item["code"])
    assert not (folder / "runs").exists()


def test_a_plan_that_has_to_be_proven_and_is_not_is_four(tmp_path: Path) -> None:
    folder = tmp_path / "day"
    run(tmp_path, "init", "day", "--sample", "best-effort-fill", "-q")
    done = run(folder, "optimize", "-q", "--require-optimal", "--time-limit", "1s")

    assert 4 == done.returncode, done.stderr


def test_a_fault_of_ours_is_seventy_and_one_line(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(BROKEN, "utf-8")
    done = run(tmp_path, "version", path=tmp_path)

    assert 70 == done.returncode
    assert done.stderr.startswith("error SP9001")
    assert "Traceback" not in done.stderr
