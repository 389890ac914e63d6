"""Days by the clock of those who use a load: days of 23 and 25 hours, zones of half an hour, and zones without any change."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from schedplan.forecast.batch import Asked, forecast_each
from schedplan.forecast.options import ForecastOptions
from schedplan.forecast.wall_clock import local_load
from schedplan.model.forecast import Series

HOUR = 3600
BERLIN = ZoneInfo("Europe/Berlin")


def load(start: str, days: int, zone: ZoneInfo, step_s: int = HOUR) -> Series:
    """Return a load that is the local hour of the day, a hundred at 9 o'clock."""
    start_s = int(datetime.fromisoformat(start).replace(tzinfo=UTC).timestamp())
    instants = start_s + step_s * np.arange(days * 86_400 // step_s)
    hours = [datetime.fromtimestamp(int(instant), zone).hour for instant in instants]
    return Series("web", start_s, step_s, np.array([100.0 if hour == 9 else float(hour) for hour in hours]))


def test_a_day_of_23_hours_gets_one_between_its_neighbours():
    # 2026-03-29: 01:00 is followed by 03:00; 00:00 local is 23:00 of the day before in UTC
    local = local_load(load("2026-03-28T23:00", 2, BERLIN), BERLIN, 1)

    assert 49 == len(local.series.values)
    assert [0.0, 1.0, 2.0, 3.0, 4.0] == local.series.values[:5].tolist()
    assert int(datetime(2026, 3, 29, tzinfo=UTC).timestamp()) == local.series.start_s


def test_a_day_of_25_hours_has_the_mean_of_both():
    # 2026-10-25: 02:00 comes twice
    series = load("2026-10-24T22:00", 2, BERLIN)
    series.values[2:4] = (10.0, 20.0)
    local = local_load(series, BERLIN, 1)

    assert [0.0, 1.0, 15.0, 3.0] == local.series.values[:4].tolist()
    assert 47 == len(local.series.values)


def test_without_a_change_there_is_nothing_to_do():
    assert None is local_load(load("2026-06-01T00:00", 7, BERLIN), BERLIN, 24)
    assert None is local_load(load("2026-03-28T00:00", 4, ZoneInfo("Asia/Kolkata")), ZoneInfo("Asia/Kolkata"), 24)


def test_a_change_of_half_an_hour_is_for_intervals_that_divide_it():
    howe = ZoneInfo("Australia/Lord_Howe")

    assert None is local_load(load("2026-04-03T00:00", 4, howe), howe, 1)
    assert 4 * 48 - 1 == len(local_load(load("2026-04-03T00:00", 4, howe, 1800), howe, 1).series.values)


@pytest.mark.parametrize("start", ["2026-03-06T00:00", "2026-10-02T00:00"])
def test_the_ninth_hour_stays_the_ninth_over_a_change(start: str):
    # four weeks that end two days after the clocks changed
    series = load(start, 25, BERLIN)
    (local,) = forecast_each([Asked(series, ForecastOptions(24), timezone="Europe/Berlin")])
    (plain,) = forecast_each([Asked(series, ForecastOptions(24))])
    came = load(start, 26, BERLIN).values[-24:]

    assert came == pytest.approx(local.forecast.mean, abs=0.5)
    assert series.end_s == local.forecast.cutoff_s
    assert np.max(np.abs(local.forecast.mean - came)) <= np.max(np.abs(plain.forecast.mean - came)) + 1e-6


def test_a_forecast_over_the_change_follows_the_clock():
    # history to the end of 2026-10-24 UTC; the day of 25 hours is forecast, 02:00 twice
    series = load("2026-10-03T22:00", 21, BERLIN)
    (local,) = forecast_each([Asked(series, ForecastOptions(25), timezone="Europe/Berlin")])

    assert [0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 100] == pytest.approx(local.forecast.mean[:11].tolist(), abs=0.5)
    assert any("the clocks change" in note for note in local.forecast.notes)
