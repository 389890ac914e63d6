"""The same jobs under the same policy measure the same, whichever command replays them; and what is said of them is shown."""

from __future__ import annotations

from json import loads

import pytest
from typer.testing import CliRunner

from schedplan.cli.app import app
from schedplan.workflows.compare_engines import too_large_to_plan

PROJECT = """
[inputs]
nodes = "nodes.csv"
jobs = "jobs.csv"
[horizon]
start = 2026-12-01T06:00:00Z
hours = 12
[quotas.x]
gpus = 2
borrow = false
"""
NODES = "node,gpus\nn,4\n"
JOBS = """job,submit_time,start_time,gpus_per_worker,runtime_minutes,state,tenant
a,2026-12-01T00:00:00Z,,2,60,pending,x
b,2026-12-01T00:00:00Z,,2,60,pending,x
c,2026-12-01T05:00:00Z,2026-12-01T05:30:00Z,1,60,running,y
"""


@pytest.fixture
def answer(tmp_path, monkeypatch):
    """Return a function that runs a command on these tables and returns its answer as read from JSON."""
    monkeypatch.chdir(tmp_path)

    def call(*words: str, nodes: str = NODES, jobs: str = JOBS, project: str = PROJECT):
        for name, text in (("nodes.csv", nodes), ("jobs.csv", jobs), ("schedplan.toml", project)):
            (tmp_path / name).write_text(text)
        done = CliRunner().invoke(app, [*words, "-o", "json"])
        assert 0 == done.exit_code, done.stderr
        return loads(done.stdout)

    return call


def whole(measures):
    return {one["name"]: one["value"] for one in measures if not one["labels"]}


def easy_row(compared):
    return next(row["measures"] for row in compared["replays"] if row["policy"] == "easy")


def test_the_row_of_a_policy_is_what_simulate_measures_with_quota_and_start_of_the_horizon(answer):
    simulated = whole(answer("simulate", "--policy", "easy")["measures"])
    compared = easy_row(answer("compare-engines", "--engines", "volcano"))

    assert simulated == compared
    # All wait since 06:00. x may hold 2 devices: a runs at once, b an hour later; what remains of c, 30 min, runs at once.
    # Waits 0, 3600, 0 s: mean 1200 s.
    assert (1200.0, 7200.0) == (compared["wait_s_mean"], compared["makespan_s"])


def test_what_a_replay_warns_of_and_misspelt_columns_are_told_in_the_answer(answer):
    # A log: b asks for more than the cap of its tenant and never starts.
    header = "job,submit_time,gpus_per_worker,runtime_minutes,state,tenant,priorty"
    jobs = f"{header}\na,2026-12-01,2,60,completed,x,1\nb,2026-12-01,3,60,completed,x,1\n"
    warnings = answer("compare-engines", "--engines", "volcano", jobs=jobs)["warnings"]

    assert any("did you mean priority?" in one for one in warnings)
    assert "replay easy: jobs that never start: 1" in warnings


@pytest.mark.parametrize(
    ("n_jobs", "n_slots", "expected"),
    [
        (200, 100, None),
        (201, 1, "201 jobs are more than the 200 that are planned by the way; schedplan optimize plans more"),
        (
            150,
            168,
            "150 jobs x 168 slots = 25,200 is more than the 20,000 that are planned by the way; schedplan optimize plans more",
        ),
    ],
)
def test_the_bound_that_was_hit_is_told(n_jobs, n_slots, expected):
    assert expected == too_large_to_plan(n_jobs, n_slots)


def test_one_of_a_thing_is_told_in_the_singular(answer):
    jobs = "job,gpus_per_worker,runtime_minutes,submit_time\na,1,60,\nlater,1,60,2026-12-03\n"
    words = {"nodes": "node,gpus\nn,1\n", "jobs": jobs, "project": PROJECT.partition("[quotas")[0]}
    simulated = answer("simulate", "--machine", "1x1gpu", **words)
    planned = answer("optimize", **words)
    answer("optimize", "--out", "late", **(words | {"jobs": jobs.replace("a,1,60,", "a,1,60,2026-12-01T08:00:00Z")}))
    differing = CliRunner().invoke(app, ["diff", "runs/plan", "late"]).stdout

    assert "on 1 node with 1 device" in str(simulated)
    assert "1 job is submitted after the end of the horizon and is not planned" in planned["assumptions"]
    assert "1 job changed" in differing
