"""Forecasters of other distributions: they enter the blend with the weight they earn, and end nothing when they fail."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Any

import numpy as np
import pytest

from schedplan import plugins as installed
from schedplan.errors import ConfigError
from schedplan.forecast.forecaster import NotFitted
from schedplan.forecast.options import ForecastOptions
from schedplan.forecast.pipeline import forecast_series
from schedplan.forecast.plugin import PluginForecaster
from schedplan.forecast.sarima_blend import FittedBlend, SarimaBlend
from schedplan.model.forecast import Series
from schedplan.testing.forecasters import check_forecaster

HOUR, DAY = 3600, 24


@dataclass(frozen=True)
class Fitted:
    """Says the mean of each hour, and two more for its P95."""

    values: np.ndarray
    shift: float = 0.0

    def forecast(self, horizon: int, quantiles: tuple[float, ...], future: Any) -> tuple[np.ndarray, np.ndarray]:
        n = len(self.values)
        days = self.values[n % DAY :].reshape(-1, DAY).mean(axis=0)
        mean = np.resize(days, horizon) + self.shift
        return mean, np.array([mean + 2 * (level - 0.5) for level in quantiles])


class ByHour:
    def fit(self, series: Series) -> Fitted:
        return Fitted(series.values)


class FarOff:
    def fit(self, series: Series) -> Fitted:
        return Fitted(series.values, shift=5.0)


class Broken:
    def fit(self, series: Series) -> Fitted:
        raise RuntimeError("no licence")


class WrongShape:
    def fit(self, series: Series) -> WrongShape:
        return self

    def forecast(self, horizon: int, quantiles: tuple[float, ...], future: Any) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(1), np.zeros((2, 1))


def series(days: int = 21) -> Series:
    """Return independent noise around a daily wave: the mean of each hour is the best that can be said."""
    hours = np.arange(days * DAY)
    return Series("s", 0, HOUR, np.sin(2 * np.pi * hours / DAY) + 0.5 * np.random.default_rng(0).normal(size=len(hours)))


def blend(*makers: Any) -> FittedBlend:
    fitted = SarimaBlend((DAY,), plugins=tuple(PluginForecaster(each.__name__, each, 3 * DAY) for each in makers)).fit(series())
    assert isinstance(fitted, FittedBlend)
    return fitted


def weight_of(fitted: FittedBlend, label: str) -> float:
    return float(sum(weight for weight, member in zip(fitted.own_weights, fitted.members, strict=True) if member.label == label))


def test_a_good_one_earns_a_weight_and_a_bad_one_none():
    fitted = blend(ByHour, FarOff)

    # four members of much the same error would have a quarter each
    assert weight_of(fitted, "ByHour") > 0.2
    # ten deviations off: (0.5 * 0.8 / 5)^12 of that
    assert weight_of(fitted, "FarOff") < 1e-9
    assert 1.0 == pytest.approx(float(fitted.own_weights.sum()))


@pytest.mark.parametrize(
    ("maker", "words"), [(Broken, "RuntimeError: no licence"), (WrongShape, "no forecast of 24 finite values")]
)
def test_one_that_fails_is_left_out_and_told(maker: Any, words: str):
    fitted = blend(maker)

    assert 0.0 == weight_of(fitted, maker.__name__)
    assert any(words in note for note in fitted.notes)
    assert np.isfinite(fitted.forecast(DAY, (0.5,)).mean).all()


def test_it_sees_nothing_after_an_origin():
    seen: list[int] = []

    class Spy(ByHour):
        def fit(self, series: Series) -> Fitted:
            seen.append(len(series.values))
            return super().fit(series)

    fitted = PluginForecaster("spy", Spy, 3 * DAY).fit(series())
    seen.clear()
    rolled = fitted.roll(series(), np.array([2 * DAY, 5 * DAY, 6 * DAY]), DAY)

    assert [5 * DAY, 6 * DAY] == seen
    assert np.isnan(rolled.mean[0]).all()


def test_a_roll_of_its_own_is_taken():
    class Rolling(Fitted):
        def roll(self, series: Series, origins: np.ndarray, horizon: int) -> np.ndarray:
            return np.zeros((len(origins), horizon))

    class Once:
        def fit(self, series: Series) -> Rolling:
            return Rolling(series.values)

    rolled = PluginForecaster("once", Once, 3 * DAY).fit(series()).roll(series(), np.array([100, 200]), DAY)

    assert 0.0 == float(np.abs(rolled.mean).sum())


def _points(*names: str, value: str = "tests.forecast.test_plugin:ByHour") -> list[EntryPoint]:
    return [EntryPoint(name, value, installed.FORECASTERS) for name in names]


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch):
    """Return a function that makes entry points the installed ones."""

    def offer(points: list[EntryPoint]) -> None:
        installed.plugins.cache_clear()
        monkeypatch.setattr(installed, "entry_points", lambda group: points)

    yield offer
    installed.plugins.cache_clear()


def test_what_is_installed_is_tried_in_a_forecast(offered):
    offered([EntryPoint("by-hour", f"{__name__}:ByHour", installed.FORECASTERS)])
    hours = np.arange(28 * DAY)
    values = 100 + 50 * np.sin(2 * np.pi * hours / DAY) + 10 * np.random.default_rng(0).normal(size=len(hours))
    result = forecast_series(Series("web", 0, HOUR, values), ForecastOptions(DAY))

    assert "sarima-blend" == result.forecast.model
    assert any("by-hour" in note for note in result.forecast.notes)


def test_what_cannot_be_loaded_is_told_and_left_out(offered):
    offered(_points("gone", value="no.such.module:Thing"))
    found = installed.plugins(installed.FORECASTERS)

    assert () == found.found
    assert "plug-in gone" in found.notes[0]
    assert "ModuleNotFoundError" in found.notes[0]


@pytest.mark.parametrize("points", [_points("naive"), [*_points("x", value="a:b"), *_points("x", value="c:d")]])
def test_a_name_claimed_twice_is_an_error_that_names_both(offered, points):
    offered(points)
    with pytest.raises(ConfigError, match="is claimed by") as raised:
        installed.plugins(installed.FORECASTERS, frozenset({"naive"}))

    assert "SP2009" == raised.value.code


def test_the_contract_holds_a_plugin_to_its_promises():
    check_forecaster(ByHour)
    with pytest.raises(AssertionError, match="shape"):
        check_forecaster(WrongShape)


def test_a_forecaster_that_raises_is_not_fitted():
    with pytest.raises(NotFitted, match="no licence"):
        PluginForecaster("broken", Broken, 1).fit(series())
