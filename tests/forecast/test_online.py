"""New points without a new fit: the same forecast as a fit that ended later would give at the same parameters, in no time."""

from __future__ import annotations

import time

import numpy as np
import pytest

from schedplan.forecast.online import Online
from schedplan.forecast.options import ForecastOptions, ModelChoice
from schedplan.forecast.pipeline import forecast_series
from schedplan.model.forecast import Series

HOUR, DAY = 3600, 24
OPTIONS = ForecastOptions(DAY)


def load(n_days: int, seed: int = 0) -> np.ndarray:
    hours = np.arange(n_days * DAY)
    return np.asarray(
        100 * (1 - 0.8 * np.cos(2 * np.pi * hours / DAY)) * (1 + 0.05 * np.random.default_rng(seed).normal(size=len(hours)))
    )


def series(values: np.ndarray) -> Series:
    return Series("load", 0, HOUR, values)


def kept(values: np.ndarray, options: ForecastOptions = OPTIONS) -> Online:
    online = forecast_series(series(values), options).online
    assert online is not None
    return online


@pytest.mark.parametrize("model", ModelChoice)
def test_without_new_points_it_is_the_forecast(model: ModelChoice) -> None:
    values = load(28)
    options = ForecastOptions(DAY, model=model)
    result = forecast_series(series(values), options)
    assert result.online is not None

    assert result.online.ahead(series(values), DAY).mean == pytest.approx(result.forecast.mean, rel=1e-8)


def test_new_points_move_it_and_nothing_else_does() -> None:
    values = load(35)
    online = kept(values[: 28 * DAY])
    known = values[: 30 * DAY]
    other = np.concatenate((known[:-1], [known[-1] * 1.3]))
    ahead, moved = (online.ahead(series(each), DAY).mean for each in (known, other))

    # two days on it is as good as it was: within twice the noise of 5 %
    assert np.mean(np.abs(ahead - values[30 * DAY : 31 * DAY]) / 100) < 0.1
    assert moved[0] > ahead[0]


def test_gaps_at_the_end_are_forecast_too() -> None:
    values = load(30)
    online = kept(values[: 28 * DAY])
    gap = values.copy()
    gap[-6:] = np.nan

    whole = online.ahead(series(values[:-6]), DAY + 6).mean
    assert online.ahead(series(gap), DAY).mean.tolist() == whole[6:].tolist()


def test_it_costs_a_small_part_of_a_fit() -> None:
    values = load(56)
    online = kept(values)

    def cpu_s(count: int, call: object) -> float:
        begin_s = time.process_time()
        for _ in range(count):
            call()  # type: ignore[operator]
        return (time.process_time() - begin_s) / count

    assert cpu_s(10, lambda: online.ahead(series(values), DAY)) < 0.5 * cpu_s(1, lambda: forecast_series(series(values), OPTIONS))


def test_another_history_is_refused() -> None:
    values = load(28)
    with pytest.raises(ValueError, match="does not hold the history"):
        kept(values).ahead(series(values[: 20 * DAY]), DAY)
