"""How many steps make a day and a week, and which of them a history is long enough for. It knows no values."""

from __future__ import annotations

DAY_S = 86_400
DAYS_PER_WEEK = 7
LEAST_CYCLES = 2
LEAST_WEEKS = 3


def default_seasons(step_s: int, n_steps: int) -> tuple[int, ...]:
    """Return the season lengths in steps worth trying: a day from two days of history on, a week from three weeks on.

    Empty where the step divides neither, or the history is shorter. A day is one season only where it has several steps.
    """
    seasons = []
    day = _steps_of(DAY_S, step_s)
    if day is not None and n_steps >= LEAST_CYCLES * day:
        seasons.append(day)
    week = _steps_of(DAYS_PER_WEEK * DAY_S, step_s)
    if week is not None and n_steps >= LEAST_WEEKS * week:
        seasons.append(week)
    return tuple(seasons)


def has_season(step_s: int) -> bool:
    """Say whether a day or a week is a whole number of steps at all, however long the history."""
    return _steps_of(DAY_S, step_s) is not None or _steps_of(DAYS_PER_WEEK * DAY_S, step_s) is not None


def _steps_of(span_s: int, step_s: int) -> int | None:
    return span_s // step_s if span_s % step_s == 0 and span_s >= 2 * step_s else None
