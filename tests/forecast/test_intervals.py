"""Quantiles from a mean and past errors."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.forecast.intervals import Recipe, Spread, mean_within, quantiles, spread

NO_PHASE = np.zeros((10, 10), dtype=np.int64)


def test_with_few_errors_the_spread_is_normal() -> None:
    # 49 errors are one too few; the standard normal q95 is 1.645
    errors = np.full((10, 10), np.nan)
    errors.flat[:49] = 3.0

    assert spread(errors, np.ones(10), NO_PHASE, 1, Recipe((0.95,))).offsets == pytest.approx([1.6449], abs=1e-4)


def test_half_normal_as_wide_as_the_errors_half_seen() -> None:
    # all errors are 2 standard errors: the normal q95 of that width is 2 * 1.645 = 3.290, the empirical one 2; (3.290 + 2) / 2
    made = spread(np.full((10, 10), 6.0), np.full(10, 3.0), NO_PHASE, 1, Recipe((0.95,)))

    assert made.offsets == pytest.approx([2.6449], abs=1e-4)


def test_what_a_model_believes_of_its_error_does_not_count_once_errors_are_seen() -> None:
    # the same errors with standard errors ten times as large: offsets ten times as small, quantiles the same
    errors = np.random.default_rng(0).normal(0.0, 3.0, (10, 10))
    made = [spread(errors, np.full(10, se), NO_PHASE, 1, Recipe((0.1, 0.95))).offsets * se for se in (3.0, 30.0)]

    assert made[0] == pytest.approx(made[1])
    assert spread(errors, np.ones(10), NO_PHASE, 1, Recipe((0.95,), 0.0)).offsets == pytest.approx([np.quantile(errors, 0.95)])


def test_errors_alone_where_no_share_is_normal() -> None:
    assert spread(np.full((10, 10), 6.0), np.full(10, 3.0), NO_PHASE, 1, Recipe((0.95,), 0.0)).offsets == pytest.approx([2.0])


def test_busy_phases_get_the_wider_spread() -> None:
    # season 8: errors of 3 in phases 3 to 5, of 1 elsewhere, ten thousand times; mean square (3 * 9 + 5) / 8 = 4.
    # phase 4 and its neighbours: 9 / 4 -> factor 1.5; phase 0 and its neighbours: 1 / 4 -> 0.5; the prior of 24 hardly shows
    phase = np.tile(np.arange(8), (10_000, 1))
    errors = np.where((phase >= 3) & (phase <= 5), 3.0, 1.0)
    made = spread(errors, np.ones(8), phase, 8, Recipe((0.5,)))

    assert made.by_phase[[0, 4]] == pytest.approx([0.5, 1.5], rel=2e-3)


def test_quantiles_never_cross_nor_fall_below_zero_nor_the_p95_below_the_mean() -> None:
    # offsets of a forecaster that was always too high: q95 would be 10 - 2 * 3 = 4, below the mean; q05 is below zero
    shape = Spread(np.ones(1), np.array([-5.0, -4.0, -2.0]), 100)
    rows = quantiles(np.array([10.0]), np.array([3.0]), np.array([0]), shape, Recipe((0.05, 0.5, 0.95)))

    assert rows[:, 0].tolist() == [0.0, 0.0, 10.0]


def test_a_mean_is_never_less_than_its_quantiles_allow() -> None:
    # q50 0, q80 30, q90 60: at least 0.3 * 0 + 0.1 * 30 + 0.1 * 60 = 9
    rows = np.array([[0.0], [30.0], [60.0]])

    assert mean_within(np.array([1.0]), rows, (0.5, 0.8, 0.9)) == pytest.approx([9.0])
    assert mean_within(np.array([20.0]), rows, (0.5, 0.8, 0.9)).tolist() == [20.0]
    assert mean_within(np.array([-2.0]), np.zeros((3, 1)), (0.5, 0.8, 0.9)).tolist() == [0.0]
