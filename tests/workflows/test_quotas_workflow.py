"""Quotas through the installed command: kept, borrowed at a price, verified, gated, and named where nothing is feasible."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = """
[project]
name = "two-teams"
currency = "USD"

[inputs]
nodes = "nodes.csv"
jobs = "jobs.csv"

[horizon]
start = 2026-12-01T00:00:00Z
hours = 4

[objective]
latency = 1.0
utilization = 0.0
cost = 0.001

[quotas.research]
gpus = 4
borrow_price = 1.5
"""
NODES = "node,count,gpus,price_per_hour\na100,2,8,10\n"
JOBS = "job,tenant,workers,gpus_per_worker,runtime_minutes,required\nwide,research,1,8,120,true\nsmall,product,1,2,60,false\n"


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "schedplan", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("teams")
    for name, text in (("schedplan.toml", PROJECT), ("nodes.csv", NODES), ("jobs.csv", JOBS)):
        (folder / name).write_text(text)
    assert run(folder, "optimize", "-q").returncode == 0
    return folder


def test_borrowing_is_priced_verified_and_gated(project: Path) -> None:
    plan = json.loads((project / "runs" / "plan" / "plan.json").read_text())
    measures = {row["name"]: row["value"] for row in plan["measures"] if not row["labels"]}

    # 8 held, 4 promised, 2 hours: 8 device-hours at 1.5; two owned nodes for 4 hours at 10
    assert (12.0, 92.0) == (measures["borrow_cost"], measures["cost"])
    assert run(project, "verify").returncode == 0
    assert run(project, "check", "--rule", "borrow_cost <= 12").returncode == 0
    assert run(project, "check", "--rule", "borrow_cost < 12").returncode == 1


def test_a_quota_too_small_for_what_is_required_is_named_with_its_repair(project: Path) -> None:
    done = run(project, "optimize", "--set", "quotas.research.borrow=false", "--out", "runs/none", "-o", "json")
    plan = json.loads(done.stdout)

    assert (3, "infeasible") == (done.returncode, plan["status"])
    assert "8 gpus would count for tenant research with it alone; at most 4 may" in done.stdout
    assert "a quota of 8 gpus for tenant research in place of 4" in done.stdout


def test_a_changed_quota_makes_the_plan_stale(project: Path, tmp_path: Path) -> None:
    for name in ("nodes.csv", "jobs.csv"):
        (tmp_path / name).write_text((project / name).read_text())
    (tmp_path / "schedplan.toml").write_text(PROJECT)
    assert run(tmp_path, "optimize", "-q").returncode == 0
    (tmp_path / "schedplan.toml").write_text(PROJECT.replace("gpus = 4", "gpus = 5"))
    done = run(tmp_path, "verify")

    assert 2 == done.returncode
    assert "schedplan.toml" in done.stderr


def test_table_and_project_file_must_not_both_state_a_quota(project: Path, tmp_path: Path) -> None:
    for name in ("nodes.csv", "jobs.csv"):
        (tmp_path / name).write_text((project / name).read_text())
    (tmp_path / "quotas.csv").write_text("tenant,nominal\nresearch,6\n")
    (tmp_path / "schedplan.toml").write_text(PROJECT.replace('jobs = "jobs.csv"', 'jobs = "jobs.csv"\nquotas = "quotas.csv"'))
    done = run(tmp_path, "optimize", "-q")

    assert 2 == done.returncode
    assert "[quotas.research]: the table quotas has a row for gpus of tenant research too" in done.stderr


def test_a_static_placement_keeps_quotas(project: Path) -> None:
    # 8 devices of research, of which 4 are its ceiling: the wide job is left out by its quota, the small one stands
    quota = ("--set", "quotas.research.borrow=false")
    done = run(project, "optimize", "--static", "--out", "runs/static", *quota)
    verified = run(project, "verify", "runs/static")

    assert (3, 0) == (done.returncode, run(project, "optimize", "--static", "--out", "runs/borrowed").returncode)
    assert "8 gpus would count for tenant research with it alone; at most 4 may" in done.stdout
    assert verified.returncode == 2


def test_a_quota_of_nobody_is_noted(tmp_path: Path) -> None:
    for name, text in (
        ("schedplan.toml", PROJECT.replace("quotas.research", "quotas.reserch")),
        ("nodes.csv", NODES),
        ("jobs.csv", JOBS),
    ):
        (tmp_path / name).write_text(text)
    done = run(tmp_path, "optimize", "-o", "json")

    assert any("tenant reserch: no job or service is of this tenant" in note for note in json.loads(done.stdout)["assumptions"])
