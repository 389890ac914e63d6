"""Where a load moved to another level."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.forecast.level_shift import level_shift
from schedplan.forecast.options import ForecastOptions
from schedplan.forecast.pipeline import forecast_series
from schedplan.model.forecast import Series


def load(*levels: tuple[int, float], seed: int = 0) -> np.ndarray:
    """Return days of hourly load with a noise of a twentieth: pairs of (days, level)."""
    level = np.concatenate([np.full(days * 24, height) for days, height in levels])
    wave = 1 - 0.5 * np.cos(2 * np.pi * np.arange(len(level)) / 24)
    return np.asarray(level * wave * (1 + 0.05 * np.random.default_rng(seed).normal(size=len(level))))


def test_a_shift_is_found_on_its_day():
    shift = level_shift(load((14, 50.0), (7, 130.0)), 24)

    assert 14 * 24 == shift.step
    assert (50.0, 130.0) == pytest.approx((shift.before, shift.after), rel=0.05)


def test_a_fall_is_a_shift_too():
    assert 10 * 24 == level_shift(load((10, 100.0), (10, 40.0)), 24).step


@pytest.mark.parametrize(
    "values",
    [
        load((28, 50.0)),
        # a weekend is lower and over; growth of 1 % a day never jumps; a quarter is the least that counts
        np.concatenate([load((5, 100.0), (2, 50.0), seed=week) for week in range(4)]),
        load(*[(1, 100.0 * 1.01**day) for day in range(28)]),
        load((14, 100.0), (14, 115.0)),
        load((3, 50.0), (20, 130.0)),
        load((2, 50.0)),
    ],
    ids=["none", "weekends", "growth", "small", "too early", "too short"],
)
def test_what_is_no_shift(values: np.ndarray):
    assert None is level_shift(values, 24)


def test_gaps_are_no_shift():
    values = load((20, 50.0))
    values[100:150] = np.nan

    assert None is level_shift(values, 24)


def test_the_verdict_names_it_and_the_bands_narrow_again():
    values = load((28, 50.0), (14, 150.0))
    result = forecast_series(Series("web", 0, 3600, values), ForecastOptions(24))

    assert "level shift at 1970-01-29" in result.quality.verdict
    assert "from 50" in result.quality.verdict
    # two weeks later the mean has followed, within a tenth
    assert values[-24:] == pytest.approx(result.forecast.mean, rel=0.25)
    assert np.mean(result.forecast.mean) == pytest.approx(150.0, rel=0.1)
