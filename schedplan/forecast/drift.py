"""Whether a forecast still fits what comes: drift, when to fit anew, and when to stop trusting it. It forecasts nothing.

Drift is told by three signs: the mean error of the newest week over that of the backtest; how often the P95 was exceeded, beside
what chance allows; and a cumulative sum of daily mean errors (Page, 1954, https://doi.org/10.1093/biomet/41.1-2.100). The breaker
is for the plan in force: while it is open, what is provided follows the load that was measured. As measures of `check`:

    forecast_drift          {series} mean error of the newest week / that of the backtest; whole: the largest
    forecast_cusum          {series} largest cumulative sum of daily mean errors either way, in standard errors; whole: the largest
    forecast_exceedance_95  {series} share of the intervals that came above the P95; whole: the largest
    forecast_coverage_95    {series} share of them in the 95 % band; whole: the least
    forecast_breaker        {series} 1 where three intervals in a row came above the quantile planned for, and no six in a row below
                            it since; else 0; whole: 1 where any is open
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast import metrics
from schedplan.model.breaker import Breaker
from schedplan.model.forecast import Forecast, Series

WEEK_S, DAY_S = 7 * 86_400, 86_400
MOST_RATIO = 1.5
CHANCE = 0.01
SLACK, MOST_SUM = 0.25, 3.0
"""In standard errors of the forecast, per day; our choice."""
REFIT_AFTER_S = WEEK_S
_NORMAL_95 = 1.6448536269514722


@dataclass(frozen=True, slots=True)
class Drift:
    """What came since a forecast was made, beside what it said; None = no value.

    points: intervals observed. mae_ratio: of the newest week, over the backtest's. exceeded: of the points, those above the P95;
    most_exceeded: so many by chance, once in a hundred times. cusum: largest cumulative sum, in standard errors.
    breaker_open: whether the breaker is open at the end, by the quantile that is planned for.
    """

    points: int
    mae_ratio: float | None
    exceeded: int
    most_exceeded: int
    coverage_95: float | None
    cusum: float | None
    breaker_open: bool

    @property
    def exceedance_95(self) -> float | None:
        return self.exceeded / self.points if self.points else None

    @property
    def alarms(self) -> tuple[str, ...]:
        """Return the signs of drift, each with its figure and bound."""
        found = []
        if self.mae_ratio is not None and self.mae_ratio > MOST_RATIO:
            found.append(
                f"the mean error of the newest week is {self.mae_ratio:.2f} times that of the backtest, above {MOST_RATIO:g}"
            )
        if self.exceeded > self.most_exceeded:
            found.append(f"the P95 was exceeded {self.exceeded} times in {self.points}, by chance at most {self.most_exceeded}")
        if self.cusum is not None and self.cusum > MOST_SUM:
            found.append(f"errors add up one way, to {self.cusum:.1f} standard errors, above {MOST_SUM:g}")
        return tuple(found)


def drift_of(forecast: Forecast, load: Series, quantile: float = 0.95, breaker: Breaker | None = None) -> Drift:
    """Return how a forecast fits the rows of `load` that lie in its horizon; ValueError where their grids differ."""
    actual = observed(forecast, load)
    newest = max(WEEK_S // forecast.step_s, 1)
    seen = np.flatnonzero(~np.isnan(actual))
    q95 = forecast.at(0.95)
    band = next(((low, high) for level, low, high in forecast.bands if level == 95), None)
    error = None
    if seen.size:
        recent = slice(max(int(seen[-1]) + 1 - newest, 0), int(seen[-1]) + 1)
        error = metrics.mae(actual[recent], forecast.mean[recent])
    states = (breaker or Breaker()).states(actual[: int(seen[-1]) + 1 if seen.size else 0], forecast.at(quantile))
    return Drift(
        points=int(seen.size),
        mae_ratio=None if error is None or not forecast.expected_mae else error / forecast.expected_mae,
        exceeded=int(np.count_nonzero(actual[seen] > q95[seen])),
        most_exceeded=most_by_chance(int(seen.size)),
        coverage_95=None if band is None else metrics.coverage(actual, *band),
        cusum=_cumulative(forecast, actual),
        breaker_open=bool(states[-1]),
    )


def refit_reason(drift: Drift, age_s: int) -> str | None:
    """Return why a forecaster is to be fitted anew: it drifts, or its fit is a week old; None where neither."""
    if drift.alarms:
        return drift.alarms[0]
    return f"the fit is {age_s / DAY_S:.0f} days old" if age_s >= REFIT_AFTER_S else None


def most_by_chance(points: int) -> int:
    """Return how many of so many independent points lie above their P95 in all but one of a hundred cases."""
    from scipy.stats import binom

    return int(binom.ppf(1 - CHANCE, points, 0.05)) if points else 0


def observed(forecast: Forecast, load: Series) -> NDArray[np.float64]:
    """Return what came in each interval of a forecast, float64 [h]; NaN = nothing yet. ValueError where the grids differ."""
    shift, off = divmod(forecast.cutoff_s - load.start_s, load.step_s)
    if load.step_s != forecast.step_s or off:
        raise ValueError(f"the forecast of {forecast.unique_id} does not lie on the grid of its load")
    actual = np.full(len(forecast.mean), np.nan)
    first, last = max(shift, 0), min(shift + len(actual), len(load.values))
    if first < last:
        actual[first - shift : last - shift] = load.values[first:last]
    return actual


def _cumulative(forecast: Forecast, actual: NDArray[np.float64]) -> float | None:
    """Return the largest two-sided cumulative sum of the daily mean error, in standard errors; None where these are zero."""
    se = (forecast.at(0.95) - forecast.at(0.5)) / _NORMAL_95
    with np.errstate(divide="ignore", invalid="ignore"):
        standardised = np.where(se > 0, (actual - forecast.mean) / se, np.nan)
    per_day = max(DAY_S // forecast.step_s, 1)
    up = down = most = 0.0
    is_known = False
    for begin in range(0, len(standardised), per_day):
        day = standardised[begin : begin + per_day]
        if np.isnan(day).all():
            continue
        is_known = True
        mean = float(np.nanmean(day))
        up, down = max(0.0, up + mean - SLACK), max(0.0, down - mean - SLACK)
        most = max(most, up, down)
    return most if is_known else None
