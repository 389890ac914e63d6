"""A load on the wall clock of its users: a day has 24 hours there also where the clocks change. It forecasts nothing.

Where the offset from UTC changes within a history or its forecast, the intervals are laid on local time: an hour that is skipped
gets the mean of those beside it, one that comes twice the mean of both. The forecast is laid back on UTC, so that each interval has
the value of its local hour; the times of the backtest go back by the offset at the start of the history. Intervals that a change is
not a whole number of, and days and longer ones, stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast.pipeline import ForecastResult
from schedplan.model.forecast import Forecast, Series

DAY_S, QUARTER_S = 86_400, 900
NOTE = "the clocks change within the history or the forecast; days were taken by the clock of the project's time zone"


@dataclass(frozen=True, slots=True)
class LocalLoad:
    """series: on local time, its start as if it were UTC; steps: of each interval asked for, counted from the end of the series."""

    series: Series
    steps: NDArray[np.int64]

    @property
    def horizon(self) -> int:
        return int(self.steps.max()) + 1


def by_wall_clock(
    series: Series, zone: tzinfo | None, horizon: int, make: Callable[[Series, int], ForecastResult]
) -> ForecastResult:
    """Return what `make` makes of a series and a horizon, with days by the clock of `zone` where that changes."""
    local = None if zone is None else local_load(series, zone, horizon)
    if local is None:
        return make(series, horizon)
    result = make(local.series, local.horizon)
    shift_s = local.series.start_s - series.start_s
    record, decided = result.record, result.decided
    return replace(
        result,
        forecast=_back(result.forecast, series, local),
        record=None if record is None else replace(record, start_s=record.start_s - shift_s),
        decided=None if decided is None else replace(decided, start_s=decided.start_s - shift_s),
        online=None,
        folds=None,
    )


def local_load(series: Series, zone: tzinfo, horizon: int) -> LocalLoad | None:
    """Return a load on local time; None where the offset never changes, or not by whole intervals."""
    if series.step_s >= DAY_S or not len(series.values):
        return None
    instants = series.start_s + series.step_s * np.arange(len(series.values) + horizon, dtype=np.int64)
    offsets = _offsets_s(instants, zone)
    if (offsets == offsets[0]).all() or ((offsets - offsets[0]) % series.step_s).any():
        return None
    at = np.arange(len(instants)) + (offsets - offsets[0]) // series.step_s
    known = at[: len(series.values)]
    n_known = int(known.max()) + 1
    values = _placed(series.values, known, n_known)
    start_s = series.start_s + int(offsets[0])
    steps = np.maximum(at[len(series.values) :] - n_known, 0)
    return LocalLoad(Series(series.unique_id, start_s, series.step_s, values, series.unit), steps)


def _placed(values: NDArray[np.float64], at: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    """Return values at their places, float64 [n]: the mean where two meet, between its neighbours where none comes."""
    seen = ~np.isnan(values)
    counts = np.bincount(at[seen], minlength=n)
    sums = np.bincount(at[seen], weights=values[seen], minlength=n)
    placed = np.divide(sums, counts, out=np.full(n, np.nan), where=counts > 0)
    skipped = np.flatnonzero(np.bincount(at, minlength=n) == 0)
    there = np.setdiff1d(np.arange(n), skipped, assume_unique=True)
    placed[skipped] = np.interp(skipped, there, placed[there])
    return np.asarray(placed)


def _offsets_s(instants: NDArray[np.int64], zone: tzinfo) -> NDArray[np.int64]:
    """Return the offset from UTC at each instant; looked up every quarter of an hour."""
    quarters, places = np.unique(instants // QUARTER_S, return_inverse=True)
    found = [datetime.fromtimestamp(int(quarter) * QUARTER_S, zone).utcoffset() for quarter in quarters]
    return np.array([0 if each is None else round(each.total_seconds()) for each in found], dtype=np.int64)[places]


def _back(forecast: Forecast, series: Series, local: LocalLoad) -> Forecast:
    steps = local.steps
    return replace(
        forecast,
        cutoff_s=series.end_s,
        mean=forecast.mean[steps],
        quantiles=forecast.quantiles[:, steps],
        bands=tuple((level, low[steps], high[steps]) for level, low, high in forecast.bands),
        notes=(*forecast.notes, NOTE),
    )
