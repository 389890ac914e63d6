"""Many series at once: the bytes of one after another, and a bad one among them."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.forecast.batch import Asked, forecast_each
from schedplan.forecast.options import ForecastOptions, ModelChoice
from schedplan.forecast.pipeline import ForecastResult
from schedplan.model.forecast import Series

DAY = 24
OPTIONS = ForecastOptions(DAY)


def _asked(n_series: int) -> list[Asked]:
    hours = np.arange(6 * DAY)
    wave = 100 * (1 - 0.8 * np.cos(2 * np.pi * hours / DAY))
    noise = np.random.default_rng(7).normal(size=(n_series, len(hours)))
    return [Asked(Series(f"s{idx}", 0, 3600, wave + 5 * row), OPTIONS) for idx, row in enumerate(noise)]


def _bytes(results: tuple[ForecastResult, ...]) -> list[tuple[str, bytes, bytes, object]]:
    return [
        (each.forecast.unique_id, each.forecast.mean.tobytes(), each.forecast.quantiles.tobytes(), each.quality) for each in results
    ]


def test_processes_give_the_bytes_of_one_after_another() -> None:
    # 36 series are two chunks of 16 and one of 4
    asked = _asked(36)

    assert _bytes(forecast_each(asked, workers=2)) == _bytes(forecast_each(asked, workers=1))


@pytest.mark.parametrize("n_series", [3, 34])
def test_a_bad_series_is_one_result_among_the_others(n_series: int) -> None:
    # words instead of numbers are refused where tables are read; here they stand for whatever makes a forecaster raise
    asked = _asked(n_series)
    bad = Asked(Series("bad", 0, 3600, np.array(["not a number"] * 200)), OPTIONS)  # type: ignore[arg-type]
    results = forecast_each([asked[0], bad, *asked[1:]], workers=2)

    assert [each.forecast.unique_id for each in results[:3]] == ["s0", "bad", "s1"]
    assert results[1].quality.model == "none"
    assert "bad could not be forecast" in results[1].forecast.notes[0]
    assert np.isnan(results[1].forecast.mean).all()
    assert all(np.isfinite(each.forecast.mean).all() for each in (results[0], *results[2:]))


def test_the_scored_forecasts_are_left_out() -> None:
    (result,) = forecast_each(_asked(1))

    assert result.folds is None
    assert result.scores
    assert result.forecast.model != ModelChoice.NAIVE.value


def test_nothing_asked_is_nothing_answered() -> None:
    assert forecast_each([]) == ()
