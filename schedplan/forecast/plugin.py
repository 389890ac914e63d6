"""Forecasters of other distributions, as members of the blend: each is fitted anew at every origin, and earns its weight there.

What a plug-in offers is a class or function without arguments that returns an object with

    fit(series) -> fitted            series: schedplan.model.forecast.Series, without gaps, about unit deviation
    fitted.forecast(h, quantiles, future) -> (mean [h], quantiles [len(quantiles), h])

`future` holds columns known in advance, none so far. A fitted object that also has `roll(series, origins, horizon)` is asked that
way and fitted only once. Whatever it raises, or says that is not finite, leaves it out of this series.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast.forecaster import NotFitted, Outlook, Rolled, from_the_end
from schedplan.model.forecast import Series
from schedplan.plugins import FORECASTERS, plugins

BUILT_IN = frozenset(
    ("auto", "sarima", "sarima-blend", "seasonal-naive", "naive", "mean", "level-blend", "fourier", "day-kinds", "ets", "theta")
)
LEAST_SEASONS = 3
_NORMAL_95 = 1.6448536269514722
_LEVELS = (0.5, 0.95)


@dataclass(frozen=True, slots=True)
class PluginForecaster:
    """A forecaster of another distribution, under the name of its entry point."""

    name: str
    make: Callable[[], Any]
    least_steps: int

    def fit(self, series: Series) -> FittedPlugin:
        fitted = self._asked(series)
        return FittedPlugin(self, series, fitted)

    def _asked(self, series: Series) -> Any:
        try:
            return self.make().fit(series)
        except Exception as problem:  # noqa: BLE001 - another's code may raise anything, and must not end the forecast
            raise NotFitted(f"{self.name} could not be fitted ({type(problem).__name__}: {problem})") from None

    def outlook(self, fitted: Any, horizon: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return mean [h] and standard error [h] of what a fitted object says; NotFitted where that is no answer."""
        try:
            mean, quantiles = fitted.forecast(horizon, _LEVELS, {})
            mean, quantiles = np.asarray(mean, dtype=np.float64), np.asarray(quantiles, dtype=np.float64)
        except Exception as problem:  # noqa: BLE001 - as above
            raise NotFitted(f"{self.name} gave no forecast ({type(problem).__name__}: {problem})") from None
        if mean.shape != (horizon,) or quantiles.shape != (len(_LEVELS), horizon) or not np.isfinite(mean).all():
            raise NotFitted(f"{self.name} gave no forecast of {horizon} finite values with its quantiles")
        se = np.maximum(quantiles[1] - quantiles[0], 0.0) / _NORMAL_95
        return mean, np.where(np.isfinite(se), se, 0.0)


@dataclass(frozen=True, slots=True)
class FittedPlugin:
    """fitted: what the plug-in's own `fit` returned."""

    plugin: PluginForecaster
    series: Series
    fitted: Any
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return self.plugin.name

    def forecast(self, horizon: int, quantiles: tuple[float, ...]) -> Outlook:
        return from_the_end(self, self.series, horizon, quantiles)

    def roll(self, series: Series, origins: NDArray[np.int64], horizon: int) -> Rolled:
        if hasattr(self.fitted, "roll"):
            return self._own_roll(series, origins, horizon)
        means = np.full((len(origins), horizon), np.nan)
        for row, origin in enumerate(origins):
            if origin >= self.plugin.least_steps:
                known = Series(series.unique_id, series.start_s, series.step_s, series.values[:origin].copy())
                means[row], _ = self.plugin.outlook(self.plugin.fit(known).fitted, horizon)
        return Rolled(means, self.standard_error(horizon))

    def standard_error(self, horizon: int) -> NDArray[np.float64]:
        """Return the deviation of the error 1, 2, ... steps ahead, float64 [horizon], by the plug-in's own P95."""
        return self.plugin.outlook(self.fitted, horizon)[1]

    def _own_roll(self, series: Series, origins: NDArray[np.int64], horizon: int) -> Rolled:
        try:
            means = np.asarray(self.fitted.roll(series, origins, horizon), dtype=np.float64)
        except Exception as problem:  # noqa: BLE001 - as above
            raise NotFitted(f"{self.label} gave no forecast ({type(problem).__name__}: {problem})") from None
        if means.shape != (len(origins), horizon):
            raise NotFitted(f"{self.label} gave no forecasts of {len(origins)} origins")
        return Rolled(means, self.standard_error(horizon))


def plugin_forecasters(season: int) -> tuple[PluginForecaster, ...]:
    """Return the forecasters that are installed beside this one, by name. Raises ConfigError for a name claimed twice."""
    found = plugins(FORECASTERS, BUILT_IN).found
    return tuple(PluginForecaster(each.name, _callable(each.loaded), LEAST_SEASONS * season) for each in found)


def plugin_names() -> tuple[str, ...]:
    """Return the names of the forecasters that are installed beside this one."""
    return tuple(each.name for each in plugins(FORECASTERS, BUILT_IN).found)


def plugin_notes() -> tuple[str, ...]:
    """Return why an installed plug-in is left out of every forecast."""
    return plugins(FORECASTERS, BUILT_IN).notes


def _callable(loaded: object) -> Callable[[], Any]:
    return loaded if callable(loaded) else lambda: loaded
