"""The last season again: the yardstick of every forecast of load."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast.forecaster import NotFitted, Outlook, Rolled, from_the_end
from schedplan.model.forecast import Series

NAME = "seasonal-naive"
LEAST_SEASONS = 1.5


def repeat_season(values: NDArray[np.float64], origins: NDArray[np.int64], horizon: int, season: int) -> NDArray[np.float64]:
    """Return the season before each origin, repeated: float64 [origins, horizon]; NaN for origins less than a season in."""
    steps = origins[:, None] - season + np.arange(horizon) % season
    return np.where(origins[:, None] >= season, values[np.maximum(steps, 0)], np.nan)


@dataclass(frozen=True, slots=True)
class SeasonalNaive:
    """y(t) = y(t - season), its error growing with the root of the seasons ahead."""

    season: int
    name: str = NAME

    @property
    def least_steps(self) -> int:
        return ceil(LEAST_SEASONS * self.season)

    def fit(self, series: Series) -> FittedSeasonalNaive:
        if len(series.values) < LEAST_SEASONS * self.season:
            raise NotFitted(
                f"{self.name} was not tried: it needs {LEAST_SEASONS} seasons of {self.season} steps, there are"
                f" {len(series.values)} to fit on"
            )
        change = series.values[self.season :] - series.values[: -self.season]
        return FittedSeasonalNaive(series, self.season, float(np.sqrt(np.mean(change**2))))


@dataclass(frozen=True, slots=True)
class FittedSeasonalNaive:
    series: Series
    season: int
    change: float
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return f"repeat of {self.season}"

    def forecast(self, horizon: int, quantiles: tuple[float, ...]) -> Outlook:
        return from_the_end(self, self.series, horizon, quantiles)

    def roll(self, series: Series, origins: NDArray[np.int64], horizon: int) -> Rolled:
        return Rolled(repeat_season(series.values, origins, horizon, self.season), self.standard_error(horizon))

    def standard_error(self, horizon: int) -> NDArray[np.float64]:
        """Return the deviation of the error 1, 2, ... steps ahead, float64 [horizon]."""
        return np.asarray(self.change * np.sqrt(1 + np.arange(horizon) // self.season))
