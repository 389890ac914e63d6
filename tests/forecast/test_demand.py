"""What each slot has to serve, from rows and forecasts on other grids than the slots."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.errors import InputError
from schedplan.forecast.demand import history, horizon_steps, slot_demand
from schedplan.model.forecast import Forecast, Series
from schedplan.timegrid import TimeGrid

HOUR = 3600


def _series(values: list[float], step_s: int = HOUR, start_s: int = 0) -> Series:
    return Series("web", start_s, step_s, np.array(values))


def _forecast(cutoff_s: int, mean: list[float], p95: list[float], step_s: int = HOUR) -> Forecast:
    return Forecast("web", "sarima", cutoff_s, step_s, np.array(mean), (0.5, 0.95), np.array([mean, p95]))


def test_forecast_hours_become_slots() -> None:
    grid = TimeGrid.regular(2 * HOUR, 60, 2)
    demand = slot_demand(_series([1.0, 2.0]), _forecast(2 * HOUR, [10.0, 20.0], [15.0, 30.0]), grid, 0.95)

    assert demand.peak_rps.tolist() == [15.0, 30.0]
    assert demand.mean_rps.tolist() == [10.0, 20.0]
    assert "2 of the 2 intervals of the horizon are forecast" in demand.notes[0]


def test_a_long_slot_takes_the_largest_quantile_and_the_weighted_mean() -> None:
    # a slot of two hours over four half hours: peak = largest of 15, 30, 45, 25; mean = (10 + 20 + 30 + 20) / 4
    grid = TimeGrid.regular(0, 120, 1)
    forecast = _forecast(0, [10.0, 20.0, 30.0, 20.0], [15.0, 30.0, 45.0, 25.0], HOUR // 2)
    demand = slot_demand(_series([], HOUR // 2), forecast, grid, 0.95)

    assert demand.peak_rps.tolist() == [45.0]
    assert demand.mean_rps.tolist() == [20.0]


def test_a_slot_that_cuts_an_interval_is_weighted_by_what_it_covers() -> None:
    # slots 0:30 to 1:30 and 1:30 to 2:30 over hours of 10, 20, 40: means (10+20)/2 and (20+40)/2, peaks 20 and 40
    grid = TimeGrid.regular(HOUR // 2, 60, 2)
    demand = slot_demand(_series([10.0, 20.0, 40.0]), None, grid, 0.95)

    assert demand.peak_rps.tolist() == [20.0, 40.0]
    assert demand.mean_rps.tolist() == [15.0, 30.0]


def test_short_slots_inside_an_interval_repeat_it() -> None:
    grid = TimeGrid.regular(0, 15, 4)

    assert slot_demand(_series([7.0]), None, grid, 0.95).peak_rps.tolist() == [7.0] * 4


def test_rows_inside_the_horizon_are_used_as_given_and_said_so() -> None:
    grid = TimeGrid.regular(HOUR, 60, 2)
    series = _series([1.0, 5.0])
    demand = slot_demand(series, _forecast(2 * HOUR, [10.0], [15.0]), grid, 0.95)

    assert demand.peak_rps.tolist() == [5.0, 15.0]
    assert demand.mean_rps.tolist() == [5.0, 10.0]
    assert "1 of the 2 intervals of the horizon have rows and are used as given" in demand.notes[0]


def test_a_forecast_gives_way_to_rows_unless_they_are_to_be_ignored() -> None:
    grid = TimeGrid.regular(HOUR, 60, 1)
    series, forecast = _series([1.0, 5.0]), _forecast(HOUR, [10.0], [15.0])
    ignored = slot_demand(series, forecast, grid, 0.95, ignore_future=True)

    assert slot_demand(series, forecast, grid, 0.95).peak_rps.tolist() == [5.0]
    assert ignored.peak_rps.tolist() == [15.0]
    assert "left aside" in ignored.notes[0]


def test_a_gap_in_given_rows_is_forecast() -> None:
    grid = TimeGrid.regular(0, 60, 2)
    demand = slot_demand(_series([np.nan, 5.0]), _forecast(0, [10.0, 10.0], [15.0, 15.0]), grid, 0.95)

    assert demand.peak_rps.tolist() == [15.0, 5.0]


def test_a_slot_without_row_or_forecast_is_refused() -> None:
    grid = TimeGrid.regular(0, 60, 2)
    with pytest.raises(InputError, match=r"1 of the 2 intervals .* the first at 1970-01-01T01:00:00Z"):
        slot_demand(_series([5.0]), None, grid, 0.95)


def test_a_forecast_without_values_is_refused() -> None:
    grid = TimeGrid.regular(0, 60, 1)
    with pytest.raises(InputError, match="neither a row nor a forecast"):
        slot_demand(_series([]), _forecast(0, [np.nan], [np.nan]), grid, 0.95)


def test_a_forecast_on_another_grid_is_a_fault_of_the_caller() -> None:
    with pytest.raises(ValueError, match="does not lie on the grid"):
        slot_demand(_series([1.0]), _forecast(HOUR + 60, [1.0], [1.0]), TimeGrid.regular(HOUR, 60, 1), 0.95)


def test_history_is_what_begins_before_the_grid() -> None:
    series = _series([1.0, 2.0, 3.0, 4.0])

    assert history(series, TimeGrid.regular(2 * HOUR, 60, 1)).values.tolist() == [1.0, 2.0]
    assert history(series, TimeGrid.regular(2 * HOUR + 1, 60, 1)).values.tolist() == [1.0, 2.0, 3.0]
    assert history(series, TimeGrid.regular(-HOUR, 60, 1)).values.tolist() == []


def test_horizon_steps_reach_from_the_end_of_the_history_to_the_end_of_the_grid() -> None:
    # history ends at hour 2; the grid is hours 3 to 5: three steps, one of them before the grid; given rows need none
    grid = TimeGrid.regular(3 * HOUR, 60, 2)

    assert horizon_steps(_series([1.0, 2.0]), grid) == 3
    assert horizon_steps(_series([1.0, 2.0, 3.0, 4.0, 5.0]), grid) == 0
    assert horizon_steps(_series([1.0, 2.0, 3.0, 4.0, 5.0]), grid, ignore_future=True) == 2
