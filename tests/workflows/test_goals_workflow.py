"""Goal by goal and fronts on the command line: what is shown, saved, verified, compared and refused."""

from __future__ import annotations

from json import loads

import pytest
from typer.testing import CliRunner, Result

from schedplan.cli.app import app

NODES = "node,count,min_count,max_count,gpus,market,price_per_hour\nn,0,0,1,1,on_demand,9\n"
JOBS = "job,gpus_per_worker,runtime_minutes,submit_time\nj,1,60,2026-12-01T00:00:00Z\n"
PRICES = "node,ds,price_per_hour\n" + "".join(f"n,2026-12-01T0{hour}:00:00Z,{p}\n" for hour, p in ((1, 7), (2, 4), (3, 2)))
SETTINGS = """[inputs]
nodes = "nodes.csv"
jobs = "jobs.csv"
prices = "prices.csv"
[horizon]
start = 2026-12-01T00:00:00Z
hours = 4
[objective]
latency = 0.5
utilization = 0.0
cost = 0.5
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs a command in a project whose node costs 9, 7, 4 and 2 in its four hours."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("nodes.csv", NODES), ("jobs.csv", JOBS), ("prices.csv", PRICES), ("schedplan.toml", SETTINGS)):
        (tmp_path / name).write_text(text)

    def call(*words: str) -> Result:
        return CliRunner().invoke(app, list(words))

    return call


def test_a_front_is_shown_saved_and_verified(run, tmp_path):
    plan = loads(run("optimize", "--pareto", "5", "-o", "json").stdout)
    points = [(point["latency"], point["cost"]) for point in plan["pareto"]["points"]]

    # latency and cost have the largest weights; four starts, four plans
    assert [(0, 9), (1, 7), (2, 4), (3, 2)] == points
    assert ["1", "2", "3", "4"] == sorted(path.name for path in (tmp_path / "runs/plan-front").glob("[0-9]*"))
    for folder in ("runs/plan", "runs/plan-front/1", "runs/plan-front/3"):
        assert 0 == run("verify", folder).exit_code, folder
    assert "cost -2.00" in run("diff", "runs/plan-front/1", "runs/plan-front/2").stdout


def test_a_front_is_a_table_in_csv_and_a_plot_in_the_report(run, tmp_path):
    lines = run("optimize", "--pareto", "5", "--pareto-goals", "cost,latency", "-o", "csv").stdout.splitlines()
    run("report", "runs/plan")
    page = (tmp_path / "runs/plan/report.html").read_text(encoding="utf-8")

    assert "point,cost,latency,price,objective,gap,status" == lines[0]
    # the cheapest plan waits three hours
    assert ["1", "2", "3"] == lines[1].split(",")[:3]
    assert "front-chart" in page


def test_a_plan_goal_by_goal_is_verified_with_what_it_holds(run):
    plan = loads(run("optimize", "--lexicographic", "cost,latency", "-o", "json").stdout)

    assert ["unplaced", "cost", "latency"] == [stage["goal"] for stage in plan["stages"]]
    assert [0, 2, 3] == [stage["value"] for stage in plan["stages"]]
    assert "optimal" == plan["status"]
    assert 0 == run("verify", "runs/plan").exit_code


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--lexicographic", "cost,speed"), "'speed' is no goal"),
        (("--lexicographic", "cost,cost"), "a goal stands in it twice"),
        (("--pareto", "1"), "a front has 2 to 99 points"),
        (("--pareto-goals", "cost,latency"), "--pareto-goals needs --pareto N"),
        (("--pareto", "3", "--pareto-goals", "cost"), "a front is of two goals"),
        (("--pareto", "3", "--lexicographic", "cost"), "exclude one another"),
        (("--static", "--pareto", "3"), "have no say in it"),
        (("--lexicographic", "carbon"), "carbon is to be weighed, and the emissions of no node are known"),
    ],
)
def test_what_can_not_be_asked_is_refused(run, words, expected):
    done = run("optimize", *words)

    assert 2 == done.exit_code
    assert expected in " ".join(done.stderr.split())


REWARDS = """
[[objective.rewards]]
measure = "cost"
below = 12
points = 1
per = 2
[[objective.rewards]]
measure = "wait_s_max"
above = 1800
points = -1
per = 3600
"""


def test_rewards_score_a_plan_and_do_not_change_it(run, tmp_path):
    before = loads(run("optimize", "-o", "json").stdout)
    (tmp_path / "schedplan.toml").write_text(SETTINGS + REWARDS)
    plan = loads(run("optimize", "-o", "json").stdout)
    points = {one["labels"].get("reward", ""): one["value"] for one in plan["measures"] if one["name"] == "reward"}
    cost = next(term["value"] for term in plan["terms"] if term["name"] == "cost")
    wait_h = next(term["value"] for term in plan["terms"] if term["name"] == "latency")

    # one device of one: a device-hour of wait is an hour
    late = max(wait_h - 0.5, 0.0)
    assert {"cost below 12": (12 - cost) / 2, "wait_s_max above 1800": -late, "": (12 - cost) / 2 - late} == points
    assert before["terms"] == plan["terms"]
    assert 0 == run("verify", "runs/plan").exit_code
    assert 1 == run("check", "--set", 'check.rules=["reward >= 100"]').exit_code


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ('measure = "cots"\nabove = 1\npoints = 1', "cots is no measure of a plan"),
        ('measure = "cost"\npoints = 1', "a reward is for a measure above or below a limit"),
        ('measure = "cost"\nabove = 1\npoints = 1\nper = 0', "objective.rewards is off"),
        ('measure = "cost"\nabove = 0\npoints = 1e308\nper = 1e-9', "objective.rewards is off"),
        ('measure = "cost"\nabove = 0\npoints = 1\nper = 1e-308', "objective.rewards is off"),
        ('measure = "cost"\nabove = -1e308\npoints = 1', "objective.rewards is off"),
    ],
)
def test_a_reward_that_makes_no_sense_is_refused(run, tmp_path, table, expected):
    (tmp_path / "schedplan.toml").write_text(f"{SETTINGS}[[objective.rewards]]\n{table}\n")
    done = run("optimize")

    assert 2 == done.exit_code
    assert expected in " ".join(done.stderr.split())


def test_exchange_rates_are_told_to_machines_and_verified(run, tmp_path):
    plan = loads(run("optimize", "-o", "json").stdout)
    saved = loads((tmp_path / "runs/plan/plan.json").read_text())
    latency, cost = (next(term for term in saved["terms"] if term["name"] == goal) for goal in ("latency", "cost"))

    # both weigh a half: one device-hour of wait counts as divisor of cost / divisor of latency
    (wait, left_out) = plan["exchange_rates"]
    assert ("1 device-h of wait at the lowest priority", "USD") == (wait["what"], wait["unit"])
    assert wait["worth"] == pytest.approx(cost["divisor"] / latency["divisor"])
    assert "1 % of all work, by importance, left out" == left_out["what"]
    assert [one["worth"] for one in plan["exchange_rates"]] == pytest.approx([one["worth"] for one in saved["exchange_rates"]])
