"""Public load: a forecaster must not do worse than repeating yesterday, and must not invent a day where there is none."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from schedplan.forecast.options import ForecastOptions
from schedplan.forecast.pipeline import ForecastResult, forecast_series
from schedplan.model.forecast import Series

pytestmark = pytest.mark.real_data


def _column(path: Path, name: str) -> np.ndarray:
    with path.open(newline="", encoding="utf-8") as file:
        return np.array([float(row[name]) for row in csv.DictReader(file)])


def _forecast(values: np.ndarray) -> ForecastResult:
    return forecast_series(Series("load", 0, 3600, values), ForecastOptions(24))


def _relative_mae(result: ForecastResult, model: str) -> float:
    value = next(score.relative_mae for score in result.scores if score.model == model)
    assert value is not None
    return value


def test_new_york_taxis(shared_data: Path) -> None:
    # half hours summed to hours, the newest eight weeks; the week counts for more than the day
    half_hours = _column(shared_data / "timeseries" / "nab_nyc_taxi.csv", "value")
    result = _forecast(half_hours.reshape(-1, 2).sum(axis=1))

    assert _relative_mae(result, "sarima") <= 1.0
    assert result.quality.relative_mae is not None
    assert result.quality.relative_mae <= 0.75


def test_nasa_web_server_in_july(shared_data: Path) -> None:
    result = _forecast(_column(shared_data / "timeseries" / "nasa_http_1995_jul_hourly.csv", "requests"))

    assert _relative_mae(result, "sarima") <= 1.0
    assert result.quality.relative_mae is not None
    assert result.quality.relative_mae <= 1.0


def test_philly_submissions_have_no_day(shared_data: Path) -> None:
    result = _forecast(_column(shared_data / "timeseries" / "philly_hourly_vcA.csv", "gpus_requested"))

    assert result.quality.verdict.startswith("no season found")
