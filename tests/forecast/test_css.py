"""Least conditional sum of squares: the parameters that made a series, and forecasts that statsmodels' filter agrees with."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from statsmodels.tsa.statespace.sarimax import SARIMAX

from schedplan.forecast.css import errors_of, first_guesses, fit_css
from schedplan.forecast.css_sarima import CssSarima
from schedplan.forecast.forecaster import NotFitted
from schedplan.forecast.orders import Orders, Seasonal, airline, ar_coefficients
from schedplan.forecast.rolling import roll_forward
from schedplan.model.forecast import Series

SEASON = 12
MEMBERS = (
    airline(SEASON),
    Orders(2, 0, 1, (Seasonal(SEASON, 1, 0, 1),)),
    Orders(2, 1, 1),
    Orders(2, 0, 1, (Seasonal(4, 1, 0, 1), Seasonal(SEASON, 0, 1, 1))),
    Orders(2, 0, 1, (Seasonal(4, 0, 1, 1), Seasonal(SEASON, 1, 0, 1))),
)


def _series(values: np.ndarray) -> Series:
    return Series("s", 0, 3600, values)


def _seasonal(n_seasons: int, seed: int = 5) -> np.ndarray:
    generator = np.random.default_rng(seed)
    values = np.tile(np.sin(2 * np.pi * np.arange(SEASON) / SEASON), n_seasons) + generator.normal(0.0, 0.2, SEASON * n_seasons)
    return np.asarray((values - values.mean()) / values.std())


def test_it_finds_the_parameters_that_made_the_series() -> None:
    # (1 - 0.7 B)(1 - B^12) y = (1 - 0.6 B^12) e over 200 seasons; standard errors about (1 - 0.6^2)^0.5 / 49 = 0.017
    errors = np.random.default_rng(11).normal(0.0, 1.0, 200 * SEASON)
    change = np.zeros_like(errors)
    for step in range(len(errors)):
        before = change[step - 1] if step else 0.0
        change[step] = 0.7 * before + errors[step] - (0.6 * errors[step - SEASON] if step >= SEASON else 0.0)
    values = np.zeros_like(errors)
    for step in range(len(errors)):
        values[step] = change[step] + (values[step - SEASON] if step >= SEASON else 0.0)

    assert fit_css(values / np.std(values), airline(SEASON)) == pytest.approx([0.7, 0.0, -0.6], abs=0.06)


@pytest.mark.parametrize("orders", MEMBERS, ids=lambda orders: orders.name)
def test_it_is_as_good_as_a_general_optimiser(orders: Orders) -> None:
    # valleys are flat where AR and MA terms nearly cancel: 2 % of the sum of squares is 1 % of the error
    values = _seasonal(30)

    def sum_of_squares(parameters: np.ndarray) -> float:
        return float(np.sum(errors_of(values, orders, parameters)[orders.burn_in :] ** 2))

    reference = min(
        minimize(sum_of_squares, start, method="L-BFGS-B", bounds=[(-0.98, 0.98)] * len(start)).fun
        for start in first_guesses(orders)
    )

    assert sum_of_squares(fit_css(values, orders)) < 1.02 * reference


def test_a_warm_start_ends_where_a_cold_one_does() -> None:
    values = _seasonal(30)
    cold = fit_css(values, airline(SEASON))

    assert fit_css(values, airline(SEASON), cold) == pytest.approx(cold, abs=0.01)


@pytest.mark.parametrize(
    ("orders", "order", "seasonal_order"),
    [
        (airline(SEASON), (1, 0, 1), (0, 1, 1, SEASON)),
        (Orders(2, 0, 1, (Seasonal(SEASON, 1, 0, 1),)), (2, 0, 1), (1, 0, 1, SEASON)),
        (Orders(2, 1, 1), (2, 1, 1), (0, 0, 0, 0)),
    ],
    ids=lambda each: getattr(each, "name", None),
)
def test_forecasts_are_those_of_statsmodels_at_the_same_parameters(
    orders: Orders, order: tuple[int, ...], seasonal_order: tuple[int, ...]
) -> None:
    # what the two assume before the first value is forgotten at 0.6^60 = 5e-14 after 60 seasons
    values = _seasonal(60)
    parameters = np.array([0.5, 0.2, 0.3, 0.8, -0.6][: orders.n_parameters])
    if orders == airline(SEASON):
        parameters = np.array([0.5, 0.3, -0.6])
    model = SARIMAX(values, order=order, seasonal_order=seasonal_order, trend="n", concentrate_scale=True)
    theirs = np.concatenate((ar_coefficients(parameters[: orders.ar]), parameters[orders.ar :]))
    reference = model.filter(theirs).forecast(2 * SEASON)
    errors = errors_of(values, orders, parameters)
    origins = np.array([len(values)])
    ours = roll_forward(values, errors, orders.left(parameters), orders.right(parameters), origins, 2 * SEASON)[0]

    assert ours == pytest.approx(reference, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("orders", MEMBERS, ids=lambda orders: orders.name)
def test_rolling_from_an_origin_is_forecasting_a_history_that_ends_there(orders: Orders) -> None:
    values = _seasonal(20)
    other = values.copy()
    other[150:] = 99.0
    fitted = CssSarima("s", orders, 10 * SEASON).fit(_series(values[: 10 * SEASON]))
    origins = np.array([2, 150, 140])
    rolled, ended, changed = (fitted.roll(_series(each), origins, 30).mean for each in (values, values[:150], other))

    assert rolled[1:].tolist() == ended[1:].tolist() == changed[1:].tolist()
    assert np.isnan(rolled[0]).all()


def test_errors_ahead_grow_with_the_response_to_a_shock() -> None:
    # (1,0,1)(0,1,1)12 with phi 0.5, theta 0: a shock leaves 1, 0.5, 0.25, so sigma^2 times 1, 1.25, 1.3125
    fitted = CssSarima("s", airline(SEASON), 240).fit(_series(_seasonal(20)))
    plain = type(fitted)(fitted.series, fitted.orders, np.array([0.5, 0.0, -0.6]), 2.0)

    assert plain.standard_error(3) == pytest.approx(2.0 * np.sqrt([1.0, 1.25, 1.3125]))


def test_a_history_too_short_for_its_terms_is_refused() -> None:
    with pytest.raises(NotFitted, match="needs 36 steps, there are 35"):
        CssSarima("s", airline(SEASON), 240).fit(_series(_seasonal(3)[:35]))
