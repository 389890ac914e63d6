"""Several SARIMAs at once, each with the weight it earned on the past: a season, a week, both or neither. It chooses no orders.

A weight is (least error / own)^12, an error the geometric mean of mean and median of the mean absolute errors of the forecasts
that had come true before the origin, the newer the more. The members and the exponent are our choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast.css_sarima import CssSarima, FittedCssSarima
from schedplan.forecast.day_kinds import DayKinds, FittedDayKinds
from schedplan.forecast.forecaster import Fitted, NotFitted, Outlook, Rolled, from_the_end
from schedplan.forecast.orders import Orders, Seasonal, airline
from schedplan.forecast.plugin import FittedPlugin, PluginForecaster
from schedplan.forecast.seasonal_naive import FittedSeasonalNaive, SeasonalNaive
from schedplan.model.forecast import Series

NAME = "sarima-blend"
LEAST_SEASONS = 4
FITTED_SEASONS = 28
FITTED_LONG_SEASONS = 6
LEAST_DAYS_TO_PART = 3
ORIGINS_PER_SEASON = 6
SCORED_SEASONS = 21
DECAY_SEASONS = 10.0
SHARPNESS = 12
SHOWN_WEIGHT = 0.05
_LEAST_MAE = 1e-9

Member = FittedCssSarima | FittedDayKinds | FittedSeasonalNaive | FittedPlugin


@dataclass(frozen=True, slots=True)
class SarimaBlend:
    """SARIMAs for the first one or two of `seasons` (a day and a week, say), blended; plugins: others that may earn a weight."""

    seasons: tuple[int, ...]
    name: str = NAME
    plugins: tuple[PluginForecaster, ...] = ()

    def fit(self, series: Series) -> Fitted:
        return self._fit(series, {})

    def refit(self, series: Series, previous: Fitted) -> Fitted:
        """Return the blend fitted to a longer history, each SARIMA from the parameters it had."""
        members = previous.members if isinstance(previous, FittedBlend) else ()
        return self._fit(series, {each.label: each.parameters for each in members if isinstance(each, FittedCssSarima)})

    def _fit(self, series: Series, starts: Mapping[str, NDArray[np.float64]]) -> Fitted:
        season = self.seasons[0]
        n = len(series.values)
        if n < LEAST_SEASONS * season:
            raise NotFitted(
                f"{self.name} was not tried: it needs {LEAST_SEASONS} seasons of {season} steps, there are {n} steps to fit on"
            )
        if not np.ptp(series.values[season:] - series.values[:-season]) > 1e-9:
            raise NotFitted(f"{self.name} was not tried: the last season repeats exactly")
        fitted = tuple(
            member.fit(series, starts.get(member.name)) if isinstance(member, CssSarima) else member.fit(series)
            for member in self._members()
            if n >= member.least_steps
        )
        others, notes = self._others(series)
        members = (*fitted, *others)
        blend = FittedBlend(series, self.seasons, members, np.full(len(members), 1 / len(members)))
        weights = blend.weights(series, np.array([n]), season)[0]
        return FittedBlend(series, self.seasons, members, weights, (_told(self.name, members, weights), *notes))

    def _others(self, series: Series) -> tuple[tuple[FittedPlugin, ...], tuple[str, ...]]:
        """Return the plug-ins that forecast the newest season from a season before it, and why the others don't."""
        n, season = len(series.values), self.seasons[0]
        fitted, notes = [], []
        for plugin in self.plugins:
            if n - season < plugin.least_steps:
                continue
            try:
                member = plugin.fit(series)
                member.roll(series, np.array([n - season, n]), season)
            except NotFitted as reason:
                notes.append(str(reason))
            else:
                fitted.append(member)
        return tuple(fitted), tuple(notes)

    def _members(self) -> tuple[CssSarima | DayKinds | SeasonalNaive, ...]:
        season = self.seasons[0]
        plain = (airline(season), Orders(2, 0, 1, (Seasonal(season, 1, 0, 1),)), Orders(2, 1, 1))
        members = tuple(CssSarima(each.name, each, FITTED_SEASONS * season) for each in plain)
        if len(self.seasons) == 1:
            return members
        week = self.seasons[1]
        weekly = (
            Orders(2, 0, 1, (Seasonal(season, 1, 0, 1), Seasonal(week, 0, 1, 1))),
            airline(week),
            Orders(2, 0, 1, (Seasonal(season, 0, 1, 1), Seasonal(week, 1, 0, 1))),
        )
        recent = max(FITTED_SEASONS * season, FITTED_LONG_SEASONS * week)
        kinds = (DayKinds(season, week // season),) if week % season == 0 and week // season > LEAST_DAYS_TO_PART else ()
        return (*members, *(CssSarima(each.name, each, recent) for each in weekly), *kinds, SeasonalNaive(week))


@dataclass(frozen=True, slots=True)
class FittedBlend:
    """own_weights: float64 [members], those at the end of the values fitted on; they blend the standard errors."""

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
