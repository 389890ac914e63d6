"""From the load of a service to what each slot of a plan has to serve. It makes no forecast itself."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedplan.errors import InputError
from schedplan.model.forecast import Forecast, Series
from schedplan.timegrid import TimeGrid, format_instant


class SlotDemand(NamedTuple):
    """Requests per second per slot, float64 [n_slots] each, and what a reader should know of them."""

    peak_rps: NDArray[np.float64]
    mean_rps: NDArray[np.float64]
    notes: tuple[str, ...]


def history(series: Series, grid: TimeGrid) -> Series:
    """Return the rows of a series that begin before the grid does: what a forecast may look at."""
    before = min(max(ceil((grid.start_s - series.start_s) / series.step_s), 0), len(series.values))
    return Series(series.unique_id, series.start_s, series.step_s, series.values[:before], series.unit)


def horizon_steps(series: Series, grid: TimeGrid, ignore_future: bool = False) -> int:
    """Return the intervals that have to be forecast, counted from the end of the history; 0 where all slots have rows."""
    if not ignore_future and _covered(series, grid):
        return 0
    return max(ceil((grid.end_s - history(series, grid).end_s) / series.step_s), 0)


def slot_demand(
    series: Series, forecast: Forecast | None, grid: TimeGrid, quantile: float, ignore_future: bool = False
) -> SlotDemand:
    """Return what each slot has to serve: the peak at a quantile, and the mean.

    peak = the largest value, at `quantile`, of the load intervals that touch the slot; mean = the time-weighted mean of the
    expected load. Rows of `series` are used as they are, inside the grid too, unless `ignore_future`; the rest comes from
    `forecast`, which continues the history (None: all slots have rows). Raises InputError where a slot has neither.
    """
    given = history(series, grid) if ignore_future else series
    first, last = _steps(series, grid)
    mean, peak = _from_rows(given, first, last), _from_rows(given, first, last)
    missing = np.isnan(mean)
    if forecast is not None and missing.any():
        _same_grid(series, forecast)
        expected = Series(forecast.unique_id, forecast.cutoff_s, forecast.step_s, forecast.mean)
        planned = Series(forecast.unique_id, forecast.cutoff_s, forecast.step_s, forecast.at(quantile))
        shift = (forecast.cutoff_s - series.start_s) // series.step_s
        mean = np.where(missing, _from_rows(expected, first - shift, last - shift), mean)
        peak = np.where(missing, _from_rows(planned, first - shift, last - shift), peak)
    _refuse_gaps(series, first, mean, grid)
    return SlotDemand(*_per_slot(series, first, mean, peak, grid), _notes(series, first, missing, grid, ignore_future, quantile))


def _covered(series: Series, grid: TimeGrid) -> bool:
    return not np.isnan(_from_rows(series, *_steps(series, grid))).any()


def _steps(series: Series, grid: TimeGrid) -> tuple[int, int]:
    """Return (first, last + 1) of the intervals that touch the grid, counted from the start of the series."""
    first = (grid.start_s - series.start_s) // series.step_s
    return first, ceil((grid.end_s - series.start_s) / series.step_s)


def _from_rows(series: Series, first: int, last: int) -> NDArray[np.float64]:
    """Return the values of intervals first..last-1; NaN where the series has no row."""
    values = np.full(last - first, np.nan)
    low, high = max(first, 0), min(last, len(series.values))
    if low < high:
        values[low - first : high - first] = series.values[low:high]
    return values


def _same_grid(series: Series, forecast: Forecast) -> None:
    if series.step_s != forecast.step_s or (forecast.cutoff_s - series.start_s) % series.step_s:
        raise ValueError(f"the forecast of {series.unique_id} does not lie on the grid of its series")


def _refuse_gaps(series: Series, first: int, mean: NDArray[np.float64], grid: TimeGrid) -> None:
    gaps = np.flatnonzero(np.isnan(mean))
    if gaps.size:
        at_s = series.start_s + (first + int(gaps[0])) * series.step_s
        raise InputError(
            f"load of {series.unique_id}: {gaps.size} of the {len(mean)} intervals of the horizon {format_instant(grid.start_s)}"
            f" to {format_instant(grid.end_s)} have neither a row nor a forecast, the first at {format_instant(at_s)}",
            hint="Give load for the whole horizon, or history before it so that a forecast can be made",
        )


def _per_slot(
    series: Series, first: int, mean: NDArray[np.float64], peak: NDArray[np.float64], grid: TimeGrid
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    edges_s = np.asarray(grid.edges_s, dtype=np.int64)
    offset_s = series.start_s + first * series.step_s
    low = (edges_s[:-1] - offset_s) // series.step_s
    high = -((offset_s - edges_s[1:]) // series.step_s)
    bounds_s = offset_s + series.step_s * np.arange(len(mean) + 1)
    peaks, means = np.empty(grid.n_slots), np.empty(grid.n_slots)
    for slot, (a, b) in enumerate(zip(low, high, strict=True)):
        overlap_s = np.minimum(bounds_s[a + 1 : b + 1], edges_s[slot + 1]) - np.maximum(bounds_s[a:b], edges_s[slot])
        peaks[slot] = peak[a:b].max()
        means[slot] = np.average(mean[a:b], weights=overlap_s)
    return peaks, means


def _notes(
    series: Series, first: int, missing: NDArray[np.bool_], grid: TimeGrid, ignore_future: bool, quantile: float
) -> tuple[str, ...]:
    starts_s = series.start_s + (first + np.arange(len(missing))) * series.step_s
    given = int(np.count_nonzero(~missing & (starts_s >= grid.start_s)))
    notes = []
    if given:
        notes.append(
            f"load of {series.unique_id}: {given} of the {len(missing)} intervals of the horizon have rows and are used as given,"
            f" all quantiles equal; set [forecast] ignore_future = true to forecast them"
        )
    if ignore_future and series.end_s - series.step_s >= grid.start_s:
        notes.append(f"load of {series.unique_id}: rows from {format_instant(grid.start_s)} on are left aside (ignore_future)")
    if missing.any():
        notes.append(
            f"load of {series.unique_id}: {int(missing.sum())} of the {len(missing)} intervals of the horizon are forecast and"
            f" planned for at the {quantile:.0%} quantile"
        )
    return tuple(notes)
