"""Gaps, spikes and scale, each on the smallest history that shows it, and that nothing looks ahead."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.forecast.regularise import is_flat, is_sparse, regularise, usable_from

PERIOD = 4
NAN = np.nan


def _days(n_days: int, seed: int = 3) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(0.0, 1.0, n_days * PERIOD)
    return np.tile([10.0, 20.0, 40.0, 20.0], n_days) + noise


def test_a_gap_is_the_mean_of_its_phase_on_both_sides() -> None:
    # season 2: the value between 4 and 8 two steps away on either side is 6
    values = np.array([1.0, 4.0, 1.0, NAN, 1.0, 8.0])

    assert regularise(values, 2, 6).filled[3] == 6.0


def test_a_gap_after_what_is_known_sees_only_the_past() -> None:
    values = np.array([1.0, 4.0, 1.0, NAN, 1.0, 8.0])

    assert regularise(values, 2, 3).filled[3] == 4.0


def test_history_begins_after_a_gap_longer_than_a_season() -> None:
    # season 2: the gap of two is bridged, that of three is not; the history begins at step 8
    values = np.array([1.0, NAN, NAN, 2.0, 3.0, NAN, NAN, NAN, 4.0, 5.0])

    assert usable_from(values, 2) == 8
    assert usable_from(values[:5], 2) == 0
    assert usable_from(np.array([NAN, 1.0, 2.0]), 2) == 1


def test_one_spike_is_clipped_for_fitting_and_kept_for_scoring() -> None:
    values = _days(12)
    values[22] = 5000.0
    regular = regularise(values, PERIOD, len(values))

    assert regular.clipped == 1
    assert regular.values[22] * regular.scale + regular.centre < 60.0
    assert regular.filled[22] == 5000.0


def test_a_level_shift_is_no_spike() -> None:
    values = _days(12)
    values[24:] += 100.0

    assert regularise(values, PERIOD, len(values)).clipped == 0


def test_a_few_loads_among_zeros_are_no_spikes() -> None:
    values = np.zeros(60)
    values[::10] = 5.0

    assert is_sparse(values)
    assert regularise(values, PERIOD, 60).clipped == 0


@pytest.mark.parametrize("seed", range(8))
def test_what_is_made_of_a_value_depends_on_nothing_after_it(seed: int) -> None:
    # everything from step 40 on is replaced, with gaps and spikes; what was known at 32 and seen up to 40 stays the same
    generator = np.random.default_rng(seed)
    values = _days(16, seed)
    values[generator.integers(1, 64, 6)] = NAN
    values[generator.integers(1, 64, 4)] += 300.0
    other = values.copy()
    other[40:] = generator.normal(1000.0, 500.0, 24)

    assert regularise(values, PERIOD, 32).values[:40].tolist() == regularise(other, PERIOD, 32).values[:40].tolist()


def test_flat_is_one_value_up_to_rounding() -> None:
    assert is_flat(np.array([0.1 + 0.2, 0.3, NAN]))
    assert is_flat(np.zeros(3))
    assert not is_flat(np.array([1e-9, 2e-9]))


def test_scale_is_that_of_what_is_known() -> None:
    # known: 1, 3 -> centre 2, deviation 1; the 100 after it does not count
    regular = regularise(np.array([1.0, 3.0, 100.0]), 1, 2)

    assert (regular.centre, regular.scale) == (2.0, 1.0)
