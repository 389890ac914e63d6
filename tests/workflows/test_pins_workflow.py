"""Pins on the command line: those that are against what runs already are refused, those of its own place are kept."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from schedplan.cli.app import app

NODES = "node,gpus\nm,1\nn,1\n"
JOBS = (
    "job,state,start_time,placement,gpus_per_worker,runtime_minutes\nr,running,2026-11-30T23:30:00Z,m*1,1,120\nw,pending,,,1,60\n"
)
SETTINGS = """[inputs]
nodes = "nodes.csv"
jobs = "jobs.csv"
[horizon]
start = 2026-12-01T00:00:00Z
hours = 4
"""


@pytest.fixture
def pin(tmp_path, monkeypatch):
    """Return a function that plans with a file of one pin of the job that runs on m."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("nodes.csv", NODES), ("jobs.csv", JOBS), ("schedplan.toml", SETTINGS)):
        (tmp_path / name).write_text(text)

    def call(node, start):
        (tmp_path / "pins.csv").write_text(f"job,node,start\nr,{node},{start}\n")
        return CliRunner().invoke(app, ["optimize", "--pin", "pins.csv"])

    return call


@pytest.mark.parametrize(("node", "start"), [("m", ""), ("m", "2026-11-30T23:00:00Z"), ("", "2026-12-01T00:00:00Z")])
def test_a_pin_of_what_runs_to_where_and_since_when_it_runs_is_kept(pin, node, start):
    assert 0 == pin(node, start).exit_code


@pytest.mark.parametrize(
    ("node", "start", "expected"),
    [
        ("n", "", "job r runs on m and is pinned to n; a pin does not move what runs"),
        ("m", "2026-12-01T02:00:00Z", "job r runs already and is pinned to start at 2026-12-01 02:00+00:00"),
    ],
)
def test_a_pin_against_what_runs_is_refused(pin, node, start, expected):
    done = pin(node, start)

    assert 2 == done.exit_code
    assert "SP1216" in done.stderr
    assert expected in " ".join(done.stderr.split())
