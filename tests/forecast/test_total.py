"""The sum of loads is a load: its quantiles come from itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from schedplan.forecast.options import ForecastOptions
from schedplan.forecast.pipeline import forecast_series
from schedplan.forecast.total import total_of
from schedplan.model.forecast import Series

HOUR = 3600


def series(name: str, *values: float, start_s: int = 0) -> Series:
    return Series(name, start_s, HOUR, np.array(values, dtype=float), "gpus")


def test_it_spans_what_all_span():
    total = total_of((series("a", 1, 2, 3, 4), series("b", 10, 20, np.nan, start_s=HOUR)))

    assert (HOUR, "gpus") == (total.start_s, total.unit)
    assert [12.0, 23.0] == total.values[:2].tolist()
    assert np.isnan(total.values[2])


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (replace(series("b", 1, 2), step_s=60), "intervals of b"),
        (series("b", 1, 2, start_s=60), "intervals of b"),
        (replace(series("b", 1, 2), unit="cpus"), "in cpus"),
        (series("b", 1, 2, start_s=9 * HOUR), "no interval in common"),
    ],
)
def test_what_does_not_add_up_is_refused(other: Series, words: str):
    with pytest.raises(ValueError, match=words):
        total_of((series("a", 1, 2), other))


def test_the_p95_of_a_sum_is_less_than_the_sum_of_the_p95s():
    # independent noise of 1 each: 1.645 sqrt(4) above the mean together, 1.645 * 4 if added up
    hours = np.arange(28 * 24)
    parts = tuple(
        Series(f"s{seed}", 0, HOUR, 20 + 5 * np.cos(2 * np.pi * hours / 24) + np.random.default_rng(seed).normal(size=len(hours)))
        for seed in range(4)
    )
    options = ForecastOptions(24)
    added = sum(forecast_series(part, options).forecast.at(0.95) for part in parts)
    whole = forecast_series(total_of(parts), options).forecast

    assert float(np.mean(added - whole.at(0.95))) == pytest.approx(1.645 * (4 - 2), rel=0.35)
