"""The whole forecast of one series: how good, how honest, and what it does with histories that go wrong."""

from __future__ import annotations

import time

import numpy as np
import pytest

from schedplan.forecast.backtest import plan_trial, rehearse
from schedplan.forecast.exact_sarima import ExactSarima
from schedplan.forecast.intervals import Recipe
from schedplan.forecast.options import Engine, ForecastOptions, ModelChoice
from schedplan.forecast.pipeline import ForecastResult, forecast_series
from schedplan.forecast.seasonal_naive import SeasonalNaive
from schedplan.model.forecast import Series

HOUR = 3600
DAY = 24
OPTIONS = ForecastOptions(DAY)


def _series(values: np.ndarray, step_s: int = HOUR) -> Series:
    return Series("load", 0, step_s, np.asarray(values, dtype=np.float64))


def _days(n_days: int, seed: int = 0, noise: float = 0.05, level: float = 100.0) -> np.ndarray:
    """Return hourly load with its trough at 3 and its peak at 15 o'clock, noisier where it is higher."""
    hours = np.arange(n_days * DAY)
    mean = level * (1 - 0.8 * np.cos(2 * np.pi * (hours - 3) / DAY))
    return np.asarray(mean * (1 + noise * np.random.default_rng(seed).normal(size=len(hours))))


def _well_formed(result: ForecastResult, options: ForecastOptions = OPTIONS) -> None:
    forecast = result.forecast
    rows = [forecast.mean, *forecast.quantiles, *(edge for _, low, high in forecast.bands for edge in (low, high))]
    for row in rows:
        assert row.shape == (options.horizon_steps,)
        assert np.isfinite(row).all()
        assert (row >= 0).all()
    assert (np.diff(forecast.quantiles, axis=0) >= 0).all()
    assert (forecast.at(0.95) >= forecast.mean).all()
    for _, low, high in forecast.bands:
        assert (low <= high).all()


def test_a_daily_load_is_forecast_better_than_by_repeating_it() -> None:
    # noise is independent: seasonal naive errs by sqrt(2) of it, the best forecast by 1, so relative MAE is at best 0.71;
    # a daily profile known from 14 days costs sqrt(1 + 1/14): 0.73, give or take 0.05 for 336 actuals
    result = forecast_series(_series(_days(28)), OPTIONS)

    _well_formed(result)
    assert result.quality.model == "sarima-blend"
    assert result.quality.relative_mae == pytest.approx(0.73, abs=0.05)
    assert result.forecast.cutoff_s == 28 * DAY * HOUR
    assert "below seasonal naive" in result.quality.verdict
    assert result.scores[0].model == "sarima-blend"


