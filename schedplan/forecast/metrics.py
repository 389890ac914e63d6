"""Measures of forecast error, each defined once, with what it is where its denominator is zero.

Arrays are float64 of one shape; a NaN in `actual` (never observed) takes that point out. None = no value. Definitions after
Hyndman and Koehler, "Another look at measures of forecast accuracy", 2006, https://doi.org/10.1016/j.ijforecast.2006.03.001,
and Gneiting and Raftery, "Strictly proper scoring rules", 2007, https://doi.org/10.1198/016214506000001437.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def mae(actual: NDArray[np.float64], mean: NDArray[np.float64]) -> float | None:
    """Return mean |y - f|; None without an observed point."""
    return _mean(np.abs(actual - mean))


def seasonal_change(values: NDArray[np.float64], season: int) -> float | None:
    """Return mean |y(t) - y(t - season)|: what MASE is scaled by; None where no pair was observed."""
    return _mean(np.abs(values[season:] - values[:-season]))


def mase(error: float | None, change: float | None) -> float | None:
    """Return MAE over the mean seasonal change of the history fitted on; where that is zero: 0 without error, else None."""
    return _ratio(error, change, both_zero=0.0)


def relative_mae(error: float | None, yardstick: float | None) -> float | None:
    """Return MAE over that of seasonal naive at the same points; where that is zero: 1 without error, else None."""
    return _ratio(error, yardstick, both_zero=1.0)


def wape(actual: NDArray[np.float64], mean: NDArray[np.float64]) -> float | None:
    """Return sum |y - f| / sum |y|; None where the sum of actuals is zero."""
    seen = ~np.isnan(actual)
    total = float(np.sum(np.abs(actual[seen])))
    return float(np.sum(np.abs(actual[seen] - mean[seen]))) / total if total > 0 else None


def smape(actual: NDArray[np.float64], mean: NDArray[np.float64]) -> float | None:
    """Return the mean of 200 |y - f| / (|y| + |f|), 0 to 200, 0 where both are zero; None without an observed point."""
    size = np.abs(actual) + np.abs(mean)
    return _mean(200 * np.abs(actual - mean) / np.where(size == 0, 1.0, size))


def pinball(actual: NDArray[np.float64], quantile: NDArray[np.float64], level: float) -> float | None:
    """Return mean max(q (y - z), (q - 1)(y - z)) of the quantile z at level q; None without an observed point."""
    error = actual - quantile
    return _mean(np.maximum(level * error, (level - 1) * error))


def coverage(actual: NDArray[np.float64], lower: NDArray[np.float64], upper: NDArray[np.float64]) -> float | None:
    """Return the share of actuals in [lower, upper]; None without an observed point."""
    seen = ~np.isnan(actual)
    return _mean(((actual >= lower) & (actual <= upper))[seen].astype(np.float64))


def exceedance(actual: NDArray[np.float64], quantile: NDArray[np.float64]) -> float | None:
    """Return the share of actuals above a quantile; None without an observed point."""
    seen = ~np.isnan(actual)
    return _mean((actual > quantile)[seen].astype(np.float64))


def _mean(values: NDArray[np.float64]) -> float | None:
    seen = values[~np.isnan(values)]
    return float(np.mean(seen)) if seen.size else None


def _ratio(numerator: float | None, denominator: float | None, both_zero: float) -> float | None:
    if numerator is None or denominator is None:
        return None
    if denominator == 0:
        return both_zero if numerator == 0 else None
    return numerator / denominator
