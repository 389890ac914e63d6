"""Events known in advance: what they did to a load, taken out of its history and put into its forecast. It forecasts nothing.

An event of strength v multiplies the load by 1 + effect * v. The effect of a name is learnt from its past: the load of an event
over what is usual for the same phase of the season, outside any event; the mean over past events, each weighing the same. Without a
past event of its name `value` itself is the factor. How far past events differed widens the quantiles; a single one is taken to be
a quarter off. Our choice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast.gaussian import standard_quantiles
from schedplan.forecast.pipeline import ForecastResult
from schedplan.forecast.season import default_seasons
from schedplan.model.event import Event
from schedplan.model.forecast import Forecast, Series

NEIGHBOUR_SEASONS = 3
LEAST_SEASONS = 3
LONE_SPREAD = 0.25
LEAST_FACTOR = 0.01


@dataclass(frozen=True, slots=True)
class Effect:
    """effect: per unit of strength, relative to the usual load; spread: its relative standard error; past: events it comes from.

    past 0: nothing is known of the name, and a strength is a factor.
    """

    name: str
    effect: float
    spread: float
    past: int

    def factor(self, value: float) -> float:
        """Return what an event of a strength multiplies the load by."""
        return max(1.0 + self.effect * value if self.past else value, LEAST_FACTOR)

    def words(self, value: float) -> str:
        """Return what the forecast assumes of an event."""
        if not self.past:
            return f"{self.name}: no such event in the history, so its value {value:g} is taken as the factor of the load"
        counted = "1 event" if self.past == 1 else f"{self.past} events"
        return f"{self.name}: load times {self.factor(value):.3g}, as {counted} in the history had it"


def forecast_with_events(
    series: Series, events: tuple[Event, ...], seasons: tuple[int, ...], make: Callable[[Series], ForecastResult]
) -> ForecastResult:
    """Return what `make` makes of a series without its events, with those of the future put into its forecast.

    seasons: in steps, those asked for; empty = as usual. Judged is the load without events: the past of an event is what its effect
    is learnt from, so it can't be judged by that.
    """
    own = tuple(event for event in events if event.moves(series.unique_id))
    if not own:
        return make(series)
    lengths = seasons or default_seasons(series.step_s, len(series.values))
    long_enough = [each for each in lengths if len(series.values) >= LEAST_SEASONS * each]
    known = effects(series, own, long_enough[-1] if long_enough else 1)
    result = make(without_events(series, own, known))
    return replace(result, forecast=with_events(result.forecast, own, known))


def effects(series: Series, events: tuple[Event, ...], season: int) -> tuple[Effect, ...]:
    """Return the effect of each name among `events` that move the series, from those in its history; by name."""
    own = tuple(event for event in events if event.moves(series.unique_id))
    plain = series.values.copy()
    for event in own:
        plain[_steps(series, event)] = np.nan
    usual = _usual(plain, season)
    found = []
    for name in sorted({event.name for event in own}):
        ratios = []
        for event in own:
            here = _steps(series, event)
            seen = here[np.isfinite(series.values[here]) & np.isfinite(usual[here])]
            expected = float(np.sum(usual[seen]))
            if event.name == name and expected > 0:
                ratios.append((float(np.sum(series.values[seen])) / expected - 1.0) / event.value)
        found.append(_effect(name, ratios))
    return tuple(found)


def without_events(series: Series, events: tuple[Event, ...], known: tuple[Effect, ...]) -> Series:
    """Return the load as it would have been without its events."""
    learnt = tuple(effect for effect in known if effect.past)
    return replace(series, values=series.values / _factors(series, events, learnt)[0])


def with_events(forecast: Forecast, events: tuple[Event, ...], known: tuple[Effect, ...]) -> Forecast:
    """Return a forecast of the load without events as one of the load with them, said in its notes; wider where they vary."""
    grid = Series(forecast.unique_id, forecast.cutoff_s, forecast.step_s, forecast.mean)
    factors, spreads = _factors(grid, events, known)
    moved = np.flatnonzero(factors != 1.0)
    if not moved.size:
        return forecast
    mean = forecast.mean * factors

    def widened(row: NDArray[np.float64], level: float) -> NDArray[np.float64]:
        distance = row * factors - mean
        extra = standard_quantiles((level,))[0] * mean * spreads
        together = np.hypot(distance, extra) * np.sign(extra if level != 0.5 else distance)
        return np.asarray(np.where(factors == 1.0, row, np.clip(mean + together, 0.0, None)))

    quantiles = np.array([widened(row, level) for row, level in zip(forecast.quantiles, forecast.quantile_levels, strict=True)])
    notes = tuple(
        effect.words(event.value)
        for event in events
        for effect in known
        if effect.name == event.name and event.moves(forecast.unique_id) and _steps(grid, event).size
    )
    return replace(
        forecast,
        mean=mean,
        quantiles=np.maximum.accumulate(quantiles, axis=0),
        bands=tuple(
            (level, widened(low, 0.5 - level / 200), widened(high, 0.5 + level / 200)) for level, low, high in forecast.bands
        ),
        notes=(*notes, *forecast.notes),
    )


def _effect(name: str, ratios: list[float]) -> Effect:
    if not ratios:
        return Effect(name, 0.0, LONE_SPREAD, 0)
    mean = float(np.mean(ratios))
    if len(ratios) == 1:
        return Effect(name, mean, LONE_SPREAD * abs(mean) / max(1.0 + mean, LEAST_FACTOR), 1)
    deviation = float(np.std(ratios, ddof=1)) * np.sqrt(1 + 1 / len(ratios))
    return Effect(name, mean, deviation / max(1.0 + mean, LEAST_FACTOR), len(ratios))


def _factors(grid: Series, events: tuple[Event, ...], known: tuple[Effect, ...]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the factor of each interval and its relative standard error; several events at once multiply."""
    factors, squares = np.ones(len(grid.values)), np.zeros(len(grid.values))
    effect_of = {effect.name: effect for effect in known}
    for event in events:
        effect = effect_of.get(event.name)
        if effect is not None and event.moves(grid.unique_id):
            here = _steps(grid, event)
            factors[here] *= effect.factor(event.value)
            squares[here] += effect.spread**2
    return factors, np.sqrt(squares)


def _steps(grid: Series, event: Event) -> NDArray[np.int64]:
    """Return the intervals of which at least half lies in an event."""
    first = round((event.start_s - grid.start_s) / grid.step_s + 1e-9)
    last = round((event.end_s - grid.start_s) / grid.step_s + 1e-9)
    return np.arange(max(first, 0), min(last, len(grid.values)))


def _usual(plain: NDArray[np.float64], season: int) -> NDArray[np.float64]:
    """Return the median of the same phase in three seasons to either side, NaN where none is known; without a season the mean."""
    if season < 2:
        return np.full(len(plain), np.nanmean(plain) if np.isfinite(plain).any() else np.nan)
    padded = np.concatenate((np.full(NEIGHBOUR_SEASONS * season, np.nan), plain, np.full(NEIGHBOUR_SEASONS * season, np.nan)))
    shifts = [shift for shift in range(-NEIGHBOUR_SEASONS, NEIGHBOUR_SEASONS + 1) if shift]
    begin = NEIGHBOUR_SEASONS * season
    around = np.array([padded[begin + shift * season : begin + shift * season + len(plain)] for shift in shifts])
    known = ~np.isnan(around).all(axis=0)
    usual = np.full(len(plain), np.nan)
    usual[known] = np.nanmedian(around[:, known], axis=0)
    return usual
