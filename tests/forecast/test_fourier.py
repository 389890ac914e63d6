"""An ARMA around sines and cosines: the waves that made a series, and forecasts that look at nothing after their origin."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.tsa.statespace.sarimax import SARIMAX

from schedplan.forecast.forecaster import NotFitted
from schedplan.forecast.fourier import FittedFourier, Fourier, frequencies
from schedplan.model.forecast import Series

DAY, WEEK = 24, 168


def _load(n_days: int, noise: float = 0.3, seed: int = 3) -> np.ndarray:
    """Return a day's wave, a week's wave and an AR(1) with 0.7."""
    hours = np.arange(n_days * DAY)
    rest = noise * np.random.default_rng(seed).normal(size=len(hours))
    for step in range(1, len(rest)):
        rest[step] += 0.7 * rest[step - 1]
    return np.asarray(np.sin(2 * np.pi * hours / DAY) + 0.5 * np.cos(2 * np.pi * hours / WEEK) + rest)


def _series(values: np.ndarray) -> Series:
    return Series("s", 0, 3600, values)


def test_waves_are_each_once_and_none_too_fast():
    # of a season of 6: cycles per step 1/6 and 2/6; a week of 42 adds 12 waves, of which the 7th is the first of the day
    assert frequencies((6,)) == pytest.approx([1 / 6, 2 / 6])
    assert len(frequencies((6, 42))) == 2 + 12 - 1


def test_it_finds_the_waves_that_made_the_series():
    fitted = Fourier((DAY, WEEK)).fit(_series(_load(56)))
    assert isinstance(fitted, FittedFourier)
    n = len(fitted.waves)
    day = fitted.waves.index(pytest.approx(1 / DAY))

    # an AR(1) of 0.3 with 0.7 has a spectrum of (0.3 / 0.3)^2 at slow waves: errors of sqrt(2 / 1344) = 0.04 per coefficient
    assert fitted.coefficients[1 + day] == pytest.approx(1.0, abs=0.12)
    assert fitted.coefficients[1 + n + fitted.waves.index(pytest.approx(1 / WEEK))] == pytest.approx(0.5, abs=0.12)
    assert fitted.parameters[0] == pytest.approx(0.7, abs=0.1)


def test_forecasts_are_those_of_statsmodels_at_the_same_parameters():
    # 0.7^1344 of what the two assume before the first value is nothing
    values = _load(56)
    fitted = Fourier((DAY,)).fit(_series(values))
    assert isinstance(fitted, FittedFourier)
    steps = np.arange(len(values) + 48)
    angles = 2 * np.pi * np.outer(steps, fitted.waves)
    columns = np.column_stack((np.ones(len(steps)), np.sin(angles), np.cos(angles)))
    model = SARIMAX(values, exog=columns[:-48], order=(1, 0, 1), concentrate_scale=True)
    reference = model.filter(np.concatenate((fitted.coefficients, fitted.parameters))).forecast(48, exog=columns[-48:])

    assert fitted.forecast(48, (0.5,)).mean == pytest.approx(reference, rel=1e-6, abs=1e-9)


def test_it_does_not_look_past_its_origin():
    values = _load(28)
    other = values.copy()
    other[500:] = 99.0
    fitted = Fourier((DAY,)).fit(_series(values[:480]))
    origins = np.array([490, 500])

    assert fitted.roll(_series(values), origins, 30).mean.tolist() == fitted.roll(_series(other), origins, 30).mean.tolist()


def test_a_season_of_five_minutes_is_no_longer_than_another():
    values = np.repeat(_load(21), 12)

    assert np.isfinite(Fourier((288, 2016)).fit(_series(values)).forecast(288, (0.5,)).mean).all()


def test_a_history_of_two_seasons_is_refused():
    with pytest.raises(NotFitted, match="needs 3 seasons of 24 steps, there are 71"):
        Fourier((DAY,)).fit(_series(_load(3)[:71]))
