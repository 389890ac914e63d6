"""Levels of different memory: each by hand, and blended no worse than the best of them."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.forecast.blend import FittedBlend
from schedplan.forecast.forecaster import NotFitted
from schedplan.forecast.level_blend import LevelBlend
from schedplan.forecast.naive import LastValue, Mean
from schedplan.forecast.smoothed_level import SmoothedLevel, levels
from schedplan.model.forecast import Series

DAY = 24


def _series(values: np.ndarray) -> Series:
    return Series("load", 0, 3600, np.asarray(values, dtype=np.float64))


def _mae(forecaster: LastValue | Mean | LevelBlend, values: np.ndarray, begin: int) -> float:
    """Return the error of a day ahead from four origins a day, fitted on what stands before `begin`."""
    origins = np.arange(begin, len(values) - DAY, 6)
    said = forecaster.fit(_series(values[:begin])).roll(_series(values), origins, DAY).mean
    return float(np.mean(np.abs(said - values[origins[:, None] + np.arange(DAY)])))


def test_a_level_takes_half_of_each_error_where_it_forgets_half_in_a_step() -> None:
    # begins at 0; 0 -> 0; 8 -> 4; 8 -> 6
    assert [0.0, 0.0, 4.0, 6.0] == pytest.approx(levels(np.array([0.0, 8.0, 8.0]), 0.5).tolist())
    fitted = SmoothedLevel(1.0).fit(_series(np.array([0.0, 8.0, 8.0])))
    # errors one step ahead: 8 and 4; two steps ahead one more error of which the level took half
    assert np.sqrt((64 + 16) / 2) * np.sqrt([1.0, 1.25]) == pytest.approx(fitted.standard_error(2))
    assert [6.0, 6.0] == pytest.approx(fitted.forecast(2, (0.5,)).mean.tolist())


@pytest.mark.parametrize("forecaster", [LastValue(), Mean(), SmoothedLevel(4.0)], ids=["last", "mean", "smoothed"])
def test_before_the_first_value_there_is_no_level(forecaster: LastValue | Mean | SmoothedLevel) -> None:
    series = _series(np.arange(5.0) + 1)
    said = forecaster.fit(series).roll(series, np.array([0, 1]), 2).mean

    assert np.isnan(said[0]).all()
    assert said[1].tolist() == [1.0, 1.0]


def test_noise_is_met_by_its_mean_and_a_walk_by_its_last_value() -> None:
    generator = np.random.default_rng(3)
    noise = generator.normal(size=40 * DAY)
    walk = np.cumsum(generator.normal(size=40 * DAY))

    for values in (noise, walk):
        best = min(_mae(each, values, 20 * DAY) for each in (LastValue(), Mean()))
        assert _mae(LevelBlend(DAY), values, 20 * DAY) <= 1.05 * best


def test_a_slow_walk_in_noise_is_met_better_than_by_either() -> None:
    # the last value carries the noise on, the mean forgets where the walk is; a smoothed level does neither
    generator = np.random.default_rng(4)
    values = np.cumsum(generator.normal(size=40 * DAY)) * 0.1 + generator.normal(size=40 * DAY)
    best = min(_mae(each, values, 20 * DAY) for each in (LastValue(), Mean()))

    assert _mae(LevelBlend(DAY), values, 20 * DAY) <= 0.9 * best


def test_it_does_not_look_past_its_origin() -> None:
    values = np.random.default_rng(5).normal(size=20 * DAY)
    changed = values.copy()
    changed[15 * DAY :] += 100.0
    fitted = LevelBlend(DAY).fit(_series(values[: 10 * DAY]))
    before, after = (fitted.roll(_series(each), np.array([12 * DAY + 5, 15 * DAY]), DAY).mean for each in (values, changed))

    assert np.isfinite(before).all()
    assert before.tolist() == after.tolist()


def test_its_weights_are_told() -> None:
    fitted = LevelBlend(DAY).fit(_series(np.random.default_rng(6).normal(size=20 * DAY)))

    assert isinstance(fitted, FittedBlend)
    assert 1.0 == pytest.approx(fitted.own_weights.sum())
    assert fitted.notes[0].startswith("level-blend: ")
    assert "mean" in fitted.notes[0]


def test_less_than_four_periods_are_refused() -> None:
    with pytest.raises(NotFitted, match="needs 4 seasons of 24 steps, there are 95"):
        LevelBlend(DAY).fit(_series(np.arange(95.0)))
