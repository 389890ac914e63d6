"""Load over time: what was seen, and what is expected with its quantiles. It does not know how a forecast is made."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

QUANTILES = (0.5, 0.8, 0.9, 0.95, 0.99)


@dataclass(frozen=True, slots=True)
class Series:
    """One load on a regular grid. `values` float64 [n], NaN = gap; interval i begins at start_s + i * step_s."""

    unique_id: str
    start_s: int
    step_s: int
    values: NDArray[np.float64]
    unit: str | None = None

    @property
    def end_s(self) -> int:
        return self.start_s + self.step_s * len(self.values)


@dataclass(frozen=True, slots=True)
class Quality:
    """How a series' forecaster did out of sample, over the folds of its backtest, beside seasonal naive.

    relative_mae is MAE / MAE of seasonal naive; coverage_* the share of actuals inside that band; None = no value.
    """

    unique_id: str
    model: str
    folds: int
    mase: float | None
    wape: float | None
    relative_mae: float | None
    coverage_80: float | None
    coverage_95: float | None
    exceedance_95: float | None
    verdict: str


@dataclass(frozen=True, slots=True)
class Forecast:
    """Expected load of one series over h intervals from `cutoff_s` on. All arrays float64 [h], never negative.

    `quantiles` has one row per entry of `levels` ([len(levels), h], non-decreasing down the rows); `bands` maps a level in
    percent (80, 95) to its central interval as (lower, upper). expected_mae: mean absolute error in the backtest, None without one.
    """

    unique_id: str
    model: str
    cutoff_s: int
    step_s: int
    mean: NDArray[np.float64]
    quantile_levels: tuple[float, ...]
    quantiles: NDArray[np.float64]
    bands: tuple[tuple[int, NDArray[np.float64], NDArray[np.float64]], ...] = ()
    notes: tuple[str, ...] = ()
    expected_mae: float | None = None

    @property
    def has_values(self) -> bool:
        """False where nothing could be forecast: then every value is NaN, and the notes say why."""
        return not np.isnan(self.mean).any()

    def at(self, level: float) -> NDArray[np.float64]:
        """Return the quantile `level` per interval, linear between the known ones; ValueError outside their range."""
        if not self.quantile_levels[0] <= level <= self.quantile_levels[-1]:
            raise ValueError(f"the quantile {level} is outside {self.quantile_levels[0]} to {self.quantile_levels[-1]}")
        above = int(np.searchsorted(self.quantile_levels, level))
        if self.quantile_levels[above] == level:
            return np.array(self.quantiles[above])
        lower, upper = self.quantiles[above - 1], self.quantiles[above]
        slope = (upper - lower) / (self.quantile_levels[above] - self.quantile_levels[above - 1])
        return np.asarray(slope * (level - self.quantile_levels[above - 1]) + lower)
