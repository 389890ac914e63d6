"""Run times from history, through the command line: what is told of them, and what plans and replays make of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from schedplan.cli.app import app

ROWS = "".join(
    f"h{idx},ada,completed,2026-11-{1 + idx // 24:02d}T{idx % 24:02d}:00:00Z,2026-11-{1 + idx // 24:02d}T{idx % 24:02d}:00:00Z,"
    f"2026-11-{1 + idx // 24:02d}T{idx % 24:02d}:30:00Z,,600\n"
    for idx in range(48)
)
HEADER = "job,user,state,submit_time,start_time,end_time,runtime_minutes,time_limit_minutes,gpus_per_worker\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """48 jobs of half an hour with limits of ten hours, and one more that waits; one device."""
    rows = "".join(f"{row},1\n" for row in (*ROWS.splitlines(), "next,ada,pending,2026-12-01T00:00:00Z,,,,600"))
    (tmp_path / "jobs.csv").write_text(HEADER + rows, encoding="utf-8")
    (tmp_path / "nodes.csv").write_text("node,gpus\nn,1\n", encoding="utf-8")
    (tmp_path / "schedplan.toml").write_text(
        '[inputs]\njobs = "jobs.csv"\nnodes = "nodes.csv"\n[horizon]\nstart = 2026-12-01T00:00:00\nhours = 24\nstep_minutes = 30\n',
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_estimates_and_their_backtest_are_told(project):
    shown = run("forecast", "--runtimes", "-o", "json")

    assert 0 == shown.exit_code, shown.stderr
    said = json.loads(shown.stdout)
    scores = {score["way"]: score for score in said["scores"]}
    # all ran 30 minutes: no error by history or by the last job; the limit of 600 is 570 too long, and half of that counts
    assert 24 == said["judged"]
    assert 0.0 == scores["history"]["pinball_minutes"][0] == scores["last of user"]["pinball_minutes"][0]
    assert 285.0 == scores["limit"]["pinball_minutes"][0]
    assert "runtime_quantile = 0.8" in shown.stdout


def test_estimates_are_written_as_a_report_or_not_at_all(project):
    assert 0 == run("forecast", "--runtimes", "--out", "runtimes.html").exit_code
    assert "285" in (project / "runtimes.html").read_text(encoding="utf-8")

    refused = run("forecast", "--runtimes", "--out", "runtimes.parquet")
    assert 2 == refused.exit_code
    assert "its ending says no form of report" in " ".join(refused.stderr.split())


def test_a_plan_takes_the_limit_unless_a_quantile_is_asked_for(project):
    by_limit = run("optimize", "-o", "json", "--out", "a")
    by_quantile = run("optimize", "-o", "json", "--out", "b", "--set", "forecast.runtime_quantile=0.9")

    assert (0, 0) == (by_limit.exit_code, by_quantile.exit_code), by_quantile.stderr
    assert "job next: run time taken as 600 min, its time limit" in by_limit.stdout
    assert "job next: run time taken as 30 min, the P90 of 48 ended jobs by" in by_quantile.stdout
    # a plan is rebuilt from its tables with the same estimates
    assert 0 == run("verify", "b").exit_code


def test_a_policy_that_guesses_by_history_fills_holes_that_limits_hide(tmp_path, monkeypatch):
    """Two devices. `long` holds one for two hours; `wide` wants both and is reserved for its end.

    Bob's jobs always ran to their limits. `small` runs half an hour with a limit of ten: by its limit it does not fit before the
    reservation, by history it does.
    """
    past = "".join(f"{row},1,1\n" for row in ROWS.splitlines())
    for idx in range(24):
        day, hour = 4 + idx // 8, idx % 8 * 3
        begin, end = f"2026-11-{day:02d}T{hour:02d}:00:00Z", f"2026-11-{day:02d}T{hour + 2:02d}:00:00Z"
        past += f"b{idx},bob,completed,{begin},{begin},{end},120,120,1,1\n"
    now = [
        ("long", "bob", "2026-12-01T00:00:00Z", "2026-12-01T02:00:00Z", 120, 1),
        ("wide", "bob", "2026-12-01T00:10:00Z", "2026-12-01T02:20:00Z", 60, 2),
        ("small", "ada", "2026-12-01T00:20:00Z", "2026-12-01T00:50:00Z", 600, 1),
    ]
    rows = "".join(
        f"{name},{user},completed,{submit},{submit},{end},{30 if name == 'small' else limit},{limit},1,{gpus}\n"
        for name, user, submit, end, limit, gpus in now
    )
    header = HEADER.replace("gpus_per_worker", "gpus_per_worker,workers")
    (tmp_path / "jobs.csv").write_text(header + past + rows, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def waited(*more: str) -> float:
        shown = run("simulate", "jobs.csv", "--machine", "2x1gpu", "--policy", "easy", "-o", "json", "--force", *more)
        assert 0 == shown.exit_code, shown.stderr
        measures = {one["name"]: one["value"] for one in json.loads(shown.stdout)["measures"] if not one.get("labels")}
        return measures["wait_s_max"]

    # by limits `small` waits for `wide`, from 00:20 to 03:00; by guesses it starts at once, and `wide` waits longest: 110 minutes
    assert 160 * 60.0 == waited()
    assert 110 * 60.0 == waited("--set", "forecast.runtime_quantile=0.9")


def test_without_jobs_there_is_nothing_to_estimate(tmp_path):
    (tmp_path / "load.csv").write_text("unique_id,ds,y\nweb,2026-11-01T00:00:00Z,1\nweb,2026-11-01T01:00:00Z,1\n", encoding="utf-8")

    assert "there are no jobs" in run("forecast", str(tmp_path / "load.csv"), "--runtimes").stderr
