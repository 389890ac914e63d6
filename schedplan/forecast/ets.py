"""A level and a season, both smoothed exponentially: ETS(A,N,A), estimated by statsmodels. It knows no trend.

    e(t) = y(t) - l(t-1) - s(t-m),  l(t) = l(t-1) + alpha e(t),  s(t) = s(t-m) + gamma e(t)

After Hyndman, Koehler, Ord and Snyder, "Forecasting with Exponential Smoothing", 2008, https://doi.org/10.1007/978-3-540-71918-2.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast.forecaster import NotFitted, Outlook, Rolled, from_the_end, refuse_short
from schedplan.model.forecast import Series

NAME = "ets"
LEAST_SEASONS = 3
FITTED_SEASONS = 28
_REFUSED = (np.linalg.LinAlgError, ValueError, IndexError, ArithmeticError)


@dataclass(frozen=True, slots=True)
class Ets:
    """Weights from the newest 28 seasons by least squares, the first level and season by their means."""

    season: int
    name: str = NAME

    def fit(self, series: Series) -> FittedEts:
        n = len(series.values)
        refuse_short(self.name, n, LEAST_SEASONS, self.season)
        begin = (n - FITTED_SEASONS * self.season) // self.season * self.season if n > FITTED_SEASONS * self.season else 0
        recent = series.values[begin:]
        departures = _departures(recent, self.season)
        alpha, gamma = _weights(recent, departures)
        errors = FittedEts(series, departures, alpha, gamma, 0.0).errors_of(recent)
        sigma = float(np.sqrt(np.mean(errors[self.season :] ** 2)))
        if not np.isfinite([alpha, gamma, sigma]).all():
            raise NotFitted(f"{self.name} gave no finite forecast")
        return FittedEts(series, departures, alpha, gamma, sigma)


@dataclass(frozen=True, slots=True)
class FittedEts:
    """departures: the season it begins with, float64 [m]; alpha, gamma: shares of an error that level and season take.

    sigma: deviation of the error one step ahead.
    """

    series: Series
    departures: NDArray[np.float64]
    alpha: float
    gamma: float
    sigma: float
    notes: tuple[str, ...] = ()

    @property
    def season(self) -> int:
        return len(self.departures)

    @property
    def label(self) -> str:
        return NAME

    def forecast(self, horizon: int, quantiles: tuple[float, ...]) -> Outlook:
        return from_the_end(self, self.series, horizon, quantiles)

    def roll(self, series: Series, origins: NDArray[np.int64], horizon: int) -> Rolled:
        _, levels, seasons = self._smoothed(series.values)
        # seasons[t + m] is s(t): what is known at origin o of the season ahead are entries o to o + m - 1
        ahead = origins[:, None] + np.arange(horizon) % self.season
        mean = levels[origins][:, None] + seasons[ahead]
        return Rolled(np.where(origins[:, None] >= 2 * self.season, mean, np.nan), self.standard_error(horizon))

    def errors_of(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the errors one step ahead, float64 [n]."""
        return self._smoothed(values)[0]

    def standard_error(self, horizon: int) -> NDArray[np.float64]:
        """Return the deviation of the error 1, 2, ... steps ahead, float64 [horizon]."""
        ahead = np.arange(horizon)
        grown = 1 + ahead * self.alpha**2 + self.gamma * (ahead // self.season) * (2 * self.alpha + self.gamma)
        return np.asarray(self.sigma * np.sqrt(grown))

    def _smoothed(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return errors [n], level before each value and after the last [n + 1], season of each value and m more [n + m].

        They begin at the mean of the first season and at the departures; `values` begin with a season.
        """
        n, season = len(values), self.season
        level = _first_level(values, season)
        seasons = [*self.departures.tolist(), *([0.0] * n)]
        levels, errors = [level], []
        for step, value in enumerate(values.tolist()):
            error = value - level - seasons[step]
            level += self.alpha * error
            seasons[step + season] = seasons[step] + self.gamma * error
            levels.append(level)
            errors.append(error)
        return np.array(errors), np.array(levels), np.array(seasons)


def _first_level(values: NDArray[np.float64], season: int) -> float:
    return float(np.mean(values[:season]))


def _departures(values: NDArray[np.float64], season: int) -> NDArray[np.float64]:
    """Return how far each phase lies from its season, in the mean of the whole ones."""
    whole = values[: len(values) // season * season].reshape(-1, season)
    return np.asarray((whole - whole.mean(axis=1, keepdims=True)).mean(axis=0))


def _weights(values: NDArray[np.float64], departures: NDArray[np.float64]) -> tuple[float, float]:
    from statsmodels.tsa.holtwinters import ExponentialSmoothing

    season = len(departures)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            model = ExponentialSmoothing(
                values,
                seasonal="add",
                seasonal_periods=season,
                initialization_method="known",
                initial_level=_first_level(values, season),
                initial_seasonal=departures,
            )
            found = model.fit(use_brute=False).params
    except _REFUSED as problem:
        raise NotFitted(f"{NAME} could not be fitted ({type(problem).__name__}: {problem})") from None
    return round(float(found["smoothing_level"]), 6), round(float(found["smoothing_seasonal"]), 6)
