"""The level of a load, older values counting less: simple exponential smoothing with a given half-life.

l(t) = l(t-1) + alpha (y(t) - l(t-1)), alpha = 1 - 2^(-1 / half-life); every value ahead is the last level. Brown, "Smoothing,
Forecasting and Prediction of Discrete Time Series", 1963.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

from schedplan.forecast.forecaster import NotFitted, Outlook, Rolled, from_the_end
from schedplan.model.forecast import Series


@dataclass(frozen=True, slots=True)
class SmoothedLevel:
    """half_life: steps after which a value counts half."""

    half_life: float

    @property
    def name(self) -> str:
        return f"level of {self.half_life:g} steps"

    def fit(self, series: Series) -> FittedLevel:
        if len(series.values) < 2:
            raise NotFitted("a level needs two values to know its spread")
        alpha = 1 - 0.5 ** (1 / self.half_life)
        errors = series.values[1:] - levels(series.values, alpha)[1:-1]
        return FittedLevel(series, self.name, alpha, float(np.sqrt(np.mean(errors**2))))


@dataclass(frozen=True, slots=True)
class FittedLevel:
    """alpha: share of an error that the level takes; sigma: deviation of the error one step ahead."""

    series: Series
    label: str
    alpha: float
    sigma: float
    notes: tuple[str, ...] = ()

    def forecast(self, horizon: int, quantiles: tuple[float, ...]) -> Outlook:
        return from_the_end(self, self.series, horizon, quantiles)

    def roll(self, series: Series, origins: NDArray[np.int64], horizon: int) -> Rolled:
        known = np.where(origins > 0, levels(series.values, self.alpha)[origins], np.nan)
        return Rolled(np.repeat(known[:, None], horizon, axis=1), self.standard_error(horizon))

    def standard_error(self, horizon: int) -> NDArray[np.float64]:
        """Return the deviation of the error 1, 2, ... steps ahead, float64 [horizon]."""
        return np.asarray(self.sigma * np.sqrt(1 + np.arange(horizon) * self.alpha**2))


def levels(values: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """Return the level before each value and after the last, float64 [n + 1]; it begins at the first value."""
    kept = 1 - alpha
    smoothed, _ = lfilter([alpha], [1.0, -kept], values, zi=[kept * values[0]])
    return np.concatenate((values[:1], smoothed))
