"""A forecaster tried on the past: from many origins, at parameters fitted before them. It chooses nothing."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd, isclose
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast import intervals, metrics
from schedplan.forecast.forecaster import Fitted, Forecaster, fit_anew
from schedplan.forecast.intervals import Recipe, Spread
from schedplan.forecast.regularise import Regular, regularise
from schedplan.forecast.seasonal_naive import repeat_season
from schedplan.model.forecast import Series

ORIGINS_PER_SEASON = 6
LEAST_SEASONS_FITTED = 2
PREFERRED_SEASONS_FITTED = 4
REFIT_GROWTH = 1.1
POOLED_ERRORS = 20_000
POOLED_SEASONS = 10
HOURS_AHEAD = (1, 6, 12, 24)
HOUR_S = 3600
# Scaling and back costs the last digits; below this share of the load an error is none.
EXACT = 1e-12

_Number = TypeVar("_Number", np.float64, np.int64)


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
    def refits(self) -> tuple[tuple[int, NDArray[np.bool_]], ...]:
        """Return (values to fit on, origins forecast at those parameters): anew whenever the history has grown by a tenth."""
        known = [self.split]
        while known[-1] * REFIT_GROWTH <= self.origins[-1]:
            known.append(int(known[-1] * REFIT_GROWTH))
        block = np.maximum(np.searchsorted(known, self.origins, side="right") - 1, 0)
        return tuple((step, block == index) for index, step in enumerate(known) if (block == index).any())

    @property
    def targets(self) -> NDArray[np.int64]:
        """Return the step each forecast is of, int64 [K, h]; those at or beyond n have no actual yet."""
        return np.asarray(self.origins[:, None] + np.arange(self.horizon))

    def fit_on(self, known: int | None) -> Series:
        """Return the first `known` values as forecasters see them, all of them for None."""
        return Series(self.series.unique_id, self.series.start_s, self.series.step_s, self.regular.values[:known])

    @property
    def actual(self) -> NDArray[np.float64]:
        """Return what came, float64 [K, h]; NaN = not seen."""
        padded = np.concatenate((self.observed, np.full(self.horizon, np.nan)))
        return np.asarray(padded[self.targets])


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What one forecaster did in a trial: errors (actual - mean) and their standard error, float64 [K, h] each.

    fitted: as it stood at the last origins.
    """

    model: str
    errors: NDArray[np.float64]
    se: NDArray[np.float64]
    folds: Folds
    fitted: Fitted | None = None


@dataclass(frozen=True, slots=True)
class PastErrors:
    """Errors with their standard errors, the phase of the season they fell on, their step and that of their origin, [E] each."""

    errors: NDArray[np.float64]
    se: NDArray[np.float64]
    phase: NDArray[np.int64]
    target: NDArray[np.int64]
    origin: NDArray[np.int64]
    oldest: int | None

    def spread_at(self, step: int, season: int, recipe: Recipe) -> Spread:
        """Return the spread that was known before `step`, from the newest forecasts."""
        known = self.target < step
        if self.oldest is not None:
            known &= self.origin >= step - self.oldest
        return intervals.spread(self.errors[known], self.se[known], self.phase[known], season, recipe)


@dataclass(frozen=True, slots=True)
class Folds:
    """The scored part of a backtest, in the unit of the series. F folds, h steps, Q levels.

    origins_s int64 [F]; actual, mean, yardstick (seasonal naive) float64 [F, h]; quantiles float64 [Q, F, h]. mean is what the
    forecaster itself says: errors in absolute terms judge that, not what its quantiles make of it.
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
    """How one forecaster did over the folds; None = no value. pinball_95 and mae are in the unit of the series.

    mae_halves: of the older and of the newer half of the folds. smape: 0 to 200. mae_ahead: of the forecasts so far ahead, one for
    each of HOURS_AHEAD.
    """

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
    mae_halves: tuple[float | None, float | None] = (None, None)
    smape: float | None = None
    mae_ahead: tuple[float | None, ...] = (None,) * len(HOURS_AHEAD)


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
    """Return what a forecaster, fitted before each origin, would have said from it; NotFitted where it can't be."""
    mean, se = np.empty((2, len(trial.origins), trial.horizon))
    fitted = None
    for known, own in trial.refits:
        fitted = fit_anew(forecaster, trial.fit_on(known), fitted)
        rolled = fitted.roll(trial.fit_on(None), trial.origins[own], trial.horizon)
        mean[own], se[own] = rolled.mean, rolled.se
    regular = trial.regular
    mean, se = mean * regular.scale + regular.centre, se * regular.scale
    errors = trial.actual - mean
    return Rehearsal(forecaster.name, errors, se, _folds(trial, mean, se, errors, recipe), fitted)


