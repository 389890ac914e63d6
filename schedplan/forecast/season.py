"""How many steps make a day and a week, and which of them a history is long enough for. It knows no values."""

from __future__ import annotations

DAY_S = 86_400
DAYS_PER_WEEK = 7
LEAST_DAYS = 2
LEAST_WEEKS = 2


def default_seasons(step_s: int, n_steps: int) -> tuple[int, ...]:
    """Return the season lengths in steps worth trying: a day from two days of history on, a week from two weeks on.

    A forecaster may ask for more: terms of a SARIMA at the lag of a week need three of them.

    Empty where a day is not a whole number of steps, or the history is shorter. Daily values have the week alone.
    """
    if DAY_S % step_s:
        return ()
    day = DAY_S // step_s
    lengths = ((day, LEAST_DAYS * day), (DAYS_PER_WEEK * day, LEAST_WEEKS * DAYS_PER_WEEK * day))
    return tuple(season for season, least in lengths if season > 1 and n_steps >= least)


def has_daily_season(step_s: int) -> bool:
    """Say whether a day is several whole steps, however long the history."""
    return DAY_S % step_s == 0 and step_s < DAY_S
