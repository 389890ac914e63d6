"""What a person must see before trusting a plan: slips in the tables, on top of the plan and in the findings of validate."""

from __future__ import annotations

from json import loads

import pytest
from typer.testing import CliRunner, Result

from schedplan.cli.app import app

NODES = "node,count,gpus\nn,2,8\n"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs a command in a folder of its own, with these files in it."""
    monkeypatch.chdir(tmp_path)

    def call(*words: str, **tables: str) -> Result:
        for name, text in tables.items():
            (tmp_path / f"{name}.csv").write_text(text)
        return CliRunner().invoke(app, [*words, *(f"{name}.csv" for name in tables)])

    return call


def test_a_misspelt_column_is_told_on_top_of_the_plan_and_fails_validate_on_warnings(run):
    jobs = "job,gpus_per_workr,runtime_minutes\na,1,60\n"
    planned = run("optimize", nodes=NODES, jobs=jobs)
    passed = run("validate", nodes=NODES, jobs=jobs)
    failed = run("validate", "--fail-on", "warning", nodes=NODES, jobs=jobs)

    assert 0 == planned.exit_code
    assert planned.stdout.index("did you mean gpus_per_worker?") < planned.stdout.index("What was assumed")
    assert (0, 1) == (passed.exit_code, failed.exit_code)
    assert "SP1207" in failed.stdout


def test_work_without_devices_and_whole_devices_for_shares_are_told_on_top_of_the_plan(run):
    done = run("optimize", nodes=NODES, jobs="job,gpus_per_worker,runtime_minutes\na,0,60\nb,0.5,60\n")

    assert 0 == done.exit_code
    told = " ".join(done.stdout.partition("What was assumed")[0].split())
    assert "job a: no device is asked for" in told
    assert "pool n: slices_per_gpu is 1, so each worker of 1 job" in told


def test_a_plan_begins_on_the_day_of_the_first_bound_where_nothing_was_submitted(run):
    jobs = "job,gpus_per_worker,runtime_minutes,deadline\na,1,60,2026-12-03T00:00:00Z\nb,1,60,2026-12-02T09:30:00Z\n"
    plan = loads(run("optimize", "-o", "json", nodes=NODES, jobs=jobs).stdout)

    assert [] == plan["unplaced"] + plan["warnings"]
    assert any("2026-12-02 00:00+00:00, the day of the first deadline (job b)" in note for note in plan["assumptions"])


def test_the_day_is_the_local_one(run):
    # 2026-12-02T09:30:00Z is 17:30 of the same day in Shanghai, whose midnight is 16:00Z of the day before
    jobs = "job,gpus_per_worker,runtime_minutes,earliest_start\na,1,60,2026-12-02T09:30:00Z\n"
    plan = loads(run("optimize", "-o", "json", "--set", "project.timezone=Asia/Shanghai", nodes=NODES, jobs=jobs).stdout)

    assert any(
        "begins at 2026-12-02 00:00+08:00, the day of the first earliest_start (job a)" in note for note in plan["assumptions"]
    )


def test_a_deadline_at_midnight_ends_the_day_before(run):
    jobs = "job,gpus_per_worker,runtime_minutes,deadline\na,1,60,2026-12-03\n"
    plan = loads(run("optimize", "-o", "json", nodes=NODES, jobs=jobs).stdout)

    assert [] == plan["unplaced"] + plan["warnings"]
    assert any("begins at 2026-12-02 00:00+00:00" in note for note in plan["assumptions"])


def test_a_hard_deadline_before_the_plan_names_its_job(run):
    jobs = (
        "job,gpus_per_worker,runtime_minutes,submit_time,deadline\n"
        "a,1,60,2026-12-01T08:00:00Z,2026-12-01T09:00:00Z\nb,1,60,2026-12-02T08:00:00Z,\n"
    )
    plan = loads(run("optimize", "-o", "json", nodes=NODES, jobs=jobs).stdout)

    assert ["job a: the hard deadline"] == [warning[:24] for warning in plan["warnings"]]


def test_validate_finds_a_job_longer_than_the_horizon(run):
    jobs = "job,gpus_per_worker,runtime_minutes\na,1,1500\n"

    # 24 h are 1440 min, 26 h are 1560
    assert "SP1223" in run("validate", nodes=NODES, jobs=jobs).stdout
    assert "SP1223" not in run("validate", "--set", "horizon.hours=26", nodes=NODES, jobs=jobs).stdout


def test_defaults_are_told_one_by_one_and_what_was_said_is_not(run):
    jobs = "job,gpus_per_worker,runtime_minutes\na,1,60\n"
    assumed = loads(run("optimize", "-o", "json", nodes=NODES, jobs=jobs).stdout)["assumptions"]
    words = ("--set", "project.timezone=Asia/Shanghai", "--set", "horizon.hours=12", "--set", "horizon.step_minutes=30")
    said = loads(run("optimize", "-o", "json", *words, "--force", nodes=NODES, jobs=jobs).stdout)["assumptions"]

    expected = (
        "24 slots of 60 min, 24 h in all; set [horizon] hours and step_minutes",
        "the time zone is UTC; set [project] timezone",
        "prices are in USD; set [project] currency",
        "weights of the goals: latency 0.5, utilization 0.3, cost 0.2; set [objective], or give --weights",
    )
    assert set(expected) <= set(assumed)
    assert set(expected[2:]) == set(expected) & set(said)
    assert any("priority = 0" in note for note in assumed)


def test_a_file_of_the_project_that_is_not_there_is_told_with_its_key_and_a_name_nearby(run, tmp_path):
    (tmp_path / "schedplan.toml").write_text('[inputs]\nnodes = "nodes.csv"\njobs = "job.csv"\n')
    (tmp_path / "jobs.csv").write_text("job\na\n")
    (tmp_path / "nodes.csv").write_text(NODES)
    done = run("validate")

    assert 2 == done.exit_code
    told = " ".join(done.stderr.split())
    assert "there is no such file; inputs.jobs (schedplan.toml, row 3) names it. Did you mean jobs.csv?" in told


@pytest.mark.parametrize(("zone", "hint"), [("Mars/X", "Asia/Shanghai"), ("asia/shanghay", "Did you mean Asia/Shanghai?")])
def test_a_time_zone_that_there_is_not_is_a_slip_of_the_call(run, zone, hint):
    done = run("ingest", "--tz", zone, nodes=NODES)

    assert 2 == done.exit_code
    assert hint in done.stderr


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ("price=1", "'price' is no goal; the goals are latency, utilization, cost, carbon"),
        ("cost", "'cost' is no goal=weight"),
        ("cost=1,cost=2", "cost stands in it twice"),
    ],
)
def test_weights_of_what_is_no_goal(run, weights, expected):
    done = run("optimize", "--weights", weights, nodes=NODES, jobs="job\na\n")

    assert 2 == done.exit_code
    assert expected in " ".join(done.stderr.split())


CLEAN = "node,gpus,region,power_idle_w,power_max_w\nn,1,east,100,500\nm,1,,100,500\n"


def test_carbon_with_a_weight_and_nothing_known_is_an_error(run):
    done = run("optimize", "--weights", "carbon=1", nodes=CLEAN, jobs="job,gpus_per_worker,runtime_minutes\na,1,60\n")

    assert 2 == done.exit_code
    told = " ".join(done.stderr.split())
    assert "SP1020" in told
    assert "carbon is to be weighed, and the emissions of no node are known; m has no region" in told


def test_carbon_is_weighed_where_it_is_known_and_the_rest_is_said_by_name(run):
    jobs = "job,gpus_per_worker,runtime_minutes\na,1,60\n"
    done = run("optimize", "-o", "json", "--weights", "carbon=1", nodes=CLEAN, jobs=jobs, carbon="region,ds,g_per_kwh\neast,,100\n")
    plan = loads(done.stdout)

    # owned nodes: 0.1 kW for 24 h and 0.4 kW for the hour of the job, at 100 g, if it ran in the east; unknown counts as 0
    (warning,) = (text for text in plan["warnings"] if "carbon" in text)
    assert "of pools m (no region)" in warning
    assert 240.0 == next(one["value"] for one in plan["measures"] if one["name"] == "carbon_g" and one["labels"] == {"pool": "n"})
    assert ["latency", "utilization", "cost", "carbon", "unplaced"] == [term["name"] for term in plan["terms"]]


@pytest.mark.parametrize(
    ("weights", "expected"),
    [("latency=0,cost=0", "all weights of [objective] are 0"), ("cost=-1", "expected a number of at least 0")],
)
def test_weights_that_weigh_nothing_are_errors(run, weights, expected):
    done = run("optimize", "--weights", weights, nodes=NODES, jobs="job\na\n")

    assert 2 == done.exit_code
    assert expected in " ".join(done.stderr.split())
