from math import exp, expm1

import pytest

from schedplan.measures.spot import expected_run_h, gang_rate, on_time_probability_floor, rework_h, survival_probability
from schedplan.model.cluster import Market, Pool


def test_restart_from_zero_takes_the_closed_form():
    # E[T] = (e^(0.1 x 4) - 1)/0.1 = 4.918 h
    found = expected_run_h(4, 0.1, None, 0, 0)

    assert (exp(0.4) - 1) / 0.1 == pytest.approx(found)


def test_checkpoints_repeat_only_the_interval():
    # M = 10, tau = 0.5, C = 0.1, R = 0.2: M e^(R/M) (e^((tau + C)/M) - 1) W/tau
    found = expected_run_h(4, 0.1, 0.5, 0.1, 0.2)

    assert 10 * exp(0.02) * expm1(0.06) * 8 == pytest.approx(found)


def test_a_checkpoint_interval_beyond_the_work_never_writes_one():
    found = expected_run_h(4, 0.1, 4, 1.0, 0)

    assert expected_run_h(4, 0.1, None, 0, 0) == found


def test_nothing_is_repeated_where_nothing_interrupts():
    assert rework_h(4, 0.0, 0.5, 0.1, 0.2) == 0.0
    assert rework_h(4, 0.1, 0.5, 0, 0) == pytest.approx(10 * expm1(0.05) * 8 - 4)


def test_a_hopeless_run_has_a_finite_time():
    # 1,000 nodes for 100 h at 1 %/h: e^1000 has no float; the exponent is cut at 40.
    found = expected_run_h(100, 10.0, None, 0, 0)

    assert expm1(40) / 10 == pytest.approx(found)


def test_a_gang_is_interrupted_when_any_of_its_nodes_goes():
    spot = Pool("spot", market=Market.SPOT, interruptions_per_hour=0.01)
    owned = Pool("owned", market=Market.OWNED, interruptions_per_hour=0.01)

    assert gang_rate(spot, 10) == pytest.approx(0.1)
    assert gang_rate(owned, 10) == 0.0


def test_ten_nodes_survive_four_hours_at_five_percent_with_13_5_percent():
    # e^(-0.05 x 40)
    assert survival_probability(4, 0.5) == pytest.approx(0.1353, abs=1e-4)


def test_without_slack_only_an_untouched_run_is_on_time():
    assert on_time_probability_floor(4, 0, 0.1, 0.5, 0, 0) == pytest.approx(exp(-0.4))


def test_slack_bears_as_many_interruptions_as_fit():
    # 3.5 h in 4 h: each loses at most a checkpoint interval of 0.5 h, so one fits; N over the window is Poisson(0.1 x 4).
    found = on_time_probability_floor(3.5, 0.5, 0.1, 0.5, 0, 0)

    assert exp(-0.4) * (1 + 0.4) == pytest.approx(found)


def test_slack_too_short_for_one_interruption_is_no_slack():
    # A restart of 6 min on top of the 30 min does not fit into 30 min.
    found = on_time_probability_floor(3.5, 0.5, 0.1, 0.5, 0, 0.1)

    assert exp(-0.35) == pytest.approx(found)


def test_checkpoints_eat_slack_before_interruptions_do():
    # 7 checkpoints of 3 min = 0.35 h of the 0.5 h; an interruption costs 0.55 h, so none fits: no interruption in 3.85 h.
    found = on_time_probability_floor(3.5, 0.5, 0.1, 0.5, 0.05, 0)

    assert exp(-0.385) == pytest.approx(found)
