"""An ARMA around sines and cosines of one season or several: for seasons too long for the exact likelihood of a SARIMA.

y = c + sum over seasons m, k of a sin(2 pi k t / m) + b cos(2 pi k t / m) + u, u an ARMA(1,1). Estimated by statsmodels' feasible
generalised least squares with the method of Hannan and Rissanen, 1982, https://doi.org/10.1093/biomet/69.1.81; forecast by the same
recursion as every other SARIMA here. Unlike those its season is the same for ever, so it is fitted on recent values alone.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast.css import errors_of, fit_css
from schedplan.forecast.forecaster import Fitted, NotFitted, Outlook, Rolled, from_the_end, refuse_short
from schedplan.forecast.orders import LARGEST_ROOT, PARAMETER_DIGITS, Orders
from schedplan.forecast.rolling import error_growth, roll_forward
from schedplan.model.forecast import Series

NAME = "fourier"
LEAST_SEASONS = 3
FITTED_SEASONS = 28
FITTED_LONG_SEASONS = 4
MOST_WAVES = (8, 12)
"""Waves of the first season and of a longer one: the shortest waves are three hours of a day and 14 hours of a week; our choice."""
REMAINDER = Orders(1, 0, 1)


@dataclass(frozen=True, slots=True)
class Fourier:
    """Waves of one or two `seasons`, increasing, around an ARMA(1,1)."""

    seasons: tuple[int, ...]
    name: str = NAME

    def fit(self, series: Series) -> Fitted:
        n, season = len(series.values), self.seasons[0]
        refuse_short(self.name, n, LEAST_SEASONS, season)
        seasons = tuple(each for each in self.seasons if n >= LEAST_SEASONS * each)
        recent = max(FITTED_SEASONS * season, FITTED_LONG_SEASONS * seasons[-1])
        begin = max(n - recent, 0)
        waves = frequencies(seasons)
        known = series.values[begin:]
        columns = _columns(waves, np.arange(begin, n))
        coefficients, parameters, notes = _estimated(known, columns)
        rest = known - columns @ coefficients
        sigma = float(np.sqrt(np.mean(errors_of(rest, REMAINDER, parameters)[REMAINDER.burn_in :] ** 2)))
        if not (np.isfinite(coefficients).all() and np.isfinite(parameters).all() and np.isfinite(sigma)):
            raise NotFitted(f"{self.name} gave no finite forecast")
        return FittedFourier(series, waves, coefficients, parameters, sigma, notes)


@dataclass(frozen=True, slots=True)
class FittedFourier:
    """waves: cycles per step; coefficients: of 1 and of sine and cosine of each wave; parameters: phi and theta of the ARMA."""

    series: Series
    waves: tuple[float, ...]
    coefficients: NDArray[np.float64]
    parameters: NDArray[np.float64]
    sigma: float
    notes: tuple[str, ...] = ()

    def forecast(self, horizon: int, quantiles: tuple[float, ...]) -> Outlook:
        return from_the_end(self, self.series, horizon, quantiles)

    def roll(self, series: Series, origins: NDArray[np.int64], horizon: int) -> Rolled:
        n = len(series.values)
        season = _columns(self.waves, np.arange(n + horizon)) @ self.coefficients
        rest = series.values - season[:n]
        left, right = REMAINDER.left(self.parameters), REMAINDER.right(self.parameters)
        carried = roll_forward(rest, errors_of(rest, REMAINDER, self.parameters), left, right, origins, horizon)
        ahead = season[origins[:, None] + np.arange(horizon)]
        return Rolled(ahead + carried, error_growth(left, right, self.sigma, horizon))


def frequencies(seasons: tuple[int, ...]) -> tuple[float, ...]:
    """Return the waves of the seasons in cycles per step, each once, none faster than half a cycle per step."""
    found: dict[float, None] = {}
    for index, season in enumerate(seasons):
        most = min(MOST_WAVES[min(index, 1)], (season - 1) // 2)
        found.update(dict.fromkeys(round(wave / season, 12) for wave in range(1, most + 1)))
    return tuple(sorted(found))


def _columns(waves: tuple[float, ...], steps: NDArray[np.int64]) -> NDArray[np.float64]:
    angles = 2 * np.pi * np.outer(steps, waves)
    return np.column_stack((np.ones(len(steps)), np.sin(angles), np.cos(angles)))


def _estimated(
    values: NDArray[np.float64], columns: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[str, ...]]:
    """Return coefficients, (phi, theta) and notes; where the generalised least squares fail, by plain ones and CSS."""
    from statsmodels.tsa.arima.model import ARIMA

    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            model = ARIMA(values, exog=columns, order=(1, 0, 1), trend="n")
            found = np.asarray(model.fit(method="hannan_rissanen", gls=True, cov_type="none").params, dtype=np.float64)
        phi, theta = np.round(found[-3:-1], PARAMETER_DIGITS)
        if np.isfinite(found).all() and max(abs(phi), abs(theta)) < LARGEST_ROOT:
            return found[:-3], np.array([phi, theta]), ()
    except (np.linalg.LinAlgError, ValueError, IndexError, ArithmeticError):
        pass
    try:
        coefficients = np.asarray(np.linalg.lstsq(columns, values, rcond=None)[0], dtype=np.float64)
        with np.errstate(all="ignore"):
            parameters = fit_css(values - columns @ coefficients, REMAINDER)
    except (np.linalg.LinAlgError, ValueError) as problem:
        raise NotFitted(f"{NAME} could not be fitted ({type(problem).__name__}: {problem})") from None
    return coefficients, parameters, (f"{NAME}: its waves were fitted by plain least squares, the generalised ones had no answer",)
