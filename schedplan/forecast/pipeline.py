"""One history in, one forecast with its quality out: guard, try on the past, choose, forecast. It knows no method itself.

No history makes it raise: what cannot be forecast well falls down a ladder (best of all - seasonal naive - mean with a wide
spread - no value), and says so in the notes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import floor, log10

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast import intervals
from schedplan.forecast.backtest import Folds, Rehearsal, Score, Trial, past_errors, plan_trial, rehearse, score
from schedplan.forecast.decision import LEVELS as DECISION_LEVELS
from schedplan.forecast.decision import Decided, Provision, decide
from schedplan.forecast.forecaster import Fitted, Forecaster, NotFitted, fit_anew
from schedplan.forecast.gaussian import standard_quantiles
from schedplan.forecast.intervals import Recipe, Spread
from schedplan.forecast.level_blend import NAME as LEVEL_BLEND
from schedplan.forecast.level_shift import level_shift
from schedplan.forecast.online import Online
from schedplan.forecast.options import ForecastOptions, ModelChoice
from schedplan.forecast.record import Record, record_of
from schedplan.forecast.regularise import is_flat, is_sparse, regularise, usable_from
from schedplan.forecast.season import DAY_S, default_seasons, has_daily_season
from schedplan.forecast.selection import best, candidates, is_hopeless, verdict
from schedplan.model.forecast import Forecast, Quality, Series
from schedplan.timegrid import format_instant

SCORED_LEVELS = (0.025, 0.1, 0.9, 0.95, 0.975)
MOST_SEASONS_USED = 56
MOST_STEPS_USED = 10_000
LEAST_STEPS = 10
COLD_DEVIATIONS = 1.5
COLD_SHARE_OF_MEAN = 0.25
DIGITS = 10
RAISED = "the last value lies below what its quantiles allow a mean to be; the mean was raised to that"


@dataclass(frozen=True, slots=True)
class ForecastResult:
    """A forecast, how its forecaster did out of sample, and how the others did.

    scores: one per forecaster tried, the one used first; empty without a backtest. folds: the scored forecasts of the one
    used; None without a backtest. decided: what it would have made a planner buy; None where that was not asked for. online: the
    fitted forecaster, for new points without a new fit; None where nothing was fitted. record: the newest folds as one line.
    """

    forecast: Forecast
    quality: Quality
    scores: tuple[Score, ...] = ()
    folds: Folds | None = None
    decided: Decided | None = None
    online: Online | None = None
    record: Record | None = None


@dataclass(frozen=True, slots=True)
class _History:
    """The part of a series that is used: it begins and ends with a value. lead: steps from its end to the cutoff."""

    series: Series
    seasons: tuple[int, ...]
    lead: int
    notes: tuple[str, ...]

    @property
    def first_season(self) -> int:
        return self.seasons[0] if self.seasons else 1


@dataclass(frozen=True, slots=True)
class _Expected:
    """mean float64 [h] and quantiles [levels, h] from the cutoff on, by the forecaster called `model`."""

    model: str
    mean: NDArray[np.float64]
    quantiles: NDArray[np.float64]
    notes: tuple[str, ...] = ()
    online: Online | None = None


@dataclass(frozen=True, slots=True)
class _Tried:
    """What the backtest showed: a rehearsal and a score per forecaster that could be tried, and why others could not."""

    trial: Trial | None
    rehearsals: tuple[Rehearsal, ...]
    scores: tuple[Score, ...]
    notes: tuple[str, ...]

    def fitted(self, model: str) -> Fitted | None:
        """Return a forecaster as it stood at the last origins; None where it was not tried."""
        return next((each.fitted for each in self.rehearsals if each.model == model), None)

    def spread_of(self, model: str, season: int, recipe: Recipe) -> Spread:
        """Return the spread all errors of a model show; the normal one where it was not tried."""
        for each in self.rehearsals:
            if each.model == model and self.trial is not None:
                end = len(self.trial.observed)
                return past_errors(self.trial, each.errors, each.se).spread_at(end, season, recipe)
        return Spread(np.ones(season), standard_quantiles(recipe.levels), 0)


def forecast_series(series: Series, options: ForecastOptions, provision: Provision | None = None) -> ForecastResult:
    """Return the forecast of `options.horizon_steps` intervals after the end of a series, and its quality.

    The forecaster is fitted on the whole history; its quality comes from a backtest in which everything, its parameters, the
    spread of its errors and the clipping of spikes, was known before each origin. Same input, same bytes. provision: how devices
    are ordered, where the backtest is to tell what each forecaster would have made a planner buy; it changes no forecast.
    """
    if np.isnan(series.values).all():
        note = f"the history of {series.unique_id} has no value at all"
        return _unjudged(series, options, _no_value(options, note), "not judged: there is no history to forecast from")
    history = _usable(series, options)
    if _is_cold(history, options):
        return _unjudged(series, options, _cold_start(history, options), "not judged: the history is too short for a backtest")
    if is_flat(history.series.values):
        return _unjudged(series, options, _constant(history, options), "constant: the history has one value only")
    return _by_backtest(series, history, options, provision)


def not_forecast(series: Series, options: ForecastOptions, why: str) -> ForecastResult:
    """Return a result without values for a series whose forecast failed, which says why."""
    failed = _no_value(options, f"{series.unique_id} could not be forecast ({why})")
    return _unjudged(series, options, failed, "not judged: the forecast failed")


def _usable(series: Series, options: ForecastOptions) -> _History:
    """Return what follows the last long gap, at most 56 seasons of it, without the gap at its end."""
    seen = np.flatnonzero(~np.isnan(series.values))
    end = int(seen[-1]) + 1
    lead = len(series.values) - end
    seasons = options.seasons or default_seasons(series.step_s, end)
    season = seasons[0] if seasons else 1
    longest = max(MOST_SEASONS_USED * season, 3 * seasons[-1]) if seasons else MOST_STEPS_USED
    begin = max(0, end - longest)
    begin += usable_from(series.values[begin:end], season)
    values = series.values[begin:end]
    notes = []
    gaps = int(np.count_nonzero(np.isnan(values)))
    if gaps:
        how = "the same phase of the seasons beside them" if season > 1 else "the values beside them"
        notes.append(f"{gaps} of {len(values)} values are missing and were filled from {how}")
    if lead:
        ended = (
            "interval of the history has no value; it was"
            if lead == 1
            else f"{lead} intervals of the history have no value; they were"
        )
        notes.append(f"the last {ended} forecast too")
    if not options.seasons and DAY_S % series.step_s and series.step_s < DAY_S:
        notes.append(f"a day is not a whole number of intervals of {series.step_s} s, so no season was looked for; see --freq")
    if begin > int(seen[0]):
        notes.append(f"the last {len(values)} intervals of the history were used, {begin} earlier ones left aside")
    kept = tuple(each for each in seasons if len(values) >= 2 * each)
    used = Series(series.unique_id, series.start_s + begin * series.step_s, series.step_s, values, series.unit)
    return _History(used, kept, lead, tuple(notes))


def _is_cold(history: _History, options: ForecastOptions) -> bool:
    n = len(history.series.values)
    if n < LEAST_STEPS:
        return True
    wants_season = options.model is not ModelChoice.NAIVE and (bool(options.seasons) or has_daily_season(history.series.step_s))
    return wants_season and not history.seasons


def _by_backtest(series: Series, history: _History, options: ForecastOptions, provision: Provision | None) -> ForecastResult:
    sparse = is_sparse(history.series.values)
    levels = tuple(sorted({*options.all_levels, *SCORED_LEVELS}))
    recipe = Recipe(levels, 0.0 if sparse else intervals.NORMAL_SHARE)
    ordered = () if provision is None else (*DECISION_LEVELS, provision.planned_level)
    tried_by = Recipe(tuple(sorted({*levels, *ordered})), recipe.normal_share)
    horizon = options.horizon_steps + history.lead
    forecasters = candidates(options, history.seasons, sparse)
    tried = _try(forecasters, plan_trial(history.series, history.first_season, horizon, options.folds), tried_by)
    chosen = _choose(options, forecasters, tried.scores)
    order = sorted(forecasters, key=lambda each: each.name != chosen)
    expected = _expect(order, history, horizon, tried, recipe)
    remarks = (*history.notes, *(("more than four fifths of the history is zero",) if sparse else ()), *tried.notes)
    used = next((each for each in tried.scores if each.model == expected.model), None)
    plain = _forecast(series, options, _after(expected, history.lead, remarks), levels)
    forecast = replace(plain, expected_mae=None if used is None else _digits(used.mae))
    shifted = _shift_words(series, history)
    return replace(_judged(series, forecast, tried, bool(history.seasons), shifted, provision), online=expected.online)


def _try(forecasters: tuple[Forecaster, ...], trial: Trial | None, recipe: Recipe) -> _Tried:
    """Return how each forecaster did on the past, and why some could not be tried."""
    if trial is None:
        return _Tried(None, (), (), ("the history is too short for a backtest",))
    found: dict[str, tuple[Rehearsal, Score]] = {}
    notes = []
    for forecaster in sorted(forecasters, key=lambda each: each.name == LEVEL_BLEND):
        if is_hopeless(forecaster.name, tuple(judged for _, judged in found.values())):
            continue
        try:
            rehearsal = rehearse(forecaster, trial, recipe)
        except NotFitted as reason:
            notes.append(str(reason))
        else:
            found[forecaster.name] = rehearsal, score(rehearsal, trial)
    in_order = [found[each.name] for each in forecasters if each.name in found]
    return _Tried(trial, tuple(each for each, _ in in_order), tuple(each for _, each in in_order), tuple(notes))


def _choose(options: ForecastOptions, forecasters: tuple[Forecaster, ...], scores: tuple[Score, ...]) -> str:
    """Return the name of the forecaster to use: the best of the backtest, or the first where a name was asked for."""
    winner = best(scores) if options.chooses_best else None
    return winner.model if winner else forecasters[0].name


def _expect(order: list[Forecaster], history: _History, horizon: int, tried: _Tried, recipe: Recipe) -> _Expected:
    """Return what the first of `order` that can be fitted to the whole history expects, its spread from its own backtest."""
    values = history.series.values
    regular = regularise(values, history.first_season, len(values))
    fit_on = Series(history.series.unique_id, history.series.start_s, history.series.step_s, regular.values)
    notes: tuple[str, ...] = ()
    if regular.clipped:
        spikes = "1 isolated spike was" if regular.clipped == 1 else f"{regular.clipped} isolated spikes were"
        notes = (f"{spikes} clipped for fitting, not for judging",)
    for forecaster in order:
        try:
            fitted = fit_anew(forecaster, fit_on, tried.fitted(forecaster.name))
            shape = tried.spread_of(forecaster.name, history.first_season, recipe)
            kept = Online(forecaster.name, fitted, fit_on.start_s, len(values), history.first_season, shape, recipe)
            ahead = kept.after(regular, horizon)
        except NotFitted as reason:
            notes = (*notes, str(reason))
            continue
        raised = (RAISED,) if ahead.is_raised else ()
        return _Expected(forecaster.name, ahead.mean, ahead.quantiles, (*notes, *fitted.notes, *raised), kept)
    return _wide_mean(values, horizon, recipe.levels, notes)


def _shift_words(series: Series, history: _History) -> str:
    """Return where the level of a history shifted and by how much; empty where it did not."""
    shift = level_shift(history.series.values, history.first_season)
    if shift is None:
        return ""
    at = format_instant(history.series.start_s + shift.step * series.step_s)
    return f"level shift at {at}: from {shift.before:.4g} to {shift.after:.4g}"


def _judged(
    series: Series, forecast: Forecast, tried: _Tried, seasonal: bool, remark: str, provision: Provision | None
) -> ForecastResult:
    used = next((each for each in tried.scores if each.model == forecast.model), None)
    if used is None:
        why = "not judged: the history is too short for a backtest"
        return ForecastResult(forecast, _quality_without_backtest(series, forecast.model, why))
    ranked = tuple(sorted(tried.scores, key=lambda each: each is not used))
    folds_of = {each.model: each.folds for each in tried.rehearsals}
    in_order = tuple((each.model, folds_of[each.model]) for each in ranked)
    decided = None if provision is None else decide(in_order, series.step_s, provision)
    folds = folds_of[forecast.model]
    return ForecastResult(
        forecast,
        _quality(series, used, ranked, seasonal, remark),
        ranked,
        folds,
        decided,
        record=record_of(forecast.model, folds, series.step_s),
    )


def _cold_start(history: _History, options: ForecastOptions) -> _Expected:
    n = len(history.series.values)
    note = f"cold start: {n} intervals are too few for a season; the mean of them is used with a wide spread"
    return _wide_mean(history.series.values, options.horizon_steps, options.all_levels, (*history.notes, note))


def _wide_mean(values: NDArray[np.float64], horizon: int, levels: tuple[float, ...], notes: tuple[str, ...]) -> _Expected:
    """Return the mean with one and a half times the deviation seen, at least a quarter of the mean."""
    mean = float(np.nanmean(values))
    deviation = max(COLD_DEVIATIONS * float(np.nanstd(values)), COLD_SHARE_OF_MEAN * abs(mean))
    rows = np.clip(mean + standard_quantiles(levels) * deviation, 0.0, None)
    return _Expected("cold-start", np.full(horizon, max(mean, 0.0)), np.repeat(rows[:, None], horizon, axis=1), notes)


def _constant(history: _History, options: ForecastOptions) -> _Expected:
    value = max(float(np.nanmean(history.series.values)), 0.0)
    what = "zero" if value == 0 else "the same"
    note = f"every value of the history is {what}; the forecast repeats it without any spread"
    shape = (len(options.all_levels), options.horizon_steps)
    return _Expected("constant", np.full(shape[1], value), np.full(shape, value), (*history.notes, note))


def _no_value(options: ForecastOptions, note: str) -> _Expected:
    shape = (len(options.all_levels), options.horizon_steps)
    return _Expected("none", np.full(shape[1], np.nan), np.full(shape, np.nan), (note,))


def _after(expected: _Expected, lead: int, remarks: tuple[str, ...]) -> _Expected:
    """Return what is expected from `lead` steps on, with what else was remarked said first and nothing said twice."""
    notes = tuple(dict.fromkeys((*remarks, *expected.notes)))
    return replace(expected, mean=expected.mean[lead:], quantiles=expected.quantiles[:, lead:], notes=notes)


def _unjudged(series: Series, options: ForecastOptions, expected: _Expected, why: str) -> ForecastResult:
    forecast = _forecast(series, options, expected, options.all_levels)
    return ForecastResult(forecast, _quality_without_backtest(series, expected.model, why))


def _forecast(series: Series, options: ForecastOptions, expected: _Expected, levels: tuple[float, ...]) -> Forecast:
    mean, quantiles = _rounded(expected.mean, expected.quantiles)
    row = {round(level, 6): quantiles[index] for index, level in enumerate(levels)}
    return Forecast(
        unique_id=series.unique_id,
        model=expected.model,
        cutoff_s=series.end_s,
        step_s=series.step_s,
        mean=mean,
        quantile_levels=options.quantile_levels,
        quantiles=np.array([row[round(level, 6)] for level in options.quantile_levels]),
        bands=tuple((level, row[round(0.5 - level / 200, 6)], row[round(0.5 + level / 200, 6)]) for level in options.levels),
        notes=expected.notes,
    )


def _digits(value: float | None) -> float | None:
    """Round to ten digits, for the same reason as forecasts."""
    return None if value is None else float(f"{value:.{DIGITS}g}")


def _rounded(mean: NDArray[np.float64], quantiles: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Round to ten digits of the largest value: what lies below differs by machine and thread count."""
    largest = float(np.max(quantiles[-1])) if np.isfinite(quantiles).all() else 0.0
    if not largest > 0:
        return mean, quantiles
    digits = DIGITS - 1 - floor(log10(largest))
    return np.round(mean, digits), np.round(quantiles, digits)


def _quality(series: Series, used: Score, scores: tuple[Score, ...], seasonal: bool, remark: str) -> Quality:
    return Quality(
        unique_id=series.unique_id,
        model=used.model,
        folds=used.folds,
        mase=used.mase,
        wape=used.wape,
        relative_mae=used.relative_mae,
        coverage_80=used.coverage_80,
        coverage_95=used.coverage_95,
        exceedance_95=used.exceedance_95,
        verdict=verdict(used, scores, seasonal, remark),
    )


def _quality_without_backtest(series: Series, model: str, why: str) -> Quality:
    return Quality(series.unique_id, model, 0, None, None, None, None, None, None, why)
