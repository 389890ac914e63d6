"""When a planned level is no longer trusted, and what is provided meanwhile, each with its arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.model.breaker import Breaker, BreakerState

NAN = np.nan


def test_the_breaker_opens_after_three_above_and_closes_after_six_below():
    planned = np.full(12, 10.0)
    actual = np.array([11, 11, 9, 11, 11, 11, 9, 9, 9, 9, 9, 9.0])

    # two in a row are not enough; open before the interval after the third, closed after six below
    assert [False] * 6 + [True] * 6 + [False] == Breaker().states(actual, planned).tolist()


def test_a_gap_neither_opens_nor_closes_it():
    planned = np.full(5, 10.0)

    assert [False, False, False, False, True, True] == Breaker().states(np.array([11, 11, NAN, 11, NAN]), planned).tolist()


def test_while_it_is_open_the_measured_load_is_provided_for():
    planned = np.full(6, 10.0)
    actual = np.array([20.0, 20.0, 20.0, 20.0, 5.0, 20.0])

    # open after the third: 20 and a tenth; after the fifth the plan is more than what was measured
    assert [10, 10, 10, 22, 22, 10] == pytest.approx(Breaker().provided(actual, planned).tolist())
    # answered two intervals after it was measured
    assert [10, 10, 10, 10, 22, 22] == pytest.approx(Breaker().provided(actual, planned, lag=2).tolist())


def test_the_breaker_looks_at_nothing_that_has_not_come():
    planned, actual = np.full(20, 10.0), np.random.default_rng(0).uniform(5, 20, 20)
    other = actual.copy()
    other[12:] = 99.0

    assert Breaker().provided(actual, planned)[:13].tolist() == Breaker().provided(other, planned)[:13].tolist()


def test_interval_by_interval_it_is_the_same():
    actual = np.random.default_rng(1).uniform(5, 15, 60)
    state, opened = BreakerState(), [False]
    for measured in actual:
        state = Breaker(opens_after=2, closes_after=2).after(state, measured, 10.0)
        opened.append(state.is_open)

    assert 0 < sum(opened) < 60
    assert opened == Breaker(opens_after=2, closes_after=2).states(actual, np.full(60, 10.0)).tolist()