def score(rehearsal: Rehearsal, trial: Trial) -> Score:
    """Return every measure of a rehearsal over its folds."""
    folds = rehearsal.folds
    error = metrics.mae(folds.actual, folds.mean)
    if error is not None and error <= EXACT * (abs(trial.regular.centre) + trial.regular.scale):
        error = 0.0
    q95 = folds.quantile(0.95)
    half = len(folds.origins_s) // 2
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
        mae_halves=(metrics.mae(folds.actual[:half], folds.mean[:half]), metrics.mae(folds.actual[half:], folds.mean[half:])),
        smape=metrics.smape(folds.actual, folds.mean),
        mae_ahead=tuple(_mae_ahead(folds, hours * HOUR_S, trial.series.step_s) for hours in HOURS_AHEAD),
    )


def _mae_ahead(folds: Folds, ahead_s: int, step_s: int) -> float | None:
    """Return the MAE of the interval that ends so long after the origin; None where none does within the horizon."""
    steps, rest = divmod(ahead_s, step_s)
    if rest or not 1 <= steps <= folds.mean.shape[1]:
        return None
    return metrics.mae(folds.actual[:, steps - 1], folds.mean[:, steps - 1])


def _folds(trial: Trial, mean: NDArray[np.float64], se: NDArray[np.float64], errors: NDArray[np.float64], recipe: Recipe) -> Folds:
    """Return the scored forecasts; the spread of a fold comes from errors that were known at its origin.

    It is taken anew once a season: a handful more errors in thousands hardly move it.
    """
    rows = np.flatnonzero(trial.folds)
    targets, season = trial.targets, trial.season
    seen = past_errors(trial, errors, se)
    quantiles = np.empty((len(recipe.levels), len(rows), trial.horizon))
    for first in range(0, len(rows), ORIGINS_PER_SEASON):
        shape = seen.spread_at(int(trial.origins[rows[first]]), season, recipe)
        for fold in range(first, min(first + ORIGINS_PER_SEASON, len(rows))):
            row = rows[fold]
            quantiles[:, fold] = intervals.quantiles(mean[row], se[row], targets[row] % season, shape, recipe)
    return Folds(
        origins_s=trial.series.start_s + trial.origins[rows] * trial.series.step_s,
        actual=trial.actual[rows],
        mean=np.clip(mean[rows], 0.0, None),
        yardstick=repeat_season(trial.regular.filled, trial.origins[rows], trial.horizon, season),
        levels=recipe.levels,
        quantiles=quantiles,
    )


def past_errors(trial: Trial, errors: NDArray[np.float64], se: NDArray[np.float64]) -> PastErrors:
    """Return the errors spreads are taken from: all of them, or evenly chosen ones where there are more than 20,000.

    With a season, those of the newest ten seasons alone: loads grow, and so do their errors.
    """
    season, targets = trial.season, trial.targets
    origins = np.repeat(trial.origins[:, None], trial.horizon, axis=1)
    return PastErrors(
        errors=_thinned(errors, season),
        se=_thinned(se, season),
        phase=_thinned(targets % season, season),
        target=_thinned(targets, season),
        origin=_thinned(origins, season),
        oldest=None if season == 1 else trial.horizon + POOLED_SEASONS * season,
    )


def _thinned(rows: NDArray[_Number], season: int) -> NDArray[_Number]:
    """Return every so-maniest entry, row after row; so many that each phase of the season keeps its share."""
    every = max(1, rows.size // POOLED_ERRORS)
    while gcd(every, season) > 1 or gcd(every, rows.shape[1]) > 1:
        every += 1
    return rows.reshape(-1)[::every]


def _covered(folds: Folds, percent: int) -> float | None:
    lower, upper = folds.quantile(0.5 - percent / 200), folds.quantile(0.5 + percent / 200)
    return None if lower is None or upper is None else metrics.coverage(folds.actual, lower, upper)
