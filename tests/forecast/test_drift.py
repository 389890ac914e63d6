"""When a forecast no longer fits what comes: drift, refit and breaker, each with its arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.forecast.drift import drift_of, most_by_chance, observed, refit_reason
from schedplan.model.forecast import Forecast, Series

HOUR, DAY = 3600, 86_400
NAN = np.nan


def forecast(hours: int = 48, mean: float = 10.0, expected_mae: float | None = 1.0) -> Forecast:
    """Return a flat forecast with a standard error of 1: the P95 lies 1.645 above the mean."""
    flat = np.full(hours, mean)
    quantiles = np.array([flat, flat + 1.6448536269514722])
    return Forecast("web", "m", 0, HOUR, flat, (0.5, 0.95), quantiles, ((95, flat - 2, flat + 2),), expected_mae=expected_mae)


def load(*values: float, start_s: int = 0) -> Series:
    return Series("web", start_s, HOUR, np.array(values, dtype=float))


def test_a_load_as_expected_does_not_drift():
    values = 10 + np.random.default_rng(0).normal(size=48)
    drift = drift_of(forecast(), load(*values))

    assert 48 == drift.points
    assert () == drift.alarms
    assert not drift.breaker_open
    # the mean error of a normal distribution is 0.8 of its deviation
    assert 0.8 == pytest.approx(drift.mae_ratio, abs=0.15)


def test_the_error_of_the_newest_week_is_held_against_the_backtest():
    # nine days: two exact ones, then a week that is 2 off, twice the backtest's 1
    values = [10.0] * 48 + [8.0] * 168
    drift = drift_of(forecast(216), load(*values))

    assert 2.0 == drift.mae_ratio
    assert "2.00 times that of the backtest" in drift.alarms[0]
    assert None is drift_of(forecast(216, expected_mae=None), load(*values)).mae_ratio


def test_exceeding_the_p95_more_than_by_chance_is_an_alarm():
    # of 20 points one lies above in the mean; P(X <= 3) = 0.984 and P(X <= 4) = 0.997, so four are still chance and five are not
    assert 4 == most_by_chance(20)
    four, five = ([10.0] * (20 - above) + [12.0, 9.0] * above for above in (4, 5))
    assert not any("exceeded" in alarm for alarm in drift_of(forecast(), load(*four[:24])).alarms)
    assert any("exceeded 5 times" in alarm for alarm in drift_of(forecast(), load(*five[:25])).alarms)


def test_small_errors_that_never_change_sign_add_up():
    # one standard error too low each day: 1 - 0.25 a day, above 3 on the fifth
    drift = drift_of(forecast(120), load(*[9.0] * 120))

    assert 3.75 == pytest.approx(drift.cusum)
    assert any("add up" in alarm for alarm in drift.alarms)
    assert 3.0 == pytest.approx(drift_of(forecast(120), load(*[9.0] * 96)).cusum)


def test_a_forecaster_is_fitted_anew_when_it_drifts_or_is_a_week_old():
    fine = drift_of(forecast(), load(*[10.0] * 24))
    drifted = drift_of(forecast(), load(*[20.0] * 24))

    assert None is refit_reason(fine, 6 * DAY)
    assert "7 days old" in refit_reason(fine, 7 * DAY)
    assert "times that of the backtest" in refit_reason(drifted, DAY)


def test_what_came_is_found_whatever_the_load_begins_and_ends():
    assert [3.0, 4.0, NAN, NAN] == pytest.approx(observed(forecast(4), load(1, 2, 3, 4, start_s=-2 * HOUR)).tolist(), nan_ok=True)
    assert [NAN, 1.0, 2.0, 3.0] == pytest.approx(observed(forecast(4), load(1, 2, 3, 4, start_s=HOUR)).tolist(), nan_ok=True)
    with pytest.raises(ValueError, match="grid"):
        observed(forecast(4), load(1, 2, start_s=60))


def test_without_anything_that_came_there_is_no_drift():
    drift = drift_of(forecast(4), load(1, 2, start_s=-2 * HOUR))

    assert (0, None, None, None, ()) == (drift.points, drift.mae_ratio, drift.exceedance_95, drift.cusum, drift.alarms)
    assert not drift.breaker_open
