"""A forecaster tried on the past: from many origins, at parameters fitted before the first of them. It chooses nothing."""

from __future__ import annotations

from dataclasses import dataclass
from math import isclose

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast import intervals, metrics
from schedplan.forecast.forecaster import Forecaster, Rolled
from schedplan.forecast.intervals import Recipe
from schedplan.forecast.regularise import Regular, regularise
from schedplan.forecast.seasonal_naive import repeat_season
from schedplan.model.forecast import Series

ORIGINS_PER_SEASON = 6
LEAST_SEASONS_FITTED = 2
PREFERRED_SEASONS_FITTED = 4
# Scaling and back costs the last digits; below this share of the load an error is none.
EXACT = 1e-12


@dataclass(frozen=True, slots=True)
class Trial:
    """The past, cut into what is fitted on and what is forecast.

    observed: float64 [n], NaN = never seen; regular: the same made fit, by what is known before `split`.
    origins: int64 [K], increasing, each forecast looks at values before its origin alone; folds: bool [K], those that are
    scored: at or after `split`, with their whole horizon observed or a gap. The others only show errors.
    """

    series: Series
    observed: NDArray[np.float64]
    regular: Regular
    season: int
    horizon: int
    split: int
    origins: NDArray[np.int64]
    folds: NDArray[np.bool_]

    @property
    def targets(self) -> NDArray[np.int64]:
        """Return the step each forecast is of, int64 [K, h]; those at or beyond n have no actual yet."""
        return np.asarray(self.origins[:, None] + np.arange(self.horizon))

    @property
    def actual(self) -> NDArray[np.float64]:
        """Return what came, float64 [K, h]; NaN = not seen."""
        padded = np.concatenate((self.observed, np.full(self.horizon, np.nan)))
        return np.asarray(padded[self.targets])


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What one forecaster did in a trial: errors (actual - mean) float64 [K, h] and their standard error [h]."""

    model: str
    errors: NDArray[np.float64]
    se: NDArray[np.float64]
    folds: Folds


@dataclass(frozen=True, slots=True)
class Folds:
    """The scored part of a backtest, in the unit of the series. F folds, h steps, Q levels.

    origins_s int64 [F]; actual, mean, yardstick (seasonal naive) float64 [F, h]; quantiles float64 [Q, F, h].
    """

    origins_s: NDArray[np.int64]
    actual: NDArray[np.float64]
    mean: NDArray[np.float64]
    yardstick: NDArray[np.float64]
    levels: tuple[float, ...]
    quantiles: NDArray[np.float64]

    def quantile(self, level: float) -> NDArray[np.float64] | None:
        """Return the quantile of a level, float64 [F, h]; None where it was not computed."""
        for index, known in enumerate(self.levels):
            if isclose(known, level):
                return np.asarray(self.quantiles[index])
        return None


@dataclass(frozen=True, slots=True)
class Score:
    """How one forecaster did over the folds; None = no value. pinball_95 and mae are in the unit of the series."""

    model: str
    folds: int
    mae: float | None
    mase: float | None
    wape: float | None
    relative_mae: float | None
    pinball_95: float | None
    coverage_80: float | None
    coverage_95: float | None
    exceedance_95: float | None


def plan_trial(series: Series, season: int, horizon: int, most_folds: int) -> Trial | None:
    """Return the trial of a history that ends with a value; None where it is too short for a single fold.

    Origins lie a sixth of a season apart, the last one horizon before the end. At most half of the history is scored; four
    seasons are left to fit on where that leaves a fold, else two.
    """
    n = len(series.values)
    step = max(1, season // ORIGINS_PER_SEASON) if season > 1 else max(1, horizon // ORIGINS_PER_SEASON)
    last = n - horizon
    least = LEAST_SEASONS_FITTED * max(season, 2)
    if last < least:
        return None
    earliest = max(n // 2, PREFERRED_SEASONS_FITTED * season)
    earliest = min(max(earliest, least), last)
    scored = min(most_folds, 1 + (last - earliest) // step)
    split = last - (scored - 1) * step
    origins = np.concatenate((np.arange(last, least - 1, -step)[::-1], np.arange(last + step, n, step)))
    return Trial(
        series=series,
        observed=series.values,
        regular=regularise(series.values, season, split),
        season=season,
        horizon=horizon,
        split=split,
        origins=origins,
        folds=(origins >= split) & (origins <= last),
    )


def rehearse(forecaster: Forecaster, trial: Trial, recipe: Recipe) -> Rehearsal:
    """Return what a forecaster, fitted before the split, would have said from each origin; NotFitted where it can't be."""
    regular = trial.regular
    past = Series(trial.series.unique_id, trial.series.start_s, trial.series.step_s, regular.values[: trial.split])
    whole = Series(trial.series.unique_id, trial.series.start_s, trial.series.step_s, regular.values)
    rolled = forecaster.fit(past).roll(whole, trial.origins, trial.horizon)
    expected = Rolled(rolled.mean * regular.scale + regular.centre, rolled.se * regular.scale)
    errors = trial.actual - expected.mean
    return Rehearsal(forecaster.name, errors, expected.se, _folds(trial, expected, errors, recipe))


def score(rehearsal: Rehearsal, trial: Trial) -> Score:
    """Return every measure of a rehearsal over its folds."""
    folds = rehearsal.folds
    error = metrics.mae(folds.actual, folds.mean)
    if error is not None and error <= EXACT * (abs(trial.regular.centre) + trial.regular.scale):
        error = 0.0
    q95 = folds.quantile(0.95)
    return Score(
        model=rehearsal.model,
        folds=len(folds.origins_s),
        mae=error,
        mase=metrics.mase(error, metrics.seasonal_change(trial.observed[: trial.split], trial.season)),
        wape=metrics.wape(folds.actual, folds.mean),
        relative_mae=metrics.relative_mae(error, metrics.mae(folds.actual, folds.yardstick)),
        pinball_95=None if q95 is None else metrics.pinball(folds.actual, q95, 0.95),
        coverage_80=_covered(folds, 80),
        coverage_95=_covered(folds, 95),
        exceedance_95=None if q95 is None else metrics.exceedance(folds.actual, q95),
    )


def _folds(trial: Trial, expected: Rolled, errors: NDArray[np.float64], recipe: Recipe) -> Folds:
    """Return the scored forecasts; the spread of each fold comes from errors that were known at its origin."""
    rows = np.flatnonzero(trial.folds)
    phase = trial.targets % trial.season
    quantiles = np.empty((len(recipe.levels), len(rows), trial.horizon))
    for fold, row in enumerate(rows):
        known = np.where(trial.targets < trial.origins[row], errors, np.nan)
        shape = intervals.spread(known, expected.se, phase, trial.season, recipe)
        quantiles[:, fold] = intervals.quantiles(expected.mean[row], expected.se, phase[row], shape, recipe)
    return Folds(
        origins_s=trial.series.start_s + trial.origins[rows] * trial.series.step_s,
        actual=trial.actual[rows],
        mean=np.clip(expected.mean[rows], 0.0, None),
        yardstick=repeat_season(trial.regular.filled, trial.origins[rows], trial.horizon, trial.season),
        levels=recipe.levels,
        quantiles=quantiles,
    )


def _covered(folds: Folds, percent: int) -> float | None:
    lower, upper = folds.quantile(0.5 - percent / 200), folds.quantile(0.5 + percent / 200)
    return None if lower is None or upper is None else metrics.coverage(folds.actual, lower, upper)
