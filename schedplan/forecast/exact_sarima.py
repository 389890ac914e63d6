"""SARIMA (1,0,1)(0,1,1)m by exact maximum likelihood, by statsmodels' state space.

Parameters come from the likelihood of the seasonal differences, started at those of least squares; one Kalman pass over the
whole history then gives the state before every value, and with it the forecast from every origin.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast.css import fit_css
from schedplan.forecast.forecaster import Fitted, NotFitted, Outlook, Rolled, from_the_end, refuse_short
from schedplan.forecast.orders import LARGEST_ROOT, PARAMETER_DIGITS, airline
from schedplan.forecast.rolling import error_growth
from schedplan.model.forecast import Series

NAME = "sarima"
LONGEST_SEASON = 60
LEAST_SEASONS = 4
FITTED_SEASONS = 28
BURN_IN_SEASONS = 2


@dataclass(frozen=True, slots=True)
class ExactSarima:
    """(1,0,1)(0,1,1) with season m: an ARMA around the last season, smoothed over seasons."""

    season: int
    name: str = NAME

    def fit(self, series: Series) -> Fitted:
        self._refuse(series)
        recent = series.values[-FITTED_SEASONS * self.season :]
        with warnings.catch_warnings(record=True) as raised, np.errstate(all="ignore"):
            warnings.simplefilter("always")
            try:
                parameters = _likeliest(recent, self.season)
                passed = _kalman_pass(series.values, parameters, self.season)
            except (np.linalg.LinAlgError, ValueError, IndexError, ArithmeticError) as problem:
                raise NotFitted(f"SARIMA could not be fitted ({type(problem).__name__}: {problem})") from None
        caught = tuple(dict.fromkeys(f"SARIMA: {_words(warning)}" for warning in raised))
        sigma = float(np.sqrt(np.mean(passed.errors[BURN_IN_SEASONS * self.season :] ** 2)))
        if not (np.isfinite(parameters).all() and np.isfinite(passed.states).all() and np.isfinite(sigma)):
            raise NotFitted("SARIMA gave no finite forecast")
        return FittedExactSarima(series, self.season, parameters, sigma, caught)

    def _refuse(self, series: Series) -> None:
        if self.season > LONGEST_SEASON:
            raise NotFitted(
                f"SARIMA was not tried: a season of {self.season} steps is more than the {LONGEST_SEASON} whose exact likelihood"
                f" can be had in reasonable time; the engines css and fourier know no such bound"
            )
        refuse_short("SARIMA", len(series.values), LEAST_SEASONS, self.season)
        change = series.values[self.season :] - series.values[: -self.season]
        if not np.ptp(change) > 1e-9:
            raise NotFitted("SARIMA was not tried: the last season repeats exactly")


@dataclass(frozen=True, slots=True)
class FittedExactSarima:
    """parameters: phi, theta, Theta; sigma: deviation of the one-step error in the history fitted on."""

    series: Series
    season: int
    parameters: NDArray[np.float64]
    sigma: float
    notes: tuple[str, ...] = ()

    def forecast(self, horizon: int, quantiles: tuple[float, ...]) -> Outlook:
        return from_the_end(self, self.series, horizon, quantiles)

    def roll(self, series: Series, origins: NDArray[np.int64], horizon: int) -> Rolled:
        passed = _kalman_pass(series.values, self.parameters, self.season)
        state = passed.states[:, origins]
        means = np.empty((len(origins), horizon))
        for step in range(horizon):
            means[:, step] = passed.design @ state
            state = passed.transition @ state
        orders = airline(self.season)
        left, right = orders.left(self.parameters), orders.right(self.parameters)
        return Rolled(means, error_growth(left, right, self.sigma, horizon))


@dataclass(frozen=True, slots=True)
class _KalmanPass:
    """errors: float64 [n], one step ahead; states: float64 [k, n + 1], column t the state expected from the values before t."""

    errors: NDArray[np.float64]
    states: NDArray[np.float64]
    design: NDArray[np.float64]
    transition: NDArray[np.float64]


def _likeliest(values: NDArray[np.float64], season: int) -> NDArray[np.float64]:
    model = _statsmodels_model(values, season, simple_differencing=True)
    found = model.fit(
        start_params=fit_css(values, airline(season)),
        maxiter=_most_steps(season),
        method="lbfgs",
        disp=0,
        return_params=True,
    )
    return np.clip(np.round(np.asarray(found, dtype=np.float64), PARAMETER_DIGITS), -LARGEST_ROOT, LARGEST_ROOT)


def _kalman_pass(values: NDArray[np.float64], parameters: NDArray[np.float64], season: int) -> _KalmanPass:
    model = _statsmodels_model(values, season, simple_differencing=False)
    model.update(parameters)
    filtered = model.ssm.filter()
    return _KalmanPass(
        errors=np.asarray(filtered.forecasts_error[0]),
        states=np.asarray(filtered.predicted_state),
        design=np.asarray(model.ssm["design"][0]),
        transition=np.asarray(model.ssm["transition"]),
    )


def _statsmodels_model(values: NDArray[np.float64], season: int, simple_differencing: bool) -> Any:
    from statsmodels.tsa.statespace.sarimax import SARIMAX

    return SARIMAX(
        values,
        order=(1, 0, 1),
        seasonal_order=(0, 1, 1, season),
        concentrate_scale=True,
        simple_differencing=simple_differencing,
    )


def _most_steps(season: int) -> int:
    """Return how many optimiser steps refine the least-squares start; one step of a season of 48 costs 0.3 s of CPU."""
    return 15 if season <= 24 else 5


def _words(warning: warnings.WarningMessage) -> str:
    if warning.category.__name__ == "ConvergenceWarning":
        return "the likelihood was still rising at the last step allowed; the parameters are those reached"
    return str(warning.message).strip().splitlines()[0]
