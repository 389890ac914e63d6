"""What the sample training-window-risk must show: chances, slack and the latest safe switch, by closed forms."""

from datetime import datetime, timedelta, timezone
from math import exp

import pytest

from schedplan.measures.feasibility import violations
from schedplan.model.plan import PlanStatus
from tests.samples.conftest import planned

SHANGHAI = timezone(timedelta(hours=8))
JOBS = ("calm-3h30", "calm-4h", "stormy-3h30", "stormy-4h")


def chance(rate, failures=6):
    """Seven half hours with half an hour of slack: k losses fit in 1/k! of all cases (the sum of k uniforms is at most 1)."""
    lost = 1 - exp(-rate / 2)
    ways, total, fits = 1.0, 0.0, 1.0
    for k in range(failures + 1):
        total += (1 - lost) ** 7 * lost**k * ways / fits
        ways *= (7 + k) / (k + 1)
        fits *= max(k + 1, 1)
    return total


def test_the_plan_is_optimal_and_every_gang_stands_on_its_spot_pool(training_window):
    pools = {row.job: row.node.split("/")[0] for row in training_window.plan.placements}

    assert {job: job.split("-")[0] for job in JOBS} == pools
    assert training_window.plan.proof.status is PlanStatus.OPTIMAL
    assert violations(training_window.prepared.problem, training_window.plan.decisions) == ()


@pytest.mark.parametrize(
    ("job", "expected"),
    # ten nodes at 1 % and 5 % an hour: 0.1 and 0.5 interruptions an hour
    [("calm-3h30", chance(0.1)), ("calm-4h", exp(-0.4)), ("stormy-3h30", chance(0.5)), ("stormy-4h", exp(-2))],
)
def test_the_chance_of_being_done_by_six(training_window, job, expected):
    found = {dict(row.labels).get("job"): row.value for row in training_window.plan.measures if row.name == "on_time_probability"}

    assert found[job] == pytest.approx(expected, abs=1e-4)
    assert found[None] == min(value for name, value in found.items() if name)


def test_four_hours_in_four_hours_are_flagged(training_window):
    warnings = [text for text in training_window.plan.warnings if "slack 0 h on spot" in text]

    assert [text.split(":")[0] for text in warnings] == ["job calm-4h", "job stormy-4h"]
    assert "the chance that none is taken away is 13.5%" in warnings[1]


def test_the_latest_safe_switch_is_a_quarter_past_two_with_slack_and_never_without(training_window):
    # 06:00 - 3.5 h of work with nothing saved - 15 min of start-up
    switch = int(datetime(2026, 12, 1, 2, 15, tzinfo=SHANGHAI).timestamp())
    found = {row.job: (row.fallback_pool, row.switch_by_s) for row in training_window.plan.placements}
    expected = {"calm-3h30": ("ondemand", switch), "stormy-3h30": ("ondemand", switch)}

    assert expected | dict.fromkeys(("calm-4h", "stormy-4h"), (None, None)) == found


def test_the_loss_of_a_whole_pool_takes_both_of_its_gangs(training_window):
    found = {dict(row.labels).get("pool"): row.value for row in training_window.plan.measures if row.name == "pool_loss_missed"}

    assert found == {None: 2.0, "calm": 2.0, "stormy": 2.0}


def test_asked_for_95_percent_only_one_gang_stays_on_spot():
    plan = planned("training-window-risk", "spot.min_on_time=0.95").plan
    markets = {row.job: row.market for row in plan.placements}

    assert {"calm-3h30": "spot"} | dict.fromkeys(JOBS[1:], "on_demand") == markets
