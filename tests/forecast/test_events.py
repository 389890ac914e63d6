"""Events known in advance: learnt from their past, taken out of it, and put into the forecast."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from schedplan.forecast.batch import Asked, forecast_each
from schedplan.forecast.events import effects, with_events, without_events
from schedplan.forecast.options import ForecastOptions
from schedplan.model.event import Event
from schedplan.model.forecast import Forecast, Series

HOUR, DAY_S = 3600, 86_400
FIRST, SECOND = (Event("sale", day * DAY_S, (day + 1) * DAY_S) for day in (10, 17))
NEXT = Event("sale", 28 * DAY_S, 29 * DAY_S)


def load(*sales: float, days: int = 28, noise: float = 0.0) -> Series:
    """Return a daily wave around 100, times so much on days 10 and 17."""
    hours = np.arange(days * 24)
    values = 100 - 60 * np.cos(2 * np.pi * hours / 24) + noise * np.random.default_rng(0).normal(size=len(hours))
    for day, factor in zip((10, 17), sales, strict=False):
        values[day * 24 : (day + 1) * 24] *= factor
    return Series("web", 0, HOUR, values)


def flat(*levels: float) -> Forecast:
    mean = np.full(48, 10.0)
    quantiles = np.array([mean + 2 * (level - 0.5) for level in levels])
    return Forecast("web", "m", 28 * DAY_S, HOUR, mean, levels, quantiles, ((80, mean - 1, mean + 1),))


def test_an_effect_is_learnt_from_past_events():
    # 3 and 5 times the usual: 4 in the mean
    (sale,) = effects(load(3.0, 5.0), (FIRST, SECOND), 24)

    assert ("sale", 2) == (sale.name, sale.past)
    assert 4.0 == pytest.approx(sale.factor(1.0))
    # deviation sqrt(2) of the two, of a new one sqrt(1 + 1/2) of that: 1.73 of 4
    assert np.sqrt(3) / 4 == pytest.approx(sale.spread)


def test_a_strength_scales_the_effect():
    # at strength 2 three times the usual: 1 more per unit, so twice the usual at strength 1
    (sale,) = effects(load(3.0), (replace(FIRST, value=2.0),), 24)

    assert 2.0 == pytest.approx(sale.factor(1.0))


def test_the_history_is_what_it_would_have_been():
    seen = load(3.0, 3.0)

    plain = without_events(seen, (FIRST, SECOND), effects(seen, (FIRST, SECOND), 24))
    assert load().values == pytest.approx(plain.values)


def test_a_forecast_is_moved_in_its_event_alone_and_widened():
    known = effects(load(3.0, 5.0), (FIRST, SECOND), 24)
    moved = with_events(flat(0.5, 0.95), (NEXT,), known)

    assert [40.0] * 24 + [10.0] * 24 == pytest.approx(moved.mean.tolist())
    # P95 0.9 above the mean: 3.6 at four times; the effect's own 1.645 * 17.3 = 28.5; together 28.7
    assert 40 + np.hypot(3.6, 1.6449 * np.sqrt(3) / 4 * 40) == pytest.approx(moved.at(0.95)[0], rel=1e-4)
    assert 10.9 == pytest.approx(moved.at(0.95)[-1])
    assert (np.diff(moved.quantiles, axis=0) >= 0).all()
    assert "load times 4, as 2 events in the history had it" in moved.notes[0]


def test_an_event_without_past_says_its_factor():
    unknown = replace(NEXT, name="launch", value=2.5)
    moved = with_events(flat(0.5, 0.95), (unknown,), effects(load(), (unknown,), 24))

    assert 25.0 == pytest.approx(moved.mean[0])
    assert "no such event in the history" in moved.notes[0]


def test_an_event_of_another_series_moves_nothing():
    other = replace(NEXT, series="shop")

    assert flat(0.5, 0.95).mean.tolist() == with_events(flat(0.5, 0.95), (other,), effects(load(), (other,), 24)).mean.tolist()


def test_a_promotion_is_forecast_from_those_before():
    asked = Asked(load(3.0, 3.2, noise=4.0), ForecastOptions(48), events=(FIRST, SECOND, NEXT))
    (known,) = forecast_each([asked])
    (blind,) = forecast_each([replace(asked, events=())])
    usual = load(days=30).values[28 * 24 :]

    # 3.1 times the usual on the first day, the usual on the second
    assert usual[:24] * 3.1 == pytest.approx(known.forecast.mean[:24], rel=0.06)
    assert usual[24:] == pytest.approx(known.forecast.mean[24:], rel=0.06)
    # without the event it misses two thirds
    assert np.sum(blind.forecast.mean[:24]) < 0.5 * np.sum(usual[:24] * 3.1)


def test_what_comes_later_has_no_say():
    later = Event("sale", 40 * DAY_S, 41 * DAY_S, 9.0)

    assert effects(load(3.0, 5.0), (FIRST, SECOND), 24) == effects(load(3.0, 5.0), (FIRST, SECOND, later), 24)
