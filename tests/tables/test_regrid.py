"""Rows put together to intervals, each by hand."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import numpy as np
import pytest

from schedplan.tables.regrid import Regrid, Together, regrid

HOUR, QUARTER = 3600, 900
NAN = np.nan
# 10:15, 10:30, 10:45 | 11:00 .. 11:45 | 12:00: the first and the last hour are not filled
TIMES = np.array([10 * HOUR + QUARTER * idx for idx in range(1, 9)])
VALUES = np.array([9.0, 9.0, 9.0, 1.0, 4.0, NAN, 1.0, 9.0])


@pytest.mark.parametrize(
    ("together", "value"), [(Together.MEAN, 2.0), (Together.SUM, 6.0), (Together.MAX, 4.0), (Together.LAST, 1.0)]
)
def test_the_rows_of_an_hour_become_one(together: Together, value: float) -> None:
    # 11:00 to 12:00 holds 1, 4, a gap and 1; the three quarters before and the one after are no whole hours
    found = regrid(TIMES, VALUES, QUARTER, Regrid(HOUR, together))

    assert (11 * HOUR, HOUR, 4) == (found.start_s, found.step_s, found.left_out)
    assert [value] == found.values.tolist()


def test_an_hour_without_a_value_is_a_gap() -> None:
    times = np.array([0, HOUR, 3 * HOUR, 4 * HOUR])
    found = regrid(times, np.array([1.0, NAN, 3.0, 4.0]), HOUR, Regrid(HOUR))

    assert [1.0, NAN, NAN, 3.0, 4.0] == pytest.approx(found.values.tolist(), nan_ok=True)


def test_hours_begin_where_they_do_in_the_zone_of_the_project() -> None:
    # Adelaide is nine and a half hours ahead: of its hours, that from 10:30 to 11:30 UTC alone is filled
    found = regrid(TIMES, VALUES, QUARTER, Regrid(HOUR, Together.SUM, ZoneInfo("Australia/Adelaide")))

    assert 10 * HOUR + 2 * QUARTER == found.start_s
    assert [9 + 9 + 1 + 4.0] == found.values.tolist()


def test_a_time_that_repeats_is_one_interval() -> None:
    # without a step of its own the grid is that of the file, from its first row on; none of it is left out
    times = np.array([QUARTER, QUARTER + HOUR, QUARTER + HOUR, QUARTER + 2 * HOUR])
    found = regrid(times, np.array([1.0, 2.0, 5.0, 3.0]), HOUR, Regrid(together=Together.LAST, may_repeat=True))

    assert (QUARTER, 0) == (found.start_s, found.left_out)
    assert [1.0, 5.0, 3.0] == found.values.tolist()


def test_rows_within_a_single_interval_are_not_all_left_out() -> None:
    found = regrid(np.array([60, 120]), np.array([2.0, 4.0]), 60, Regrid(HOUR))

    assert [3.0] == found.values.tolist()
