"""Public load: a forecaster must not do worse than repeating yesterday, and must not invent a day where there is none."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from schedplan.forecast.carrier import EvenCarrier
from schedplan.forecast.decision import Provision
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

    assert _relative_mae(result, "sarima-blend") <= 0.75
    assert result.quality.relative_mae is not None
    assert result.quality.relative_mae <= 0.75


def test_nasa_web_server_in_july(shared_data: Path) -> None:
    result = _forecast(_column(shared_data / "timeseries" / "nasa_http_1995_jul_hourly.csv", "requests"))

    assert _relative_mae(result, "sarima-blend") <= 0.75
    assert result.quality.relative_mae is not None
    assert result.quality.relative_mae <= 0.75


def test_requests_for_generated_images(shared_data: Path) -> None:
    result = _forecast(_column(shared_data / "timeseries" / "alibaba_genai_v2026_lora_hourly.csv", "requests"))

    assert result.quality.relative_mae is not None
    assert result.quality.relative_mae <= 0.75


def test_coverage_over_three_loads_with_a_daily_cycle(shared_data: Path) -> None:
    folder = shared_data / "timeseries"
    loads = (
        _column(folder / "nab_nyc_taxi.csv", "value").reshape(-1, 2).sum(axis=1),
        _column(folder / "nasa_http_1995_jul_hourly.csv", "requests"),
        _column(folder / "alibaba_genai_v2026_lora_hourly.csv", "requests"),
    )
    qualities = [_forecast(load).quality for load in loads]
    mean = {name: np.mean([getattr(each, name) for each in qualities]) for name in ("coverage_80", "coverage_95", "exceedance_95")}

    assert mean["coverage_80"] == pytest.approx(0.8, abs=0.05)
    assert mean["coverage_95"] == pytest.approx(0.95, abs=0.05)
    assert 0.03 <= mean["exceedance_95"] <= 0.08


def test_philly_submissions_have_no_day(shared_data: Path) -> None:
    result = _forecast(_column(shared_data / "timeseries" / "philly_hourly_vcA.csv", "gpus_requested"))

    assert result.quality.verdict.startswith("no season found")


def test_a_large_model_s_requests_have_no_day(shared_data: Path) -> None:
    values = _column(shared_data / "timeseries" / "servegen_m_large_total_10min.csv", "rate_rps")
    result = forecast_series(Series("load", 0, 600, values), ForecastOptions(144))
    best = min(_relative_mae(result, model) for model in ("mean", "naive"))

    assert result.quality.relative_mae is not None
    assert result.quality.relative_mae <= 1.05 * best


def test_generated_images_cost_less_than_by_the_last_value_or_the_last_day(shared_data: Path) -> None:
    values = _column(shared_data / "timeseries" / "alibaba_genai_v2026_lora_hourly.csv", "requests")[:-1]
    decided = forecast_series(
        Series("load", 0, 3600, values), ForecastOptions(24), Provision(EvenCarrier(66.0), startup_s=900)
    ).decided

    assert decided is not None
    assert decided.bound is not None
    paid = {one.model: one.paid_device_h for one in decided.at_equal_slo if one.target == 0.95}
    ours = paid["sarima-blend"]
    assert ours is not None
    assert ours > decided.bound.paid_device_h
    assert all(other is None or ours < other for other in (paid["naive"], paid["seasonal-naive"]))
