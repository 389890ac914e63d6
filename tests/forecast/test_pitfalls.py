"""What is known to go wrong with forecasts of load, and the test that holds each of it; the ones found nowhere else stand here.

The list is that of the design of forecasts, from what was measured and from what users of other libraries report.
"""

from __future__ import annotations

import ast
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

from schedplan.forecast import exact_sarima
from schedplan.forecast.batch import Asked, forecast_each
from schedplan.forecast.exact_sarima import ExactSarima
from schedplan.forecast.options import Engine, ForecastOptions, ModelChoice
from schedplan.forecast.pipeline import forecast_series
from schedplan.model.forecast import Series

DAY = 24
TESTS = Path(__file__).parents[1]
PITFALLS = {
    "a constant load": "forecast/test_pipeline.py::test_a_constant_load_is_repeated_and_flagged",
    "a load of zero": "forecast/test_pipeline.py::test_a_load_of_zero_stays_zero_and_is_flagged",
    "a day and a bit of history": "forecast/test_pipeline.py::test_thirty_hours_are_a_cold_start_with_a_wide_spread",
    "two days of history": "forecast/test_pipeline.py::test_two_days_are_repeated_without_a_judgement",
    "three days of history": "forecast/test_pipeline.py::test_three_days_are_repeated_and_not_fitted",
    "terms of a week before there are three": "forecast/test_sarima_blend.py::test_members_come_with_the_length_of_the_history",
    "a gap": "forecast/test_pipeline.py::test_gaps_are_filled_and_told",
    "a gap longer than a season": "forecast/test_pipeline.py::test_only_what_follows_a_long_gap_is_used",
    "a gap at the end": "forecast/test_pipeline.py::test_a_gap_at_the_end_is_forecast_too",
    "no value at all": "forecast/test_pipeline.py::test_no_value_at_all_is_no_number",
    "infinity in a fit": "forecast/test_exact_sarima.py::test_infinity_reaches_the_fallback_as_a_refusal",
    "one huge spike": "forecast/test_pipeline.py::test_one_spike_leaves_the_forecast_where_it_was",
    "a spike in scoring": "forecast/test_regularise.py::test_one_spike_is_clipped_for_fitting_and_kept_for_scoring",
    "a level shift": "forecast/test_pipeline.py::test_after_a_level_shift_the_forecast_stands_on_the_new_level",
    "bands after a level shift": "forecast/test_level_shift.py::test_the_verdict_names_it_and_the_bands_narrow_again",
    "mostly zeros": "forecast/test_pipeline.py::test_a_mostly_idle_load_has_no_negative_band_and_is_flagged",
    "sMAPE of zeros": "forecast/test_metrics.py::test_smape_is_error_over_the_mean_of_both_and_zero_where_both_are_zero",
    "scale": "forecast/test_pipeline.py::test_scaling_the_load_scales_the_forecast",
    "shift": "forecast/test_pipeline.py::test_shifting_the_load_shifts_the_forecast",
    "a perfect period": "forecast/test_pipeline.py::test_a_perfect_period_is_repeated_without_error",
    "MASE over zero": "forecast/test_metrics.py::test_a_zero_denominator_has_a_defined_answer",
    "levels, not differences": "forecast/test_exact_sarima.py::test_forecast_and_error_growth_are_those_of_statsmodels",
    "many waves of a long season": "forecast/test_fourier.py::test_a_season_of_five_minutes_is_no_longer_than_another",
    "a season that is none": "forecast/test_pipeline.py::test_a_walk_without_season_is_given_none",
    "a week that is none, or one": "forecast/test_pipeline.py::test_a_week_is_used_only_where_it_earns_its_place",
    "a day of 23 hours": "forecast/test_wall_clock.py::test_a_day_of_23_hours_gets_one_between_its_neighbours",
    "a day of 25 hours": "forecast/test_wall_clock.py::test_a_day_of_25_hours_has_the_mean_of_both",
    "a change of half an hour": "forecast/test_wall_clock.py::test_a_change_of_half_an_hour_is_for_intervals_that_divide_it",
    "local hours that do not exist": "tables/test_series.py::test_wall_clock_hours_over_a_change_of_clocks_stay_hours",
    "offsets over a change": "workflows/test_forecast_files.py::test_times_are_shown_with_their_offset_over_a_change",
    "half-hour zones": "workflows/test_forecast_files.py::test_times_are_shown_in_a_zone_of_half_hours",
    "rows in any order": "tables/test_series.py::test_rows_in_any_order_make_a_regular_series_with_gaps",
    "times that repeat": "tables/test_series.py::test_an_interval_that_stands_there_twice_is_a_fault",
    "times that repeat, put together": "workflows/test_forecast_workflow.py::test_rows_are_put_together_as_asked",
    "a late bucket that is not filled": "tables/test_regrid.py::test_the_rows_of_an_hour_become_one",
    "mixed offsets": "workflows/test_forecast_files.py::test_times_of_several_offsets_are_one_series",
    "times off the grid": "tables/test_series.py::test_a_time_off_the_grid_is_named",
    "a single row": "tables/test_series.py::test_a_single_row_has_no_interval",
    "a step that divides no day": "forecast/test_pipeline.py::test_a_step_that_does_not_divide_a_day_has_no_season",
    "numbers as words, negative, infinite, empty files": "workflows/test_forecast_files.py::test_a_file_that_is_no_load_is_refused",
    "one bad series of many": "forecast/test_batch.py::test_a_bad_series_is_one_result_among_the_others",
    "a series that hangs": "parallel/test_run.py::test_an_input_that_hangs_is_ended_and_takes_no_other_with_it",
    "no horizon": "forecast/test_pipeline.py::test_options_out_of_range_are_refused",
    "a horizon longer than the history": "forecast/test_pipeline.py::test_a_horizon_longer_than_the_history_is_answered",
    "a season longer than the history": "forecast/test_pitfalls.py::test_a_season_longer_than_the_history_is_left_out",
    "events without a number": "workflows/test_forecast_files.py::test_an_event_that_is_none_is_refused",
    "events beyond the horizon": "workflows/test_forecast_files.py::test_an_event_after_the_horizon_moves_nothing",
    "events of the future in the past": "forecast/test_events.py::test_what_comes_later_has_no_say",
    "quantiles that cross": "forecast/test_intervals.py::test_quantiles_never_cross_nor_fall_below_zero_nor_the_p95_below_the_mean",
    "the P95 of a sum": "forecast/test_total.py::test_the_p95_of_a_sum_is_less_than_the_sum_of_the_p95s",
    "leaks": "forecast/test_pipeline.py::test_a_backtest_does_not_see_what_comes_after_an_origin",
    "leaks of clipping and filling": "forecast/test_regularise.py::test_what_is_made_of_a_value_depends_on_nothing_after_it",
    "one and several processes": "forecast/test_batch.py::test_processes_give_the_bytes_of_one_after_another",
    "warnings of a fit": "forecast/test_pitfalls.py::test_a_fit_that_does_not_converge_says_so_in_its_notes",
    "failures of linear algebra": "forecast/test_pitfalls.py::test_a_failure_of_linear_algebra_falls_down_the_ladder",
    "threads of linear algebra": "parallel/test_run.py::test_processes_have_one_thread_for_linear_algebra",
    "large results between processes": "forecast/test_pitfalls.py::test_what_processes_send_back_are_arrays",
    "whatever else": "forecast/test_pipeline.py::test_no_history_raises",
}


