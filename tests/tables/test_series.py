"""Load as series on a regular grid: the step found, gaps left as gaps, irregular times named."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.errors import InputError
from schedplan.model.cluster import Cluster, Pool
from schedplan.tables.convert import content
from schedplan.tables.pools import PriceChange, price_series
from schedplan.tables.read import read_table
from schedplan.timegrid import TimeGrid

HEAD = "unique_id,ds,y\n"
START_S = 1796083200


@pytest.fixture
def load_of(write_text):
    def convert(text: str, name: str = "load.csv"):
        return content((read_table(write_text(name, text)),))

    return convert


def test_rows_in_any_order_make_a_regular_series_with_gaps(load_of):
    # hours 0, 1, 2, 4 of one day: differences 1, 1, 2, so the step is an hour and hour 3 is missing; hour 2 has no value
    text = (
        HEAD + "b,2026-12-01T04:00Z,5\nb,2026-12-01T00:00Z,1\na,2026-12-01T00:00Z,7\nb,2026-12-01T02:00Z,\nb,2026-12-01T01:00Z,2\n"
    )
    text += "a,2026-12-01T00:15Z,8\n"

    first, second = load_of(text).series

    assert ("a", START_S, 900, [7.0, 8.0]) == (first.unique_id, first.start_s, first.step_s, first.values.tolist())
    assert ("b", START_S, 3600) == (second.unique_id, second.start_s, second.step_s)
    assert np.array_equal([1.0, 2.0, np.nan, np.nan, 5.0], second.values, equal_nan=True)


def test_a_time_off_the_grid_is_named(load_of):
    text = HEAD + "a,2026-12-01T00:00Z,1\na,2026-12-01T01:00Z,1\na,2026-12-01T02:00Z,1\na,2026-12-01T02:30Z,1\n"

    with pytest.raises(InputError) as refused:
        load_of(text)

    (fault,) = refused.value.faults
    assert ("SP1015", 5, "2026-12-01T02:30:00Z") == (fault.code, fault.row, fault.seen)


def test_an_interval_that_stands_there_twice_is_a_fault(write_text, faults_of):
    path = write_text("load.csv", HEAD + "a,2026-12-01T00:00Z,1\na,2026-12-01T01:00:00+01:00,1\n")

    (fault,) = faults_of(path)

    assert ("SP1010", 3) == (fault.code, fault.row)


def test_a_single_row_has_no_interval(load_of):
    with pytest.raises(InputError, match="single row"):
        load_of(HEAD + "a,2026-12-01T00:00Z,1\n")


def test_a_single_row_beside_others_is_left_out_with_a_word(load_of):
    found = load_of(HEAD + "a,2026-12-01T00:00Z,1\na,2026-12-01T01:00Z,2\nb,2026-12-01T00:00Z,1\n")

    assert ["a"] == [one.unique_id for one in found.series]
    assert any("the series b has a single row" in note for note in found.notes)


def test_a_series_that_spans_centuries_in_seconds_is_refused(load_of):
    with pytest.raises(InputError) as refused:
        load_of(HEAD + "a,1990-01-01T00:00:00Z,1\na,1990-01-01T00:00:01Z,1\na,2190-01-01T00:00:00Z,1\n")

    assert "SP1012" == refused.value.faults[0].code


def test_wall_clock_hours_over_a_change_of_clocks_stay_hours(write_text):
    # in Berlin the hour 02:00 is missing on 29 March 2026: 01:00, 03:00, 04:00 are one hour apart
    from zoneinfo import ZoneInfo

    text = HEAD + "a,2026-03-29T01:00,1\na,2026-03-29T03:00,2\na,2026-03-29T04:00,3\n"

    (series,) = content((read_table(write_text("load.csv", text), zone=ZoneInfo("Europe/Berlin")),)).series

    assert (3600, [1.0, 2.0, 3.0]) == (series.step_s, series.values.tolist())


def test_a_forecast_made_elsewhere_arrives(load_of):
    head = "unique_id,ds,y_hat,q50,q80,q90,q95,q99\n"

    (forecast,) = load_of(head + "a,2026-12-01T00:00Z,5,5,6,7,8,9\na,2026-12-01T01:00Z,6,6,6,7,8,9\n", "forecast.csv").forecasts

    assert ("a", "given", START_S, 3600) == (forecast.unique_id, forecast.model, forecast.cutoff_s, forecast.step_s)
    assert [8.0, 8.0] == forecast.at(0.95).tolist()
    with pytest.raises(InputError, match="higher quantile"):
        load_of(head + "a,2026-12-01T00:00Z,5,5,4,7,8,9\na,2026-12-01T01:00Z,6,6,6,7,8,9\n", "forecast.csv")


def test_a_price_holds_until_the_next_and_is_averaged_within_a_slot():
    # slots 00-01, 01-02, 02-03; own price 10; 20 from 01:30; 40 from 02:00: 10, (10 + 20) / 2 = 15, 40
    cluster = Cluster((Pool("a", price_per_hour=10.0), Pool("b")))
    changes = (PriceChange("a", START_S + 5400, 20.0), PriceChange("a", START_S + 7200, 40.0))

    (series,) = price_series(changes, cluster, TimeGrid.regular(START_S, 60, 3))

    assert ("a", [10.0, 15.0, 40.0]) == (series.pool, series.per_hour.tolist())
