"""What forecasts would have made a planner buy: who orders what when, beside the least that foresight pays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from schedplan.forecast.backtest import Folds
from schedplan.forecast.carrier import EvenCarrier, ServiceCarrier
from schedplan.forecast.decision import HINDSIGHT, Decided, Provision, decide
from schedplan.forecast.options import ForecastOptions
from schedplan.forecast.pipeline import forecast_series
from schedplan.model.forecast import Series
from schedplan.model.workload import Service

HOUR = 3600
WHOLE = EvenCarrier(1.0)


def folds(mean: float = 2.0, q95: float = 4.0, horizon: int = 4) -> Folds:
    """Three origins two hours apart, from hour 10 on, of a load of 1, 2, 3, ... by the hour of the record."""
    origins = np.array([10, 12, 14])
    actual = (origins[:, None] + np.arange(horizon)).astype(float) - 9
    flat = np.full((3, horizon), mean)
    return Folds(origins * HOUR, actual, flat, flat, (0.5, 0.95), np.array([flat, np.full((3, horizon), q95)]))


def outcomes(decided: Decided) -> dict[tuple[str, float | None], tuple[float, float]]:
    return {
        (one.model, one.level): (one.outcome.paid_device_h, one.outcome.missed_intervals)
        for one in decided.decisions
        if not one.has_breaker
    }


def test_every_interval_is_ordered_once():
    decided = decide((("flat", folds()),), HOUR, Provision(WHOLE))

    # from hour 10 two at a time: 1..6 needed, 21 in all; a mean of 2 misses 3..6, a P95 of 4 misses 5 and 6
    assert [1, 2, 3, 4, 5, 6] == decided.needed.tolist()
    assert [4.0] * 6 == decided.ordered.tolist()
    assert 10 * HOUR == decided.start_s
    assert {
        (HINDSIGHT, None): (21.0, 0.0),
        ("flat", None): (12.0, pytest.approx(4 / 6)),
        ("flat", 0.5): (12.0, pytest.approx(4 / 6)),
        ("flat", 0.95): (24.0, pytest.approx(2 / 6)),
    } == outcomes(decided)


def test_orders_are_made_as_far_ahead_as_a_device_starts():
    decided = decide((("flat", folds()),), HOUR, Provision(WHOLE, startup_s=90 * 60))

    # an hour and a half: the first order is for hour 12; foresight pays for 3..8 and starts each new one 1.5 hours before it
    # serves: the mean of the next two, so half of 4+5, 5+6, ... and 8 twice at the end
    assert 12 * HOUR == decided.start_s
    assert [3, 4, 5, 6, 7, 8] == decided.needed.tolist()
    assert 4.5 + 5.5 + 6.5 + 7.5 + 8 + 8 == decided.bound.paid_device_h


def test_rarer_orders_use_fewer_origins():
    decided = decide((("flat", folds()),), HOUR, Provision(WHOLE, replan_s=4 * HOUR))

    # every four hours, the newest origin among them: 14, and 10
    assert 4 * HOUR == decided.replan_s
    assert [1, 2, 3, 4, 5, 6, 7, 8] == decided.needed.tolist()


def test_a_horizon_too_short_for_the_start_up_is_told():
    decided = decide((("flat", folds()),), HOUR, Provision(WHOLE, startup_s=3 * HOUR))

    assert () == decided.decisions
    assert "longer horizon" in decided.why_not


def test_a_load_that_nothing_carries_is_told():
    slow = Service("web", slo_ms=50.0, service_ms=100.0)

    assert "no number of devices" in decide((("flat", folds()),), HOUR, Provision(ServiceCarrier(slow, 100.0, 0.9))).why_not


def test_models_are_compared_where_they_serve_as_much():
    decided = decide((("flat", folds(mean=3.0, q95=6.0)), ("none", folds(mean=0.0, q95=0.0))), HOUR, Provision(WHOLE))
    at_95 = {one.model: one for one in decided.at_equal_slo if one.target == 0.95}

    # 95 % of the load of 21 is all of it, since each hour is more than 1: six devices, as many as twice the mean or the P95
    assert 36.0 == at_95["flat"].paid_device_h
    assert 0.95 == at_95["flat"].level
    assert (None, None, None) == (at_95["none"].paid_device_h, at_95["none"].level, at_95["none"].headroom)


def test_a_headroom_does_where_no_quantile_is_enough():
    decided = decide((("flat", folds(mean=3.0, q95=3.0)),), HOUR, Provision(WHOLE))
    (at_95, _) = decided.at_equal_slo

    # more than 5/3 of the mean is six devices
    assert None is at_95.level
    assert 2 / 3 == pytest.approx(at_95.headroom, abs=1e-3)
    assert 36.0 == at_95.paid_device_h


def test_a_breaker_answers_what_the_quantile_misses():
    decided = decide((("flat", folds(mean=1.0, q95=1.5)),), HOUR, Provision(WHOLE))
    (breaker,) = [one for one in decided.decisions if one.has_breaker]

    # of 1..6 needed, two devices serve 1 and 2; the third load above 1.5 is the 4 of the fourth hour: then 1.1 of 4 and of 5, five
    # and six devices for 5 and 6
    assert 2 + 2 + 2 + 2 + 5 + 6 == breaker.outcome.paid_device_h
    assert 2 / 6 == pytest.approx(breaker.outcome.missed_intervals)


def test_a_gap_is_neither_bought_for_nor_missed():
    seen = folds()
    gap = seen.actual.copy()
    gap[:, 0] = np.nan
    decided = decide((("flat", replace(seen, actual=gap)),), HOUR, Provision(WHOLE))

    # hours 10, 12 and 14 are unknown; 2, 4 and 6 are left
    assert 12.0 == decided.bound.paid_device_h


def test_asking_what_would_have_been_bought_changes_no_forecast():
    hours = np.arange(21 * 24)
    values = 10 - 6 * np.cos(2 * np.pi * hours / 24) + np.random.default_rng(0).normal(size=len(hours))
    series = Series("load", 0, HOUR, np.maximum(values, 0))
    plain = forecast_series(series, ForecastOptions(24))
    judged = forecast_series(series, ForecastOptions(24), Provision(WHOLE, startup_s=HOUR))

    assert plain.forecast.mean.tolist() == judged.forecast.mean.tolist()
    assert plain.forecast.quantiles.tolist() == judged.forecast.quantiles.tolist()
    assert plain.quality == judged.quality
    assert None is plain.decided
    paid = {(one.model, one.level): one.outcome for one in judged.decided.decisions if not one.has_breaker}
    own = paid[judged.forecast.model, 0.95]
    # hindsight misses nothing, and nobody who misses nothing pays less
    assert 0.0 == judged.decided.bound.missed_intervals
    assert all(judged.decided.bound.paid_device_h <= each.paid_device_h for each in paid.values() if each.missed_intervals == 0)
    # more is bought and less is missed at a higher quantile
    assert paid[judged.forecast.model, 0.5].paid_device_h < own.paid_device_h < paid[judged.forecast.model, 0.995].paid_device_h
    assert paid[judged.forecast.model, 0.5].missed_intervals > own.missed_intervals
