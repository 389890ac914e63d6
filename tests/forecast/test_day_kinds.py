"""Days of two kinds, on a day of two hours and a week of seven days."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.forecast.day_kinds import DayKinds, departures
from schedplan.forecast.forecaster import NotFitted
from schedplan.model.forecast import Series

HOURS = 2
WEEK = np.array([0, 0, 0, 0, 0, 1, 1])


def _series(values: np.ndarray) -> Series:
    return Series("s", 0, 3600, np.asarray(values, dtype=np.float64))


def _weeks(n_days: int, noise: float = 0.1) -> np.ndarray:
    """Return days of (1, 3), those at place 5 and 6 of a week of (0, 1), with noise."""
    days = np.array([[1.0, 3.0], [0.0, 1.0]])[WEEK[np.arange(n_days) % 7]].reshape(-1)
    return np.asarray(days + noise * np.random.default_rng(3).normal(size=len(days)))


def test_a_departure_is_from_the_last_day_of_the_kind() -> None:
    # days 1..7; day 6 is the first rest day, day 7 is 2 more than it; working days rise by 1; day 8 follows day 5: 3 more
    values = np.repeat([1.0, 2, 3, 4, 5, 10, 12, 8], HOURS)

    assert departures(values, HOURS, WEEK, 0.0)[::HOURS].tolist() == [0, 1, 1, 1, 1, 0, 2, 3]


def test_a_smoothed_level_takes_part_of_each_departure() -> None:
    # smoothing -0.5 takes half: level 1, then 1 + 0.5 * 1 = 1.5, departure of 3 is 1.5, level 2.25, departure of 3 is 0.75
    values = np.repeat([1.0, 2, 3, 3], HOURS)

    assert departures(values, HOURS, WEEK, -0.5)[::HOURS].tolist() == [0, 1, 1.5, 0.75]


def test_the_rest_days_are_found_wherever_the_history_begins() -> None:
    for shift in range(7):
        fitted = DayKinds(HOURS, 7).fit(_series(_weeks(28)[shift * HOURS :]))

        assert fitted.kinds.tolist() == np.roll(WEEK, -shift).tolist()
        assert fitted.label == "5+2 days alike"


def test_the_day_after_friday_is_forecast_from_last_weekend() -> None:
    # 19 days: the next two, of kind 1, are (0, 1), the two after them, of kind 0, are (1, 3)
    fitted = DayKinds(HOURS, 7).fit(_series(_weeks(19)))
    outlook = fitted.forecast(4 * HOURS, (0.5,))

    assert outlook.mean == pytest.approx([0, 1, 0, 1, 1, 3, 1, 3], abs=0.3)
    assert (np.diff(outlook.se) >= 0).all()


def test_rolling_does_not_look_past_its_origin() -> None:
    values = _weeks(28)
    other = values.copy()
    other[45:] = 99.0
    fitted = DayKinds(HOURS, 7).fit(_series(values[:40]))
    origins = np.array([41, 45])
    whole, cut, changed = (fitted.roll(_series(each), origins, 6).mean for each in (values, values[:45], other))

    assert whole.tolist() == cut.tolist() == changed.tolist()


def test_a_kind_not_seen_yet_has_no_forecast() -> None:
    # from step 9, in day 4: day 5 is the first of its kind
    fitted = DayKinds(HOURS, 7).fit(_series(_weeks(28)))
    mean = fitted.roll(_series(_weeks(28)), np.array([9]), 3).mean[0]

    assert np.isnan(mean).tolist() == [False, True, True]


def test_less_than_a_week_and_a_half_is_refused() -> None:
    with pytest.raises(NotFitted, match="needs 22 steps, there are 21"):
        DayKinds(HOURS, 7).fit(_series(_weeks(11)[:21]))
