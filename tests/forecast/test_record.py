"""The backtest as one line in time."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.forecast.backtest import Folds
from schedplan.forecast.record import record_of

HOUR = 3600


def folds(origins: list[int], horizon: int = 4) -> Folds:
    """Return forecasts that say their origin, of a load that is its own hour; P10, P90 and P95 1 below, 1 above and 2 above."""
    at = np.array(origins)
    actual = (at[:, None] + np.arange(horizon)).astype(float)
    mean = np.repeat(at[:, None], horizon, axis=1).astype(float)
    return Folds(at * HOUR, actual, mean, mean, (0.1, 0.9, 0.95), np.array([mean - 1, mean + 1, mean + 2]))


def test_forecasts_follow_one_another_without_gap():
    # two origins apart, four hours each: every second one, the newest last: 12 and 16
    record = record_of("m", folds([10, 12, 14, 16]), HOUR)

    assert [12 * HOUR, 16 * HOUR] == list(record.origins_s)
    assert list(range(12, 20)) == record.actual.tolist()
    assert [12] * 4 + [16] * 4 == record.mean.tolist()
    assert [14] * 4 + [18] * 4 == record.p95.tolist()


def test_a_horizon_that_origins_do_not_divide_is_cut_where_the_next_is_made():
    # three hours apart, four long: each until the next, the last in full
    record = record_of("m", folds([10, 13, 16]), HOUR)

    assert list(range(10, 20)) == record.actual.tolist()
    assert [10] * 3 + [13] * 3 + [16] * 4 == record.mean.tolist()


def test_origins_further_apart_than_the_horizon_leave_the_newest():
    assert [30.0, 31.0, 32.0, 33.0] == record_of("m", folds([10, 20, 30]), HOUR).actual.tolist()


def test_without_quantiles_there_is_none():
    plain = folds([10])

    assert None is record_of("m", Folds(plain.origins_s, plain.actual, plain.mean, plain.mean, (), np.empty((0, 1, 4))), HOUR)


@pytest.mark.parametrize("n", [1, 40])
def test_there_are_ten_at_most(n: int):
    assert min(n, 10) == len(record_of("m", folds(list(range(0, 4 * n, 4))), HOUR).origins_s)
