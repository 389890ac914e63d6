"""A counter in place of a load is told, and no load that rises and falls."""

import numpy as np
import pytest

from schedplan.tables.cumulative import FEWEST, resets, told

HOURS = np.arange(14 * 24)
DAILY = 100 - 60 * np.cos(2 * np.pi * HOURS / 24)


def test_a_counter_is_told_with_the_times_it_began_anew():
    grown = np.cumsum(DAILY)
    begun_anew = np.concatenate([grown[:200], grown[:136]])

    assert resets(grown) == 0
    assert resets(begun_anew) == 1
    assert "only grows, but for 1 fall to near zero, as a counter does" in (told("web", begun_anew) or "")


def test_gaps_and_idle_intervals_do_not_hide_a_counter():
    grown = np.cumsum(np.where(HOURS % 3 == 0, 0.0, 5.0))
    grown[10:20] = np.nan

    assert resets(grown) == 0


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(DAILY, id="a daily wave"),
        pytest.param(np.where(HOURS % 24 < 8, 0.0, DAILY), id="nothing at night"),
        pytest.param(np.full(300, 7.0), id="constant"),
        pytest.param(DAILY + HOURS, id="a wave that grows"),
        pytest.param(np.arange(FEWEST - 1.0), id="too short"),
        pytest.param(np.full(300, np.nan), id="nothing known"),
        pytest.param(np.tile([1.0, 50.0, 100.0, 200.0], 75), id="a sawtooth of four intervals"),
    ],
)
def test_no_load_is_taken_for_a_counter(values):
    assert resets(values) is None
    assert told("web", values) is None
