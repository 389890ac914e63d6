from math import exp, expm1

import pytest

from schedplan.measures.spot import expected_run_h, gang_rate, rework_h, survival_probability, young_daly_h
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


def test_the_best_interval_balances_writing_and_losing():
    # C = 0.1 h, M = 10 h: Young sqrt(2 x 0.1 x 10) = 1.414; Daly x (1 + sqrt(0.005)/3 + 0.005/9) - 0.1 = 1.348
    best = young_daly_h(0.1, 0.1)
    others = [expected_run_h(100, 0.1, interval, 0.1, 0) for interval in (best * 0.9, best * 1.1)]

    assert best == pytest.approx(1.348, abs=1e-3)
    assert expected_run_h(100, 0.1, best, 0.1, 0) < min(others)


def test_checkpoints_that_cost_as_much_as_the_mean_time_between_two_losses_are_written_that_seldom():
    # C = 3 h, M = 1 h: x = 1.5
    assert young_daly_h(1.0, 3.0) == 1.0


@pytest.mark.parametrize(("rate", "cost"), [(0.0, 0.1), (0.1, 0.0)])
def test_without_losses_or_costs_no_interval_is_best(rate, cost):
    assert young_daly_h(rate, cost) is None
