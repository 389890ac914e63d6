"""ETS and the theta method: the forecasts of statsmodels, from every origin, and nothing seen after it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from statsmodels.tsa.exponential_smoothing.ets import ETSModel
from statsmodels.tsa.forecasting.theta import ThetaModel

from schedplan.forecast.ets import Ets, FittedEts
from schedplan.forecast.forecaster import NotFitted
from schedplan.forecast.theta import Theta
from schedplan.model.forecast import Series

DAY = 24


def _load(n: int) -> np.ndarray:
    rng = np.random.default_rng(5)
    steps = np.arange(n)
    return np.asarray(np.sin(2 * np.pi * steps / DAY) + 0.001 * steps + np.cumsum(rng.normal(0, 0.05, n)))


def _series(values: np.ndarray) -> Series:
    return Series("load", 0, 3600, values)


def test_ets_forecasts_are_those_of_statsmodels_at_the_same_parameters() -> None:
    values = _load(10 * DAY + 5)
    found = Ets(DAY).fit(_series(values))
    fitted = replace(found, alpha=0.3, gamma=0.1)
    theirs = ETSModel(
        values,
        error="add",
        seasonal="add",
        seasonal_periods=DAY,
        initialization_method="known",
        initial_level=values[:DAY].mean(),
        initial_seasonal=fitted.departures,
    )
    at_these = theirs.smooth(np.array([fitted.alpha, fitted.gamma]))

    assert 0 < found.alpha <= 1
    assert 0 <= found.gamma <= 1
    assert fitted.forecast(30, (0.5,)).mean == pytest.approx(at_these.forecast(30), rel=1e-6)


@pytest.mark.parametrize("n", [10 * DAY + 5, 30 * DAY + 7])
def test_theta_forecasts_are_those_of_statsmodels(n: int) -> None:
    # statsmodels is given what is fitted on: the newest 28 days
    values = _load(n)
    theirs = ThetaModel(values[-28 * DAY :], period=DAY, deseasonalize=True, use_test=False, method="additive").fit()

    assert Theta(DAY).fit(_series(values)).forecast(30, (0.5,)).mean == pytest.approx(theirs.forecast(30), rel=1e-5)


@pytest.mark.parametrize("forecaster", [Ets(DAY), Theta(DAY)], ids=["ets", "theta"])
def test_rolling_does_not_look_past_its_origin(forecaster: Ets | Theta) -> None:
    values = _load(12 * DAY)
    changed = values.copy()
    changed[8 * DAY :] += 100.0
    fitted = forecaster.fit(_series(values[: 6 * DAY]))
    origins = np.array([7 * DAY + 3, 8 * DAY])

    before, after = (fitted.roll(_series(each), origins, DAY).mean for each in (values, changed))

    assert np.isfinite(before).all()
    assert before.tolist() == after.tolist()


def test_errors_of_ets_grow_with_the_level_and_once_a_season_with_the_season() -> None:
    # alpha 0.5, gamma 0.1, season 2: h = 1: 1; h = 2: 1 + 0.25; h = 3: 1 + 2 x 0.25 + 0.1 x 1 x (1 + 0.1) = 1.61
    error = FittedEts(_series(np.zeros(4)), np.zeros(2), 0.5, 0.1, 1.0).standard_error(3)

    assert error**2 == pytest.approx([1.0, 1.25, 1.61])


@pytest.mark.parametrize("forecaster", [Ets(DAY), Theta(DAY)], ids=["ets", "theta"])
def test_less_than_three_seasons_are_refused(forecaster: Ets | Theta) -> None:
    with pytest.raises(NotFitted, match="needs 3 seasons of 24 steps, there are 71"):
        forecaster.fit(_series(_load(71)))
