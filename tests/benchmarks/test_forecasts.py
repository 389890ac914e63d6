"""The benchmark of forecasts runs at its smallest size; no time is looked at."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.forecasts import PHASES, PUBLIC, SPECS, generated, held_out, main, phase_cpu_s, public_series


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_the_smallest_size_runs_through_all_phases(spec):
    assert len(PHASES) == len(phase_cpu_s(generated(spec.smoke, spec.step_s, 0)))


def test_a_seed_is_always_the_same_load():
    once, again, other = (generated(1, 3600, seed).values for seed in (1, 1, 2))

    assert once.tolist() == again.tolist()
    assert once.tolist() != other.tolist()


def test_held_out_days_are_forecast_from_what_stood_before_them():
    ratio, plain, above = held_out(generated(2, 3600, 0))

    assert 0 < ratio < 1.5
    assert 0 < plain < 1.5
    assert 0 <= above <= 1


def test_many_are_counted(capsys):
    assert main(["many", "2"]) == 0
    assert capsys.readouterr().out.startswith("2 of 2 series forecast")


def test_engines_are_measured_side_by_side(capsys):
    assert main(["engines", "1"]) == 0
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == ["blend", "css", "statsmodels", "fourier"]


@pytest.mark.parametrize(
    ("arguments", "words"), [([], "say which"), (["costs"], "say which"), (["cost", "9-weeks"], "no such spec: 9-weeks")]
)
def test_what_is_not_there_is_refused(arguments, words, capsys):
    assert main(arguments) == 2
    assert words in capsys.readouterr().err


@pytest.mark.real_data
@pytest.mark.parametrize("spec", PUBLIC, ids=lambda spec: spec.name)
def test_public_series_have_their_length(spec, shared_data: Path):
    # the shortest, requests for generated images, has 554 hours, and the last is left out
    series = public_series(spec, shared_data / "timeseries")

    assert len(series.values) >= 553
    assert np.nanmax(series.values) > 0
    assert np.mean(np.isnan(series.values)) < 0.05
