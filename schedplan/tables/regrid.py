"""Rows of a load put together to longer or regular intervals. It knows no table, and no forecast."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from enum import Enum

import numpy as np
from numpy.typing import NDArray


class Together(Enum):
    """What the rows of an interval become."""

    MEAN = "mean"
    SUM = "sum"
    MAX = "max"
    LAST = "last"


@dataclass(frozen=True, slots=True)
class Regrid:
    """step_s: of the intervals; None: the commonest difference of a series' times, from its first one on. zone: whose midnight
    intervals of a given step are counted from. may_repeat: several rows may have one time."""

    step_s: int | None = None
    together: Together = Together.MEAN
    zone: tzinfo = UTC
    may_repeat: bool = False


@dataclass(frozen=True, slots=True)
class Regular:
    """values: float64 [n], NaN = no row; interval i begins at start_s + i * step_s.

    left_out: rows of intervals at either end that are not filled.
    """

    start_s: int
    step_s: int
    values: NDArray[np.float64]
    left_out: int


def regrid(instants: NDArray[np.int64], values: NDArray[np.float64], native_s: int, asked: Regrid) -> Regular:
    """Return rows put together: the mean, sum or largest of those in an interval, or the newest of them.

    instants: int64 [n], not decreasing, n at least 1; values: float64 [n], NaN = none. native_s: time from a row to the next.
    With a step of its own (`asked.step_s`) the first and the last interval are left out where rows do not fill them.
    """
    step_s = asked.step_s or native_s
    begin_s = int(instants[0])
    if asked.step_s is not None:
        offset_s = _offset_s(begin_s, asked.zone)
        begin_s = (begin_s + offset_s) // step_s * step_s - offset_s
    at = (instants - begin_s) // step_s
    first, last = 0, int(at[-1])
    if first < last and instants[0] - begin_s >= native_s:
        first += 1
    if first < last and begin_s + (last + 1) * step_s - instants[-1] > native_s:
        last -= 1
    kept = (at >= first) & (at <= last)
    seen = kept & ~np.isnan(values)
    found = _together(at[seen] - first, values[seen], last - first + 1, asked.together)
    return Regular(begin_s + first * step_s, step_s, found, int(np.count_nonzero(~kept)))


def _together(at: NDArray[np.int64], values: NDArray[np.float64], n: int, together: Together) -> NDArray[np.float64]:
    count = np.bincount(at, minlength=n)
    if together in (Together.MEAN, Together.SUM):
        found = np.bincount(at, weights=values, minlength=n).astype(np.float64)
        found = found / np.maximum(count, 1) if together is Together.MEAN else found
    elif together is Together.MAX:
        found = np.full(n, -np.inf)
        np.maximum.at(found, at, values)
    else:
        found = np.zeros(n)
        found[at] = values
    return np.where(count > 0, found, np.nan)


def _offset_s(instant_s: int, zone: tzinfo) -> int:
    offset = datetime.fromtimestamp(instant_s, zone).utcoffset()
    return 0 if offset is None else round(offset.total_seconds())
