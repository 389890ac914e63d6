"""The main job through the installed command: plan the sample day, verify, gate, explain, report, begin with your own files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from junitparser import JUnitXml

NEWCOMER_NODES = "node,count,gpus,price_per_hour\na100,4,8,12\n"
NEWCOMER_JOBS = "job,workers,gpus_per_worker,runtime_minutes\npretrain,2,8,300\nsweep,1,4,90\n"


def run(folder: Path, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "schedplan", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **environ},
    )


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample day, planned once."""
    folder = tmp_path_factory.mktemp("day")
    assert run(folder, "init").returncode == 0
    assert run(folder, "optimize", "-q").returncode == 0
    return folder


def test_the_plan_is_optimal_and_keeps_every_promise(day: Path) -> None:
    plan = json.loads((day / "runs" / "plan" / "plan.json").read_text())
    measures = {row["name"]: row["value"] for row in plan["measures"] if not row["labels"]}

    assert plan["status"] == "optimal"
    assert plan["gap"] == 0
    assert measures["slo_attainment"] == 1
    assert measures["cost"] < 61_600
    assert 0.7 <= measures["utilization"] <= 0.9
    assert any("slack 0 h" in warning for warning in plan["warnings"])
    assert any("no full fallback" in warning for warning in plan["warnings"])


def test_the_plan_verifies(day: Path) -> None:
    done = run(day, "verify")

    assert done.returncode == 0
    assert "every constraint holds" in done.stdout


def test_the_gate_opens_and_closes_a_unit_below(day: Path, tmp_path: Path) -> None:
    plan = json.loads((day / "runs" / "plan" / "plan.json").read_text())
    cost = next(row["value"] for row in plan["measures"] if row["name"] == "cost" and not row["labels"])
    junit = tmp_path / "check.xml"

    assert run(day, "check").returncode == 0
    done = run(day, "check", "--rule", f"cost <= {cost - 1}", "--report", f"junit={junit}")
    assert done.returncode == 1
    assert f"cost <= {cost - 1}" in done.stdout
    suite = JUnitXml.fromfile(str(junit))
    assert (suite.tests, suite.failures) == (1, 1)
    budget = run(day, "check", "--set", f"limits.budget_per_day={cost - 1}")
    assert budget.returncode == 1
    assert "SP3108" in budget.stdout


def test_a_broken_configuration_or_rule_can_not_be_told(day: Path) -> None:
    assert run(day, "check", "--set", "objective.latencyy=1").returncode == 2
    unknown = run(day, "check", "--rule", "costs <= 1")
    assert unknown.returncode == 2
    assert "Did you mean cost" in unknown.stderr


def test_a_stale_plan_is_refused_by_name_and_a_new_order_of_rows_is_not_stale(day: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", str(day), str(copy)], check=True)
    header, *rows = (copy / "load.csv").read_text().splitlines()
    (copy / "load.csv").write_text("\n".join([header, *reversed(rows)]) + "\n")

    assert run(copy, "verify").returncode == 0
    (copy / "nodes.csv").write_text((copy / "nodes.csv").read_text().replace("300", "301"))
    done = run(copy, "verify")
    assert done.returncode == 2
    assert "nodes.csv" in done.stderr


def test_the_same_bytes_again(day: Path, tmp_path: Path) -> None:
    """Two hash seeds, one and two threads, permuted rows of every table: the same folder, byte for byte."""
    before = {path.name: path.read_bytes() for path in (day / "runs" / "plan").iterdir() if path.name != "report.html"}
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in day.iterdir():
        if path.suffix == ".csv":
            header, *rows = path.read_text().splitlines()
            (copy / path.name).write_text("\n".join([header, *reversed(rows)]) + "\n")
        elif path.is_file():
            (copy / path.name).write_bytes(path.read_bytes())
    for seed, threads in (("1", "1"), ("2", "2")):
        assert run(copy, "optimize", "-q", PYTHONHASHSEED=seed, SCHEDPLAN_THREADS=threads).returncode == 0
        assert before == {path.name: path.read_bytes() for path in (copy / "runs" / "plan").iterdir()}


def test_explain_says_why(day: Path) -> None:
    done = run(day, "explain", "nightly-training")

    assert done.returncode == 0
    assert "zero slack" in done.stdout
    assert "no fallback" in done.stdout
    assert run(day, "explain", "nobody").returncode == 2


def test_two_plans_are_compared(day: Path) -> None:
    assert run(day, "optimize", "-q", "--out", "runs/again").returncode == 0
    same = run(day, "diff", "runs/plan", "runs/again", "--detailed-exitcode")
    assert run(day, "optimize", "-q", "--out", "runs/leaner", "--set", "forecast.quantile=0.5").returncode == 0
    other = run(day, "diff", "runs/plan", "runs/leaner", "--detailed-exitcode")

    assert (same.returncode, other.returncode) == (0, 1)
    assert "recommender" in other.stdout


def test_reports_in_every_form(day: Path, tmp_path: Path) -> None:
    for name, sign in (("r.html", "<!doctype html"), ("r.md", "# ecommerce-day"), ("r.json", '"kind"')):
        path = tmp_path / name
        assert run(day, "report", "--out", str(path)).returncode == 0
        assert sign in path.read_text()[:4000]


def test_a_newcomers_four_columns_make_a_plan(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text(NEWCOMER_NODES)
    (tmp_path / "jobs.csv").write_text(NEWCOMER_JOBS)
    done = run(tmp_path, "optimize", "nodes.csv", "jobs.csv", "-o", "json")

    assert done.returncode == 0
    plan = json.loads(done.stdout)
    assert plan["status"] == "optimal"
    assert plan["assumptions"]
    # a pretrain worker fills a node: two of the four nodes, and the sweep half of a third, so nothing waits
    assert plan["unplaced"] == []
    assert run(tmp_path, "verify", "runs/plan").returncode == 0


def test_infeasible_is_an_answer_with_its_rules(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text("node,gpus\nn1,4\n")
    (tmp_path / "jobs.csv").write_text("job,workers,gpus_per_worker,runtime_minutes,required\nbig,2,4,60,true\nok,1,1,60,false\n")
    done = run(tmp_path, "optimize", "nodes.csv", "jobs.csv", "-o", "json")

    assert done.returncode == 3
    answer = json.loads(done.stdout)
    assert answer["status"] == "infeasible"
    assert [("gang", "job big")] == [(item["rule"], item["subject"]) for item in answer["conflict"]]
    assert "1 more node of n1" in [repair["change"] for repair in answer["repairs"]]


def test_bad_input_names_file_row_and_column(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text(NEWCOMER_NODES)
    (tmp_path / "jobs.csv").write_text(NEWCOMER_JOBS + "bad,two,8,60\n")
    done = run(tmp_path, "optimize", "nodes.csv", "jobs.csv", "-o", "json")

    assert done.returncode == 2
    error = json.loads(done.stderr.splitlines()[-1])["error"]
    assert ("jobs.csv", 4, "workers") == (Path(error["file"]).name, error["row"], error["column"])
