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
    assert run(day, "verify", "-o", "csv").stdout == "severity,code,subject,message,hint,file,row,column\n"


def test_the_gate_opens_and_closes_a_unit_below(day: Path, tmp_path: Path) -> None:
    plan = json.loads((day / "runs" / "plan" / "plan.json").read_text())
    cost = next(row["value"] for row in plan["measures"] if row["name"] == "cost" and not row["labels"])
    junit = tmp_path / "check.xml"

    assert run(day, "check").returncode == 0
    done = run(day, "check", "--rule", f"cost <= {cost - 1}", "--report", f"junit={junit}")
    assert done.returncode == 1
    assert f"cost <= {cost - 1}" in done.stdout
    suite = JUnitXml.fromfile(str(junit))
    assert (suite.tests, suite.failures) == (2, 1)
    assert [case.name for cases in suite for case in cases] == ["verify: every constraint holds", f"cost <= {cost - 1}"]
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
    assert run(copy, "check", "--report", "junit=check.xml", "--rule", "cost <= 1e9").returncode == 2
    suite = JUnitXml.fromfile(str(copy / "check.xml"))
    assert (suite.tests, suite.errors) == (1, 1)
    assert "nodes.csv" in next(case.result[0].message for cases in suite for case in cases)


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
    nameless = run(day, "explain", "runs/plan")
    assert nameless.returncode == 2
    assert nameless.stderr.endswith("hint: It has recommender, nightly-training.\n")
    assert "\n## \n" not in run(day, "explain", "recommender", "-o", "markdown").stdout
    # one line per reason, none blank between them
    assert "\n\nservice  " not in run(day, "explain", "recommender").stdout


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
        assert sign in path.read_text()
        assert run(day, "report", "--out", str(path)).returncode == 0
    readme = tmp_path / "README.md"
    readme.write_text("# ecommerce-day\n\nMy own words on schedplan, and its report.\n")
    assert run(day, "report", "--out", str(readme)).returncode == 2
    assert run(day, "report", "--out", str(readme), "--force").returncode == 0


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
    assert "no plan was saved" not in done.stderr


def test_an_earlier_plan_is_told_from_the_one_that_was_not_saved(tmp_path: Path) -> None:
    header = "job,workers,gpus_per_worker,runtime_minutes,required\n"
    (tmp_path / "nodes.csv").write_text("node,gpus\nn1,4\n")
    (tmp_path / "jobs.csv").write_text(f"{header}ok,1,1,60,true\n")
    assert run(tmp_path, "optimize", "nodes.csv", "jobs.csv", "-q").returncode == 0
    (tmp_path / "jobs.csv").write_text(f"{header}big,2,4,60,true\n")
    done = run(tmp_path, "optimize", "nodes.csv", "jobs.csv", "-q")

    assert done.returncode == 3
    assert f"no plan was saved; {Path('runs', 'plan')} is still the earlier one" in done.stderr


def test_lists_are_whole_sentences_and_name_things_once(tmp_path: Path) -> None:
    samples = run(tmp_path, "init", "--sample", "list").stdout
    tables = run(tmp_path, "schema", "-o", "csv").stdout

    assert "zone-loss              Two zones, and a service that has to go on when either of them is lost\n" in samples
    assert "`" not in samples
    assert "speeds,how fast work runs on a device model;" in tables


def test_bad_input_names_file_row_and_column(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text(NEWCOMER_NODES)
    (tmp_path / "jobs.csv").write_text(NEWCOMER_JOBS + "bad,two,8,60\n")
    done = run(tmp_path, "optimize", "nodes.csv", "jobs.csv", "-o", "json")

    assert done.returncode == 2
    error = json.loads(done.stderr.splitlines()[-1])["error"]
    assert ("jobs.csv", 4, "workers") == (Path(error["file"]).name, error["row"], error["column"])


def test_a_report_never_replaces_an_input(day: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", str(day), str(copy)], check=True)
    before = {name: (copy / name).read_bytes() for name in ("nodes.csv", "schedplan.toml", "runs/plan/plan.json")}
    for name in before:
        for form in ("junit", "markdown"):
            assert run(copy, "check", "--report", f"{form}={name}").returncode == 2
    assert run(copy, "report", "--out", "runs/plan/plan.json").returncode == 2

    assert before == {name: (copy / name).read_bytes() for name in before}


@pytest.mark.parametrize("minutes", ["nan", "inf", "-1", "0"])
def test_a_senseless_run_time_is_refused(tmp_path: Path, minutes: str) -> None:
    (tmp_path / "nodes.csv").write_text("node,gpus\nn1,4\n")
    (tmp_path / "jobs.csv").write_text("job,workers,gpus_per_worker\na,1,1\n")
    done = run(tmp_path, "optimize", "nodes.csv", "jobs.csv", f"--runtime={minutes}")

    assert done.returncode == 2
    assert "no length of a run" in done.stderr


def test_a_project_file_without_inputs_stands_for_the_tables_beside_it(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text(NEWCOMER_NODES)
    (tmp_path / "jobs.csv").write_text(NEWCOMER_JOBS)
    (tmp_path / "schedplan.toml").write_text("[objective]\ncost = 1\n")

    assert run(tmp_path, "optimize", "-q").returncode == 0
    assert run(tmp_path, "verify").returncode == 0
