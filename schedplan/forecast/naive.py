"""Forecasts that see no season: the last value, the mean so far."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast.forecaster import NotFitted, Outlook, Rolled, from_the_end
from schedplan.model.forecast import Series

LAST_VALUE = "naive"
MEAN = "mean"


@dataclass(frozen=True, slots=True)
class LastValue:
    """The last value from now on; its error is that of the history, measured for each step ahead."""

    name: str = LAST_VALUE

    def fit(self, series: Series) -> FittedLastValue:
        if len(series.values) < 2:
            raise NotFitted("the last value needs two values to know its spread")
        return FittedLastValue(series)


@dataclass(frozen=True, slots=True)
class FittedLastValue:
    series: Series
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return LAST_VALUE

    def forecast(self, horizon: int, quantiles: tuple[float, ...]) -> Outlook:
        return from_the_end(self, self.series, horizon, quantiles)

    def roll(self, series: Series, origins: NDArray[np.int64], horizon: int) -> Rolled:
        last = np.where(origins > 0, series.values[origins - 1], np.nan)
        return Rolled(np.repeat(last[:, None], horizon, axis=1), self.standard_error(horizon))

    def standard_error(self, horizon: int) -> NDArray[np.float64]:
        """Return the root mean square of the change over 1..h steps, never falling; measured up to half of the history."""
        values = self.series.values
        longest = max(len(values) // 2, 1)
        measured = [float(np.sqrt(np.mean((values[lag:] - values[:-lag]) ** 2))) for lag in range(1, min(horizon, longest) + 1)]
        steps = np.minimum(np.arange(horizon), len(measured) - 1)
        return np.maximum.accumulate(np.array(measured))[steps]


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of all that was seen, with the deviation around it."""

    name: str = MEAN

    def fit(self, series: Series) -> FittedMean:
        n = len(series.values)
        if n < 2:
            raise NotFitted("the mean needs two values to know its spread")
        return FittedMean(series, float(np.std(series.values, ddof=1) * np.sqrt(1 + 1 / n)))


@dataclass(frozen=True, slots=True)
class FittedMean:
    series: Series
    deviation: float
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return MEAN

    def forecast(self, horizon: int, quantiles: tuple[float, ...]) -> Outlook:
        return from_the_end(self, self.series, horizon, quantiles)

    def roll(self, series: Series, origins: NDArray[np.int64], horizon: int) -> Rolled:
        means = np.where(origins > 0, np.cumsum(series.values)[origins - 1] / np.maximum(origins, 1), np.nan)
        return Rolled(np.repeat(means[:, None], horizon, axis=1), self.standard_error(horizon))

    def standard_error(self, horizon: int) -> NDArray[np.float64]:
        """Return the deviation, however far ahead, float64 [horizon]."""
        return np.full(horizon, self.deviation)
