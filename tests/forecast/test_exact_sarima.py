"""SARIMA against statsmodels' own forecast at the same parameters, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.tsa.statespace.sarimax import SARIMAX

from schedplan.forecast.exact_sarima import ExactSarima, FittedExactSarima
from schedplan.forecast.forecaster import NotFitted
from schedplan.model.forecast import Series

SEASON = 12


def _series(values: np.ndarray) -> Series:
    return Series("s", 0, 3600, values)


def _seasonal(n_seasons: int, seed: int = 5) -> np.ndarray:
    generator = np.random.default_rng(seed)
    values = np.tile(np.sin(2 * np.pi * np.arange(SEASON) / SEASON), n_seasons) + generator.normal(0.0, 0.2, SEASON * n_seasons)
    return np.asarray((values - values.mean()) / values.std())


def _statsmodels_forecast(values: np.ndarray, parameters: np.ndarray, horizon: int) -> np.ndarray:
    model = SARIMAX(values, order=(1, 0, 1), seasonal_order=(0, 1, 1, SEASON), concentrate_scale=True)
    return np.asarray(model.filter(parameters).forecast(horizon))


def test_forecast_and_error_growth_are_those_of_statsmodels() -> None:
    # the standard error is sigma times the root of the summed squared psi weights; statsmodels' ratios are the same but for
    # what it still does not know of its start, under 2 %
    values = _seasonal(20)
    fitted = ExactSarima(SEASON).fit(_series(values))
    assert isinstance(fitted, FittedExactSarima)
    outlook = fitted.forecast(2 * SEASON, (0.5,))
    model = SARIMAX(values, order=(1, 0, 1), seasonal_order=(0, 1, 1, SEASON), concentrate_scale=True)
    reference = model.filter(fitted.parameters).get_forecast(2 * SEASON)

    assert outlook.mean == pytest.approx(reference.predicted_mean, rel=1e-9, abs=1e-9)
    assert outlook.se / outlook.se[0] == pytest.approx(reference.se_mean / reference.se_mean[0], rel=0.02)
    assert outlook.quantiles[0] == pytest.approx(outlook.mean)


def test_rolling_from_an_origin_is_forecasting_a_history_that_ends_there() -> None:
    values = _seasonal(20)
    fitted = ExactSarima(SEASON).fit(_series(values[: 10 * SEASON]))
    assert isinstance(fitted, FittedExactSarima)
    rolled = fitted.roll(_series(values), np.array([150, 201]), 8)

    assert rolled.mean[0] == pytest.approx(_statsmodels_forecast(values[:150], fitted.parameters, 8), rel=1e-9, abs=1e-9)
    assert rolled.mean[1] == pytest.approx(_statsmodels_forecast(values[:201], fitted.parameters, 8), rel=1e-9, abs=1e-9)


def test_rolling_does_not_look_past_its_origin() -> None:
    values = _seasonal(20)
    other = values.copy()
    other[150:] = 99.0
    fitted = ExactSarima(SEASON).fit(_series(values[: 10 * SEASON]))
    origins = np.array([130, 150])

    assert fitted.roll(_series(values), origins, 8).mean.tolist() == fitted.roll(_series(other), origins, 8).mean.tolist()


@pytest.mark.parametrize(
    ("season", "n_steps", "words"),
    [
        (61, 61 * 5, "a season of 61 steps is more than the 60"),
        (12, 47, "needs 4 seasons of 12 steps, there are 47 to fit on"),
        (12, 48, "repeats exactly"),
    ],
)
def test_what_it_refuses_it_says(season: int, n_steps: int, words: str) -> None:
    values = np.resize(np.arange(season, dtype=np.float64), n_steps)
    with pytest.raises(NotFitted, match=words):
        ExactSarima(season).fit(_series(values))


def test_infinity_reaches_the_fallback_as_a_refusal() -> None:
    values = _seasonal(20)
    values[100] = np.inf
    with pytest.raises(NotFitted):
        ExactSarima(SEASON).fit(_series(values))
