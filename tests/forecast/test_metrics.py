"""Each measure of forecast error against a value derived by hand, and what it is where its denominator is zero."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.forecast import metrics

ACTUAL = np.array([10.0, 20.0, np.nan, 40.0])
MEAN = np.array([12.0, 17.0, 99.0, 40.0])


def test_mae_leaves_out_what_was_never_observed() -> None:
    # |10-12|, |20-17|, |40-40| = 2, 3, 0; mean 5/3
    assert pytest.approx(5 / 3) == metrics.mae(ACTUAL, MEAN)


def test_wape_is_error_over_load() -> None:
    # (2 + 3 + 0) / (10 + 20 + 40)
    assert pytest.approx(5 / 70) == metrics.wape(ACTUAL, MEAN)


def test_smape_is_error_over_the_mean_of_both_and_zero_where_both_are_zero() -> None:
    # 10 against 30: 200 x 20 / 40 = 100; 0 against 0: 0; a gap; 0 against 5: 200; mean 100
    actual, mean = np.array([10.0, 0.0, np.nan, 0.0]), np.array([30.0, 0.0, 1.0, 5.0])

    assert metrics.smape(actual, mean) == pytest.approx(100.0)
    assert metrics.smape(np.array([np.nan]), np.ones(1)) is None


def test_seasonal_change_and_mase() -> None:
    # season 2: |3-1|, |6-2|, |5-3| = 2, 4, 2; mean 8/3; an error of 4 is 1.5 of it
    change = metrics.seasonal_change(np.array([1.0, 2.0, 3.0, 6.0, 5.0]), 2)

    assert pytest.approx(8 / 3) == change
    assert pytest.approx(1.5) == metrics.mase(4.0, change)


def test_pinball_charges_a_miss_above_by_the_level_and_below_by_the_rest() -> None:
    # 10 above 8: 0.9 * 2 = 1.8; 10 below 14: 0.1 * 4 = 0.4; mean 1.1
    assert pytest.approx(1.1) == metrics.pinball(np.array([10.0, 10.0]), np.array([8.0, 14.0]), 0.9)


def test_coverage_counts_the_ends_and_exceedance_does_not() -> None:
    # of 1, 2, 3 and a gap: [1, 2] holds two of three; one of three lies above 2
    actual = np.array([1.0, 2.0, 3.0, np.nan])

    assert pytest.approx(2 / 3) == metrics.coverage(actual, np.full(4, 1.0), np.full(4, 2.0))
    assert pytest.approx(1 / 3) == metrics.exceedance(actual, np.full(4, 2.0))


def test_a_zero_denominator_has_a_defined_answer() -> None:
    assert metrics.mase(0.0, 0.0) == 0.0
    assert metrics.mase(1.0, 0.0) is None
    assert metrics.relative_mae(0.0, 0.0) == 1.0
    assert metrics.relative_mae(1.0, 0.0) is None
    assert metrics.wape(np.zeros(3), np.ones(3)) is None


def test_nothing_observed_has_no_value() -> None:
    nothing = np.full(2, np.nan)

    assert metrics.mae(nothing, np.zeros(2)) is None
    assert metrics.pinball(nothing, np.zeros(2), 0.5) is None
    assert metrics.coverage(nothing, np.zeros(2), np.zeros(2)) is None
    assert metrics.exceedance(nothing, np.zeros(2)) is None
    assert metrics.mase(None, 1.0) is None
