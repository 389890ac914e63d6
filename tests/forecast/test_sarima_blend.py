"""The blend: weights earned on the past, on a season of six steps and a longer one of four seasons."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.forecast.css_sarima import FittedCssSarima
from schedplan.forecast.forecaster import NotFitted
from schedplan.forecast.sarima_blend import FittedBlend, SarimaBlend
from schedplan.model.forecast import Series

SEASONS = (6, 24)


def _series(values: np.ndarray) -> Series:
    return Series("s", 0, 3600, values)


def _values(n: int, seed: int = 2) -> np.ndarray:
    generator = np.random.default_rng(seed)
    profile = np.tile([0.0, 1.0, 2.0, 3.0, 2.0, 1.0] * 3 + [0.0] * 6, n // 24 + 1)[:n]
    return np.asarray(profile - profile.mean() + 0.2 * generator.normal(size=n))


def _fitted(n: int, seasons: tuple[int, ...] = SEASONS) -> FittedBlend:
    fitted = SarimaBlend(seasons).fit(_series(_values(n)))
    assert isinstance(fitted, FittedBlend)
    return fitted


def test_members_come_with_the_length_of_the_history() -> None:
    # one season: three SARIMAs; with the longer one: its repetition from 36 steps, two kinds of day from 36, its SARIMAs from 72
    assert [len(_fitted(n).members) for n in (30, 36, 72)] == [3, 5, 8]
    assert len(_fitted(200, (6,)).members) == 3


def test_weights_add_up_and_go_to_those_that_know_the_longer_season() -> None:
    fitted = _fitted(240)
    weights = dict(zip([member.label for member in fitted.members], fitted.own_weights, strict=True))

    assert sum(weights.values()) == pytest.approx(1.0)
    assert weights["(2,1,1)"] < 0.01
    assert weights["(1,0,1)(0,1,1)6"] < 0.01
    assert fitted.notes[0].startswith("sarima-blend: ")


def test_a_fit_that_begins_at_earlier_parameters_is_as_good() -> None:
    series = _fitted(300).series
    begun = SarimaBlend(SEASONS).fit(Series(series.unique_id, 0, series.step_s, series.values[:240]))
    warm, cold = SarimaBlend(SEASONS).refit(series, begun), SarimaBlend(SEASONS).fit(series)
    assert isinstance(warm, FittedBlend)
    assert isinstance(cold, FittedBlend)

    pairs = [
        (own.sigma, other.sigma)
        for own, other in zip(warm.members, cold.members, strict=True)
        if isinstance(own, FittedCssSarima) and isinstance(other, FittedCssSarima)
    ]

    # a search of a flat valley ends elsewhere, but not much higher: one-step errors agree to a twentieth
    assert pairs
    assert [] == [(own, other) for own, other in pairs if own > 1.05 * other]


def test_a_weight_is_the_twelfth_power_of_the_ratio_of_errors() -> None:
    # origins lie one step apart, a sixth of the season; those of 21 seasons count, the last whose six steps have come true is 194
    fitted = _fitted(240)
    first, second = fitted.members[:2]
    pair = FittedBlend(fitted.series, SEASONS, (first, second), np.array([0.5, 0.5]))
    origin = np.array([200])
    grid = np.arange(200 - 6 - 21 * 6, 200 - 6 + 1)
    values = fitted.series.values
    actual = np.array([values[at : at + 6] for at in grid])
    age = (200 - 6 - grid) / 6
    recency = np.exp(-age / 10)
    mae = []
    for each in (first, second):
        errors = np.abs(each.roll(fitted.series, grid, 6).mean - actual).mean(axis=1)
        rising = np.argsort(errors)
        below = np.cumsum(recency[rising]) / recency.sum()
        median = errors[rising][np.flatnonzero(below >= 0.5)[0]]
        mae.append(np.sqrt(np.average(errors, weights=recency) * median))
    weights = pair.weights(fitted.series, origin, 6)[0]

    assert weights[0] / weights[1] == pytest.approx((mae[1] / mae[0]) ** 12, rel=1e-6)


def test_rolling_from_an_origin_is_forecasting_a_history_that_ends_there() -> None:
    values = _values(240)
    other = values.copy()
    other[203:] = 50.0
    fitted = SarimaBlend(SEASONS).fit(_series(values[:150]))
    origins = np.array([170, 203])
    whole, changed = (fitted.roll(_series(each), origins, 12).mean for each in (values, other))
    ended = [fitted.roll(_series(values[:origin]), np.array([origin]), 12).mean[0] for origin in origins]

    assert whole.tolist() == changed.tolist()
    assert whole == pytest.approx(np.array(ended), abs=1e-12)


def test_a_member_that_can_say_a_part_only_is_left_out_and_nobody_s_forecast_is_none() -> None:
    # at step 5 the SARIMA without a season alone looks back no further than the history; at step 1 nobody does
    fitted = _fitted(240)
    weights = fitted.weights(fitted.series, np.array([5, 1]), 6)
    rolled = fitted.roll(fitted.series, np.array([5, 1]), 6).mean
    partly = [np.isnan(member.roll(fitted.series, np.array([5]), 6).mean).any() for member in fitted.members]

    assert (weights[0][partly] == 0.0).all()
    assert weights[0].sum() == pytest.approx(1.0)
    assert np.isfinite(rolled[0]).all()
    assert np.isnan(rolled[1]).all()


def test_without_a_past_forecast_members_count_alike() -> None:
    # at step 14 no forecast of 6 steps has come true from an origin that looks back far enough
    fitted = _fitted(240, (6,))
    weights = fitted.weights(fitted.series, np.array([14]), 6)[0]
    present = weights > 0

    assert present.any()
    assert weights.sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("values", "words"),
    [(_values(23), "needs 4 seasons of 6 steps, there are 23"), (np.tile([1.0, 2, 3, 4, 5, 6], 8), "repeats exactly")],
)
def test_what_it_refuses_it_says(values: np.ndarray, words: str) -> None:
    with pytest.raises(NotFitted, match=words):
        SarimaBlend(SEASONS).fit(_series(values))
