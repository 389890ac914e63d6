"""The backtest as one line in time: forecasts one horizon apart, each followed by what came. It judges nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast.backtest import Folds

MOST_FORECASTS = 10


@dataclass(frozen=True, slots=True)
class Record:
    """n intervals of step_s from start_s on, float64 [n] each: what came (NaN = not seen), the mean and the quantiles said before.

    low and high hold 80 % of outcomes; p95 is exceeded by a twentieth. origins_s: when each forecast was made.
    """

    model: str
    start_s: int
    step_s: int
    origins_s: tuple[int, ...]
    actual: NDArray[np.float64]
    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    p95: NDArray[np.float64]


def record_of(model: str, folds: Folds, step_s: int) -> Record | None:
    """Return the newest ten forecasts, each until the next one is made; None without their quantiles.

    They lie as many origins apart as fit into a horizon; where origins lie further apart than that, it is the newest alone.
    """
    low, high, p95 = (folds.quantile(level) for level in (0.1, 0.9, 0.95))
    if low is None or high is None or p95 is None or not len(folds.origins_s):
        return None
    horizon = folds.actual.shape[1]
    spacing = int(folds.origins_s[1] - folds.origins_s[0]) // step_s if len(folds.origins_s) > 1 else horizon
    every = max(1, horizon // spacing)
    rows = np.arange(len(folds.origins_s) - 1, -1, -every)[:MOST_FORECASTS][::-1]
    length = min(every * spacing, horizon)
    if length < every * spacing and len(rows) > 1:
        rows = rows[-1:]

    def line(values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what each forecast says until the next is made; of the last, all of it."""
        return np.concatenate([values[row, : horizon if row == rows[-1] else length] for row in rows])

    lines = [line(values) for values in (folds.actual, folds.mean, low, high, p95)]
    return Record(model, int(folds.origins_s[rows[0]]), step_s, tuple(map(int, folds.origins_s[rows])), *lines)