def test_the_p95_is_exceeded_as_often_as_it_says_in_every_part_of_the_day() -> None:
    # eight loads, about 1,900 forecasts each; the noise at the peak is nine times that of the trough, so a spread that did
    # not follow the hour would be exceeded by more than a tenth of the busy hours and by none of the quiet ones
    above, hours = [], []
    for seed in range(8):
        folds = forecast_series(_series(_days(28, seed)), OPTIONS).folds
        assert folds is not None
        q95 = folds.quantile(0.95)
        assert q95 is not None
        above.append(folds.actual > q95)
        hours.append((folds.origins_s[:, None] // HOUR + np.arange(DAY)) % DAY)
    exceeded, hour = np.concatenate(above), np.concatenate(hours)
    busy, quiet = exceeded[(hour >= 11) & (hour <= 19)], exceeded[(hour >= 23) | (hour <= 7)]

    assert 0.03 <= exceeded.mean() <= 0.08
    assert 0.03 <= busy.mean() <= 0.08
    assert 0.02 <= quiet.mean() <= 0.08


def test_a_backtest_does_not_see_what_comes_after_an_origin() -> None:
    # everything after step 560 changes; the folds whose origin lies before it must forecast the same, their quantiles too
    values = _days(28)
    other = values.copy()
    other[560:] = 7.0
    levels = Recipe((0.5, 0.95))
    for forecaster in (ExactSarima(DAY), SeasonalNaive(DAY)):
        seen = [plan_trial(_series(each), DAY, DAY, 84) for each in (values, other)]
        first, second = (rehearse(forecaster, trial, levels).folds for trial in seen if trial is not None)
        before = first.origins_s <= 560 * HOUR

        assert 0 < before.sum() < len(before)
        assert first.mean[before].tolist() == second.mean[before].tolist()
        assert first.quantiles[:, before].tolist() == second.quantiles[:, before].tolist()


@pytest.mark.parametrize("factor", [1e-9, 1e12])
def test_scaling_the_load_scales_the_forecast(factor: float) -> None:
    values = _days(21, level=1000.0)
    plain, scaled = (forecast_series(_series(each), OPTIONS) for each in (values, values * factor))

    assert scaled.quality.model == plain.quality.model
    assert scaled.forecast.mean / factor == pytest.approx(plain.forecast.mean, rel=1e-6)
    assert scaled.forecast.quantiles / factor == pytest.approx(plain.forecast.quantiles, rel=1e-6)


def test_shifting_the_load_shifts_the_forecast() -> None:
    values = _days(21)
    plain, shifted = (forecast_series(_series(each), OPTIONS) for each in (values, values + 5000.0))

    assert shifted.forecast.mean - 5000.0 == pytest.approx(plain.forecast.mean, rel=1e-5)
    assert shifted.forecast.quantiles - 5000.0 == pytest.approx(plain.forecast.quantiles, rel=1e-5)


def test_the_same_history_gives_the_same_bytes() -> None:
    first, second = (forecast_series(_series(_days(28, 4)), OPTIONS) for _ in range(2))

    assert first.forecast.quantiles.tobytes() == second.forecast.quantiles.tobytes()
    assert first.quality == second.quality


def test_a_constant_load_is_repeated_and_flagged() -> None:
    result = forecast_series(_series(np.full(28 * DAY, 42.0)), OPTIONS)

    _well_formed(result)
    assert result.quality.model == "constant"
    assert result.forecast.quantiles.tolist() == [[42.0] * DAY] * 5
    assert "without any spread" in result.forecast.notes[-1]


def test_a_load_of_zero_stays_zero_and_is_flagged() -> None:
    result = forecast_series(_series(np.zeros(28 * DAY)), OPTIONS)

    _well_formed(result)
    assert result.forecast.quantiles.max() == 0.0
    assert "zero" in result.forecast.notes[-1]


def test_thirty_hours_are_a_cold_start_with_a_wide_spread() -> None:
    values = _days(2)[:30]
    result = forecast_series(_series(values), OPTIONS)

    _well_formed(result)
    assert result.quality.model == "cold-start"
    assert result.forecast.mean[0] == pytest.approx(values.mean())
    assert result.forecast.at(0.95)[0] > values.max()
    assert "cold start: 30 intervals" in result.forecast.notes[0]
    assert result.quality.relative_mae is None


def test_three_days_are_repeated_and_not_fitted() -> None:
    result = forecast_series(_series(_days(3)), OPTIONS)

    _well_formed(result)
    assert result.quality.model == "seasonal-naive"


def test_two_days_are_repeated_without_a_judgement() -> None:
    result = forecast_series(_series(_days(2)), OPTIONS)

    _well_formed(result)
    assert (result.quality.model, result.quality.folds) == ("seasonal-naive", 0)
    assert "not judged" in result.quality.verdict


def test_no_value_at_all_is_no_number() -> None:
    for values in (np.array([]), np.full(50, np.nan)):
        result = forecast_series(_series(values), OPTIONS)

        assert result.quality.model == "none"
        assert np.isnan(result.forecast.quantiles).all()
        assert "no value at all" in result.forecast.notes[0]


def test_a_perfect_period_is_repeated_without_error() -> None:
    values = np.tile(np.linspace(0.1, 30.0, DAY), 28)
    result = forecast_series(_series(values), OPTIONS)

    _well_formed(result)
    assert result.quality.model == "seasonal-naive"
    assert result.forecast.mean == pytest.approx(values[:DAY])
    assert (result.quality.mase, result.quality.relative_mae) == (0.0, 1.0)


def test_a_mostly_idle_load_has_no_negative_band_and_is_flagged() -> None:
    generator = np.random.default_rng(2)
    values = np.where(generator.random(28 * DAY) < 0.15, generator.exponential(20.0, 28 * DAY), 0.0)
    result = forecast_series(_series(values), OPTIONS)

    _well_formed(result)
    assert "more than four fifths of the history is zero" in result.forecast.notes
    assert result.quality.exceedance_95 == pytest.approx(0.05, abs=0.03)


def test_a_nightly_batch_among_zeros_keeps_its_hours() -> None:
    # 4 of 24 hours: 83 % zeros, yet perfectly regular
    values = np.tile(np.repeat([0.0, 8.0, 0.0], [2, 4, 18]), 28)
    result = forecast_series(_series(values), OPTIONS)

    assert result.forecast.mean == pytest.approx(values[:DAY])


def test_one_spike_leaves_the_forecast_where_it_was() -> None:
    values = _days(28)
    spiked = values.copy()
    spiked[-30] = 50 * values.max()
    plain, result = (forecast_series(_series(each), OPTIONS) for each in (values, spiked))

    _well_formed(result)
    assert result.forecast.mean == pytest.approx(plain.forecast.mean, rel=0.1)
    assert result.forecast.at(0.95).max() < 1.5 * plain.forecast.at(0.95).max()
    assert any("spike" in note for note in result.forecast.notes)


def test_after_a_level_shift_the_forecast_stands_on_the_new_level() -> None:
    # 100 at first, 200 more since a week: the next day is about 300 on average
    values = _days(28)
    values[21 * DAY :] += 200.0
    result = forecast_series(_series(values), OPTIONS)

    _well_formed(result)
    assert result.forecast.mean.mean() == pytest.approx(300.0, rel=0.05)


def test_gaps_are_filled_and_told() -> None:
    values = _days(28)
    holed = values.copy()
    holed[100:110] = np.nan
    holed[600:605] = np.nan
    plain, result = (forecast_series(_series(each), OPTIONS) for each in (values, holed))

    _well_formed(result)
    assert result.forecast.mean == pytest.approx(plain.forecast.mean, rel=0.05)
    assert "15 of 672 values are missing" in result.forecast.notes[0]


def test_only_what_follows_a_long_gap_is_used() -> None:
    values = np.concatenate((np.full(200, 9000.0), np.full(40, np.nan), _days(14)))
    result = forecast_series(_series(values), OPTIONS)

    assert result.forecast.mean.max() < 300.0
    assert "the last 336 intervals of the history were used" in result.forecast.notes[0]


def test_a_gap_at_the_end_is_forecast_too() -> None:
    values = _days(28)
    result = forecast_series(_series(np.concatenate((values, np.full(6, np.nan)))), OPTIONS)
    longer = forecast_series(_series(values), ForecastOptions(30))

    assert result.forecast.cutoff_s == (28 * DAY + 6) * HOUR
    assert result.forecast.mean == pytest.approx(longer.forecast.mean[6:], rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_a_walk_without_season_is_given_none(seed: int) -> None:
    values = 1000.0 + np.cumsum(np.random.default_rng(seed).normal(size=28 * DAY))
    result = forecast_series(_series(values), OPTIONS)

    _well_formed(result)
    assert result.quality.model == "naive"
    assert result.quality.verdict.startswith("no season found")


def test_a_week_is_used_only_where_it_earns_its_place() -> None:
    # weekends at a third: yesterday misleads on Saturday and Monday, last week does not; independent noise leaves seasonal naive
    # of the week an error of sqrt(2) deviations, and a blend that also averages over days less
    weekly = forecast_series(_series(_days(28) * np.repeat(np.tile([1.0] * 5 + [0.3] * 2, 4), DAY)), OPTIONS)
    week = next(score for score in weekly.scores if score.model == "seasonal-naive-168")
    plain = forecast_series(_series(_days(28)), OPTIONS)

    assert week.relative_mae is not None
    assert week.relative_mae < 0.4
    assert weekly.quality.relative_mae is not None
    assert weekly.quality.relative_mae < 0.9 * week.relative_mae
    assert plain.quality.model != "seasonal-naive-168"


def test_the_mean_of_a_bursty_load_agrees_with_its_quantiles() -> None:
    # three tenths of the hours are bursts of 50 on average, the last hour is none: the last value, 1, is below P80 times a fifth
    generator = np.random.default_rng(0)
    values = np.where(generator.random(28 * DAY) < 0.3, generator.exponential(50.0, 28 * DAY), 1.0)
    values[-1] = 1.0
    forecast = forecast_series(_series(values), ForecastOptions(DAY, model=ModelChoice.NAIVE)).forecast

    assert forecast.model == "naive"
    assert (forecast.at(0.8) > 5.0).all()
    assert (forecast.mean >= 0.2 * forecast.at(0.8)).all()
    assert (forecast.mean >= 0.1 * forecast.at(0.8) + 0.1 * forecast.at(0.9)).all()
    assert any("the mean was raised" in note for note in forecast.notes)


def test_a_model_asked_for_is_used_and_judged() -> None:
    for choice in (choice for choice in ModelChoice if choice is not ModelChoice.AUTO):
        quality = forecast_series(_series(_days(21)), ForecastOptions(DAY, model=choice)).quality

        assert quality.model == choice.value
        assert quality.relative_mae is not None


def test_errors_are_told_by_how_far_ahead_they_are() -> None:
    # a load that grows by 1 an hour: the last value errs by 1 an hour ahead, by 6 six hours ahead; nothing is 24 hours ahead of 12
    grows = forecast_series(_series(np.arange(400.0)), ForecastOptions(12, model=ModelChoice.NAIVE))

    assert grows.scores[0].mae_ahead == pytest.approx((1.0, 6.0, 12.0, None))


def test_a_season_too_long_for_sarima_falls_back_and_says_why() -> None:
    asked = ForecastOptions(12, seasons=(144,), model=ModelChoice.SARIMA, engine=Engine.STATSMODELS)
    result = forecast_series(_series(_days(14), step_s=600), asked)

    assert result.quality.model == "seasonal-naive"
    assert any("a season of 144 steps is more than the 60" in note for note in result.forecast.notes)


@pytest.mark.parametrize("engine", Engine)
def test_every_engine_forecasts_a_daily_load(engine: Engine) -> None:
    # independent noise: repeating the day errs by sqrt(2) of it; 28 days leave each engine well below that
    result = forecast_series(_series(_days(28)), ForecastOptions(DAY, model=ModelChoice.SARIMA, engine=engine))

    _well_formed(result)
    assert result.quality.model == ("fourier" if engine is Engine.FOURIER else "sarima")
    assert result.quality.relative_mae is not None
    assert result.quality.relative_mae < 0.85


@pytest.mark.parametrize("engine", [Engine.STATSMODELS, Engine.FOURIER])
def test_an_engine_is_tried_beside_the_blend_and_has_to_earn_its_place(engine: Engine) -> None:
    tried = {score.model: score.mae for score in forecast_series(_series(_days(28)), ForecastOptions(DAY, engine=engine)).scores}
    plain = {score.model: score.mae for score in forecast_series(_series(_days(28)), OPTIONS).scores}

    assert set(tried) - set(plain) == {"fourier" if engine is Engine.FOURIER else "sarima"}
    assert {model: tried[model] for model in plain} == plain


def test_a_horizon_longer_than_the_history_is_answered() -> None:
    options = ForecastOptions(200)
    result = forecast_series(_series(_days(4)), options)

    _well_formed(result, options)


def test_a_step_that_does_not_divide_a_day_has_no_season() -> None:
    result = forecast_series(_series(_days(14), step_s=7 * 60), OPTIONS)

    _well_formed(result)
    assert "no season in the history" in result.quality.verdict


@pytest.mark.parametrize("seed", range(12))
def test_no_history_raises(seed: int) -> None:
    generator = np.random.default_rng(seed)
    n = int(generator.integers(1, 400))
    values = np.abs(generator.standard_cauchy(n)) * 10.0 ** generator.integers(-9, 9)
    values[generator.random(n) < generator.random() * 0.6] = np.nan
    values[generator.random(n) < generator.random() * 0.6] = 0.0
    values[0] = 1.0

    _well_formed(forecast_series(_series(values), OPTIONS))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"horizon_steps": 0}, "at least one step"),
        ({"seasons": (24, 12)}, "increasing"),
        ({"seasons": (1,)}, "at least 2 steps"),
        ({"levels": (100,)}, "percent"),
        ({"quantile_levels": (0.9, 0.5)}, "increasing"),
        ({"quantile_levels": ()}, "at least one quantile"),
        ({"folds": 0}, "at least one fold"),
        ({"plugin": "mine", "model": ModelChoice.NAIVE}, "exclude one another"),
    ],
)
def test_options_out_of_range_are_refused(change: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ForecastOptions(**({"horizon_steps": 24} | change))  # type: ignore[arg-type]


def test_noise_without_season_is_met_with_its_mean() -> None:
    # the mean errs by the deviation, seasonal naive by sqrt(2) of it
    result = forecast_series(_series(100.0 + np.random.default_rng(0).normal(size=28 * DAY)), OPTIONS)

    assert result.quality.model == "mean"
    assert result.quality.relative_mae == pytest.approx(0.71, abs=0.05)


def test_the_blend_costs_less_than_the_exact_likelihood() -> None:
    # measured: about a hundredth for the fit alone; asking for no more than less leaves room for any machine
    def cpu_s(options: ForecastOptions) -> float:
        begin_s = time.process_time()
        forecast_series(_series(_days(28, 1)), options)
        return time.process_time() - begin_s

    exact = ForecastOptions(DAY, model=ModelChoice.SARIMA, engine=Engine.STATSMODELS)
    for options in (OPTIONS, exact):
        cpu_s(options)

    assert cpu_s(OPTIONS) < cpu_s(exact)
