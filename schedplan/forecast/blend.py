"""Forecasters at once, each with the weight it earned on the past. It chooses no members.

A weight is (least error / own)^12, an error the geometric mean of mean and median of the mean absolute errors of the
forecasts that had come true before the origin, the newer the more. Our choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast.forecaster import Outlook, Rolled, from_the_end
from schedplan.model.forecast import Series

ORIGINS_PER_SEASON = 6
SCORED_SEASONS = 21
DECAY_SEASONS = 10.0
SHARPNESS = 12
SHOWN_WEIGHT = 0.05
_LEAST_MAE = 1e-9


class Member(Protocol):
    """What a blend is made of: a forecaster whose parameters are set, its name in the notes, and its standard error."""

    @property
    def label(self) -> str: ...

    def roll(self, series: Series, origins: NDArray[np.int64], horizon: int) -> Rolled:
        """Return forecasts from each origin as any fitted forecaster does; NaN where it has none."""
        ...

    def standard_error(self, horizon: int) -> NDArray[np.float64]:
        """Return the deviation of the error 1, 2, ... steps ahead, float64 [horizon]."""
        ...


def blended(name: str, series: Series, seasons: tuple[int, ...], members: tuple[Member, ...]) -> FittedBlend:
    """Return a blend of fitted members with the weights they have earned at the end of the series, told in its notes."""
    n = len(series.values)
    even = FittedBlend(series, seasons, members, np.full(len(members), 1 / len(members)))
    weights = even.weights(series, np.array([n]), seasons[0])[0]
    return FittedBlend(series, seasons, members, weights, (_told(name, members, weights),))


@dataclass(frozen=True, slots=True)
class FittedBlend:
    """own_weights: float64 [members], those at the end of the values fitted on; they blend the standard errors.

    seasons: steps; forecasts are scored from origins a sixth of the first apart, over the last at most.
    """

    series: Series
    seasons: tuple[int, ...]
    members: tuple[Member, ...]
    own_weights: NDArray[np.float64]
    notes: tuple[str, ...] = ()

    def forecast(self, horizon: int, quantiles: tuple[float, ...]) -> Outlook:
        return from_the_end(self, self.series, horizon, quantiles)

    def roll(self, series: Series, origins: NDArray[np.int64], horizon: int) -> Rolled:
        means = np.empty((len(origins), horizon))
        for own in self._alike(origins):
            grid = self._grid(origins[own], horizon)
            rolled = self._rolled(series, grid, horizon)
            weights = self._earned(series, grid, rolled, origins[own])
            here = rolled[:, np.searchsorted(grid, origins[own])]
            blended = np.sum(weights.T[:, :, None] * np.nan_to_num(here), axis=0)
            means[own] = np.where(weights.sum(axis=1, keepdims=True) > 0, blended, np.nan)
        se = np.array([member.standard_error(horizon) for member in self.members])
        return Rolled(means, self.own_weights @ se)

    def weights(self, series: Series, origins: NDArray[np.int64], horizon: int) -> NDArray[np.float64]:
        """Return the weight of each member at each origin, float64 [origins, members], from what had come true before it."""
        weights = np.empty((len(origins), len(self.members)))
        for own in self._alike(origins):
            grid = self._grid(origins[own], horizon)
            weights[own] = self._earned(series, grid, self._rolled(series, grid, horizon), origins[own])
        return weights

    @property
    def _spacing(self) -> int:
        return max(1, self.seasons[0] // ORIGINS_PER_SEASON)

    def _alike(self, origins: NDArray[np.int64]) -> list[NDArray[np.bool_]]:
        """Group origins that are whole spacings apart: they are scored by the same past forecasts."""
        rest = origins % self._spacing
        return [rest == each for each in np.unique(rest)]

    def _delay(self, horizon: int) -> int:
        """Return how many steps before an origin the newest forecast was made that has come true, as far as it is scored."""
        return -(-self._scored(horizon) // self._spacing) * self._spacing

    def _scored(self, horizon: int) -> int:
        return min(horizon, self.seasons[-1])

    def _grid(self, origins: NDArray[np.int64], horizon: int) -> NDArray[np.int64]:
        """Return the origins and those they are scored by, int64, increasing, one spacing apart."""
        spacing = self._spacing
        earliest, last = int(origins.min()), int(origins.max())
        first = max(earliest - self._delay(horizon) - SCORED_SEASONS * self.seasons[0], 0)
        first += (earliest - first) % spacing
        return np.arange(first, last + 1, spacing)

    def _rolled(self, series: Series, grid: NDArray[np.int64], horizon: int) -> NDArray[np.float64]:
        return np.array([member.roll(series, grid, horizon).mean for member in self.members])

    def _earned(
        self, series: Series, grid: NDArray[np.int64], rolled: NDArray[np.float64], origins: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        scored, season = self._scored(rolled.shape[2]), self.seasons[0]
        padded = np.concatenate((series.values, np.full(scored, np.nan)))
        actual = np.lib.stride_tricks.sliding_window_view(padded, scored)[grid]
        mae = np.mean(np.abs(rolled[:, :, :scored] - actual), axis=2)
        age = (origins[:, None] - self._delay(rolled.shape[2]) - grid) / season
        recency = np.where((age >= 0) & (age <= SCORED_SEASONS), np.exp(-np.abs(age) / DECAY_SEASONS), 0.0)
        error = np.array([_usual_error(each, recency) for each in mae]).T + _LEAST_MAE
        available = np.asarray(np.isfinite(rolled[:, np.searchsorted(grid, origins)]).all(axis=2)).T
        return _sharpened(error, available)


def _usual_error(mae: NDArray[np.float64], recency: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a member's error at each origin, past forecasts weighing as much as they are recent; NaN where none is known.

    mae: float64 [grid]; recency: float64 [origins, grid]. It is the geometric mean of mean and median: by the mean alone a holiday
    speaks for weeks against whoever goes by the day a week before it, by the median alone rare large errors say nothing.
    """
    order = np.argsort(np.where(np.isfinite(mae), mae, np.inf), kind="stable")
    known = order[: int(np.count_nonzero(np.isfinite(mae)))]
    if not known.size:
        return np.full(len(recency), np.nan)
    below = np.cumsum(recency[:, known], axis=1)
    total = below[:, -1]
    at = np.argmax(below >= 0.5 * total[:, None], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.einsum("og,g->o", recency[:, known], mae[known]) / total
        return np.where(total > 0, np.sqrt(mean * mae[known][at]), np.nan)


def _sharpened(error: NDArray[np.float64], available: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return weights that add up to 1, float64 [origins, members]; equal ones where nothing is scored yet."""
    judged = np.where(available & np.isfinite(error), error, np.inf)
    least = judged.min(axis=1, keepdims=True)
    unjudged = ~np.isfinite(least)
    earned = np.where(unjudged, available, (np.where(unjudged, 1.0, least) / judged) ** SHARPNESS)
    return np.asarray(earned / np.maximum(earned.sum(axis=1, keepdims=True), 1e-300))


def _told(name: str, members: tuple[Member, ...], weights: NDArray[np.float64]) -> str:
    shown = sorted((each for each in zip(weights, members, strict=True) if each[0] >= SHOWN_WEIGHT), key=lambda each: -each[0])
    return f"{name}: " + ", ".join(f"{weight:.0%} {member.label}" for weight, member in shown)