@pytest.mark.parametrize("test", sorted(set(PITFALLS.values())))
def test_every_pitfall_has_its_test(test: str) -> None:
    file, _, name = test.partition("::")
    module = ast.parse((TESTS / file).read_text(encoding="utf-8"))

    assert name in {node.name for node in module.body if isinstance(node, ast.FunctionDef)}


def _load(n_days: int = 10) -> Series:
    hours = np.arange(n_days * DAY)
    noise = np.random.default_rng(8).normal(size=len(hours))
    return Series("load", 0, 3600, 100 - 80 * np.cos(2 * np.pi * hours / DAY) + 5 * noise)


def test_a_fit_that_does_not_converge_says_so_in_its_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    # one step of the optimiser is not enough; the warning of statsmodels is kept with the series and shown nowhere else
    monkeypatch.setattr(exact_sarima, "_most_steps", lambda _: 1)
    with warnings.catch_warnings(record=True) as spilled:
        warnings.simplefilter("always")
        fitted = ExactSarima(DAY).fit(_scaled(_load()))

    assert any("the likelihood was still rising at the last step allowed" in note for note in fitted.notes)
    assert [] == spilled


def test_a_failure_of_linear_algebra_falls_down_the_ladder(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> np.ndarray:
        raise np.linalg.LinAlgError("LU decomposition error.")

    monkeypatch.setattr(exact_sarima, "_likeliest", fails)
    asked = ForecastOptions(DAY, model=ModelChoice.SARIMA, engine=Engine.STATSMODELS)
    result = forecast_series(_load(), asked)

    assert "seasonal-naive" == result.forecast.model
    assert "SARIMA could not be fitted (LinAlgError: LU decomposition error.)" in result.forecast.notes
    assert np.isfinite(result.forecast.quantiles).all()


def test_a_season_longer_than_the_history_is_left_out() -> None:
    # ten days: a season of a day and one of six days are asked for, the second has not come twice
    result = forecast_series(_load(), ForecastOptions(DAY, seasons=(DAY, 6 * DAY)))

    assert np.isfinite(result.forecast.mean).all()
    assert "seasonal-naive-144" not in {score.model for score in result.scores}


@pytest.mark.parametrize("engine", Engine)
def test_what_processes_send_back_are_arrays(engine: Engine) -> None:
    # a fit of statsmodels takes megabytes; a forecast of a day with its scores and its record a few ten thousand bytes
    asked = ForecastOptions(DAY, model=ModelChoice.SARIMA, engine=engine)
    (result,) = forecast_each([Asked(_load(), asked)])
    sent = pickle.dumps(result)

    assert "seasonal-naive" != result.forecast.model
    assert len(sent) < 100_000
    assert b"statsmodels" not in sent


def _scaled(series: Series) -> Series:
    values = (series.values - series.values.mean()) / series.values.std()
    return Series(series.unique_id, series.start_s, series.step_s, values)
