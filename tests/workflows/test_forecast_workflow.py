"""What `schedplan forecast` forecasts: load where there is any, else the demand of jobs; and how it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from schedplan import plugins
from schedplan.cli.app import app
from schedplan.tables.artefact_forecast import read_forecast

N_DAYS = 6
DATES = [f"2026-11-{day:02d}" for day in range(1, N_DAYS + 1)]


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    """Six days with a job of 4 devices from 08:00 to 16:00 by one tenant, and one of 1 device all day by another."""
    rows = [f"d{idx},day,completed,{date}T08:00:00Z,480,4" for idx, date in enumerate(DATES)]
    rows += [f"n{idx},base,completed,{date}T00:00:00Z,1440,1" for idx, date in enumerate(DATES)]
    rows.append("z,base,completed,2026-11-07T00:00:00Z,60,1")
    path = tmp_path / "jobs.csv"
    path.write_text("job,tenant,state,submit_time,runtime_minutes,gpus_per_worker\n" + "\n".join(rows) + "\n")
    return path


@pytest.fixture
def load(tmp_path: Path) -> Path:
    path = tmp_path / "load.csv"
    path.write_text("unique_id,ds,y\n" + "".join(f"web,{date}T{hour:02d}:00:00Z,{hour}\n" for date in DATES for hour in range(24)))
    return path


def forecast(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["forecast", *arguments, "--out", str(folder / "out.parquet")])


def test_jobs_without_load_are_forecast_as_devices_per_hour(jobs, tmp_path):
    result = forecast(tmp_path, str(jobs), "-o", "json")

    assert 0 == result.exit_code, result.stderr
    (one,) = read_forecast(tmp_path / "out.parquet")
    # the history ends at midnight; the day repeats exactly: 1 device, and 5 from 08:00 to 16:00
    assert ("gpus", 3600, 24) == (one.unique_id, one.step_s, len(one.mean))
    assert [1.0] * 8 + [5.0] * 8 + [1.0] * 8 == pytest.approx(one.mean.tolist(), abs=1e-6)
    assert "backtest" in result.stdout
    assert "13 jobs state no start" in result.stdout


def test_by_a_group_and_a_step(jobs, tmp_path):
    result = forecast(tmp_path, str(jobs), "--by", "tenant", "--freq", "2h", "-o", "json")

    assert 0 == result.exit_code, result.stderr
    assert [("tenant=base", 7200), ("tenant=day", 7200)] == [
        (one.unique_id, one.step_s) for one in read_forecast(tmp_path / "out.parquet")
    ]
    assert "quantiles of groups do not add up" in result.stdout
    assert "forecast" == json.loads(result.stdout)["kind"]


def test_load_comes_first_unless_jobs_are_asked_for(jobs, load, tmp_path):
    assert 0 == forecast(tmp_path, str(jobs), str(load)).exit_code
    assert ["web"] == [one.unique_id for one in read_forecast(tmp_path / "out.parquet")]

    assert 0 == forecast(tmp_path, str(jobs), str(load), "--by", "total").exit_code
    assert ["gpus"] == [one.unique_id for one in read_forecast(tmp_path / "out.parquet")]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("load", "--freq", "15m"), "rows of the series web are 3600 s apart, more than the 900 s asked for"),
        (("load", "--horizon", "0h"), "--horizon '0h': expected a length above 0"),
        (("load", "--horizon", "5000d"), "the horizon has 120000 intervals of 3600 s from the end of web on, more than the 110000"),
        (("load", "--exog", "nowhere.csv"), "--exog names it"),
        (("load", "--backtest", "0"), "a whole number of at least 1"),
        (("jobs", "--freq", "1 hour"), "--freq"),
        (("jobs", "--freq", "1s"), "a duration such as 15m or 1h"),
        (("jobs", "--only", "cpus"), "Did you mean gpus?"),
        (("load", "--model", "sarmia"), "Did you mean sarima?"),
        (("load", "--engine", "r"), "css, statsmodels or fourier"),
        (("load", "--by", "total"), "no jobs to derive demand from"),
        (("jobs", "--freq", "20d"), "longer than the log"),
    ],
)
def test_what_cannot_be_forecast_is_refused(jobs, load, tmp_path, arguments, word):
    source, *options = arguments

    result = forecast(tmp_path, str(jobs if source == "jobs" else load), *options)

    assert 2 == result.exit_code
    assert word in " ".join(result.stderr.split())


def test_a_load_without_a_value_does_not_end_the_others(load, tmp_path):
    load.write_text(load.read_text() + "".join(f"idle,{date}T00:00:00Z,\n" for date in DATES))

    result = forecast(tmp_path, str(load), "-o", "json")

    assert 0 == result.exit_code, result.stderr
    assert ["web"] == [one.unique_id for one in read_forecast(tmp_path / "out.parquet")]
    idle, web = json.loads(result.stdout)["quality"]
    assert ("idle", "none", "web") == (idle["unique_id"], idle["model"], web["unique_id"])
    assert "1 load forecast, 1 could not be." in result.stdout
    assert "the history of idle has no value at all" in result.stdout


def test_loads_without_any_value_are_refused(tmp_path):
    path = tmp_path / "load.csv"
    path.write_text("unique_id,ds,y\n" + "".join(f"{name},{date}T00:00:00Z,\n" for name in ("a", "b") for date in DATES))

    result = forecast(tmp_path, str(path))

    assert 2 == result.exit_code
    told = " ".join(result.stderr.split())
    assert "none of 2 loads could be forecast; the first: the history of a has no value at all" in told
    assert not (tmp_path / "out.parquet").exists()


def test_a_season_that_is_no_whole_number_of_intervals_is_told(load, tmp_path):
    result = forecast(tmp_path, str(load), "--season", "90m,24h", "-o", "json")

    assert 0 == result.exit_code, result.stderr
    assert "the season of 5400 s is not several whole intervals of 3600 s, so web is forecast without it" in result.stdout
    assert "the season of 86400 s" not in result.stdout


def test_intervals_that_no_day_is_made_of_are_told(tmp_path):
    # a day is 205.7 intervals of seven minutes
    rows = "".join(f"web,2026-11-01T{7 * idx // 60:02d}:{7 * idx % 60:02d}:00Z,{idx % 5}\n" for idx in range(200))
    path = tmp_path / "load.csv"
    path.write_text("unique_id,ds,y\n" + rows)

    result = forecast(tmp_path, str(path), "-o", "json")

    assert 0 == result.exit_code, result.stderr
    assert "a day is not a whole number of intervals of 420 s, so no season was looked for" in result.stdout


def test_the_ending_of_the_file_says_whether_it_is_a_report(load, tmp_path):
    page = tmp_path / "out.html"

    assert 0 == CliRunner().invoke(app, ["forecast", str(load), "--out", str(page)]).exit_code
    text = page.read_text()
    assert "What is expected" in text
    assert "What was forecast before, and what came" in text

    refused = CliRunner().invoke(app, ["forecast", str(load), "--out", str(tmp_path / "out.csv")])
    assert 2 == refused.exit_code
    assert "its ending says no form of forecast" in " ".join(refused.stderr.split())


def test_a_folder_without_load_and_jobs_is_refused(tmp_path):
    (tmp_path / "nodes.csv").write_text("node,gpus\na,8\n")

    result = forecast(tmp_path, str(tmp_path / "nodes.csv"))

    assert 2 == result.exit_code
    assert "there are no load and no jobs" in " ".join(result.stderr.split())


def test_what_it_would_have_made_a_planner_buy(jobs, tmp_path):
    result = forecast(tmp_path, str(jobs), "--decision", "--startup", "1h", "-o", "json")

    assert 0 == result.exit_code, result.stderr
    (one,) = json.loads(result.stdout)["decisions"]
    found = {(each["model"], each["level"]): each for each in one["decisions"] if not each["has_breaker"]}
    assert "gpu-hours" == one["unit"]
    # the day repeats exactly, so its repeat pays no more than foresight and misses nothing
    repeat = found["seasonal-naive", None]
    assert found["hindsight", None]["paid_device_h"] == repeat["paid_device_h"]
    assert 0.0 == repeat["missed_intervals"]
    # the last value orders 5 devices or 1 for hours that need the other
    assert found["naive", None]["missed_intervals"] > 0


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--startup", "1h"), "Add --decision"),
        (("--decision", "--per-device", "0"), "a number above 0"),
        (("--decision", "--per-device", "one"), "--per-device 'one'"),
        (("--decision", "--replan", "0h"), "a length above 0"),
    ],
)
def test_options_of_the_decision_backtest_are_held_to_it(load, tmp_path, arguments, word):
    result = forecast(tmp_path, str(load), *arguments)

    assert 2 == result.exit_code
    assert word in result.stderr


def test_a_start_up_longer_than_the_horizon_is_told(load, tmp_path):
    result = forecast(tmp_path, str(load), "--decision", "--startup", "2d")

    assert 0 == result.exit_code, result.stderr
    assert "no decision backtest: forecasts of 24 intervals are too short" in result.stdout


def test_a_forecast_is_held_against_what_came(load, tmp_path):
    assert 0 == forecast(tmp_path, str(load), "--horizon", "24h").exit_code
    file = str(tmp_path / "out.parquet")
    nothing = CliRunner().invoke(app, ["check", str(load), file])
    assert 2 == nothing.exit_code
    assert "none of the load it forecasts has come yet" in nothing.stderr
    before = load.read_text()
    expected = "".join(f"web,2026-11-07T{hour:02d}:00:00Z,{hour}\n" for hour in range(24))
    doubled = "".join(f"web,2026-11-07T{hour:02d}:00:00Z,{hour * 2 + 5}\n" for hour in range(24))

    load.write_text(before + expected)
    as_expected = CliRunner().invoke(app, ["check", str(load), file])
    assert 0 == as_expected.exit_code, as_expected.stderr

    load.write_text(before + doubled)
    off = CliRunner().invoke(app, ["check", str(load), file, "-o", "json"])
    assert 1 == off.exit_code, off.stderr
    (breaker,) = [item for item in json.loads(off.stdout)["items"] if item["measure"] == "forecast_breaker"]
    assert (False, 1.0) == (breaker["passed"], breaker["value"])
    assert "web: the breaker is open" in off.stdout
    # by a rule of one's own
    own = CliRunner().invoke(app, ["check", str(load), file, "--rule", "forecast_exceedance_95 <= 10%"])
    assert 1 == own.exit_code


def test_the_sum_of_loads_is_forecast_as_one_more(jobs, tmp_path):
    result = forecast(tmp_path, str(jobs), "--by", "tenant", "--total")

    assert 0 == result.exit_code, result.stderr
    found = {one.unique_id: one for one in read_forecast(tmp_path / "out.parquet")}
    assert ["tenant=base", "tenant=day", "total"] == sorted(found)
    assert (found["tenant=base"].mean + found["tenant=day"].mean).tolist() == pytest.approx(found["total"].mean.tolist(), abs=1e-6)


def test_an_event_of_the_tables_moves_the_forecast(load, tmp_path):
    (tmp_path / "events.csv").write_text(
        "unique_id,start,end,name,value\nweb,2026-11-07T00:00:00Z,2026-11-08T00:00:00Z,launch,3\n", encoding="utf-8"
    )
    result = forecast(tmp_path, str(load), str(tmp_path / "events.csv"))

    assert 0 == result.exit_code, result.stderr
    (one,) = read_forecast(tmp_path / "out.parquet")
    assert [3.0 * hour for hour in range(24)] == pytest.approx(one.mean.tolist(), abs=1e-6)
    assert "launch: no such event in the history" in result.stdout


def test_the_backtest_is_drawn(jobs, tmp_path):
    shown = json.loads(forecast(tmp_path, str(jobs), "-o", "json").stdout)
    text = json.dumps(shown)

    assert '"backtest-1"' in text
    assert "each from what was known" in text


def test_bands_asked_for_are_saved_inside_one_another(jobs, tmp_path):
    result = forecast(tmp_path, str(jobs), "--levels", "50,90")

    assert 0 == result.exit_code, result.stderr
    saved = pq.read_table(tmp_path / "out.parquet").to_pydict()
    # the table has columns of 80 and 95 whatever is asked
    assert ["lo-50", "lo-80", "lo-90", "lo-95"] == [name for name in saved if name.startswith("lo-")]
    ends = zip(saved["lo-90"], saved["lo-50"], saved["hi-50"], saved["hi-90"], strict=True)
    assert all(row == tuple(sorted(row)) for row in ends)


def test_bands_that_do_not_grow_are_refused(jobs, tmp_path):
    result = forecast(tmp_path, str(jobs), "--levels", "90,50")

    assert 2 == result.exit_code
    assert "whole numbers from 1 to 99, increasing" in result.stderr


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    """Six days by the half hour, each time twice: h and h + 1 in the hour h, and one row of a day that has just begun."""
    rows = [
        f"web,{date}T{hour:02d}:{minute}:00Z,{value}\n"
        for date in DATES
        for hour in range(24)
        for minute in ("00", "30")
        for value in (hour, hour + 1)
    ]
    path = tmp_path / "samples.csv"
    path.write_text("unique_id,ds,y\n" + "".join(rows) + "web,2026-11-07T00:00:00Z,999\n")
    return path


@pytest.mark.parametrize(("agg", "of_hour"), [("sum", lambda h: 4 * h + 2), ("mean", lambda h: h + 0.5), ("max", lambda h: h + 1)])
def test_rows_are_put_together_as_asked(samples, tmp_path, agg, of_hour):
    result = forecast(tmp_path, str(samples), "--freq", "1h", "--agg", agg, "-o", "json")

    assert 0 == result.exit_code, result.stderr
    (one,) = read_forecast(tmp_path / "out.parquet")
    # the hour that has just begun is left out: the history ends at midnight, and the day repeats exactly
    assert (3600, 1_793_923_200 + 86_400) == (one.step_s, one.cutoff_s)
    assert [of_hour(hour) for hour in range(24)] == pytest.approx(one.mean.tolist(), abs=1e-6)
    assert f"577 rows were put together to 144 intervals, by {agg}; 1 rows" in result.stdout


def test_a_time_that_repeats_is_refused_unless_it_is_said_what_becomes_of_it(samples, tmp_path):
    for options in ((), ("--freq", "1h")):
        result = forecast(tmp_path, str(samples), *options)

        assert 2 == result.exit_code
        assert "row 2 has the same key already" in " ".join(result.stderr.split())


def test_two_files_may_share_times_where_rows_are_put_together(load, tmp_path):
    other = tmp_path / "more_load.csv"
    other.write_text(load.read_text())
    folder = [str(load), str(other)]

    assert 0 == forecast(tmp_path, *folder, "--agg", "sum", "-o", "json").exit_code
    (one,) = read_forecast(tmp_path / "out.parquet")
    assert [2.0 * hour for hour in range(24)] == pytest.approx(one.mean.tolist(), abs=1e-6)


def test_events_may_come_from_a_file_of_their_own(load, tmp_path):
    file = tmp_path / "sale.csv"
    file.write_text("unique_id,start,end,name,value\n,2026-11-07T10:00:00Z,2026-11-07T12:00:00Z,sale,3\n")

    result = forecast(tmp_path, str(load), "--exog", str(file), "-o", "json")

    assert 0 == result.exit_code, result.stderr
    (one,) = read_forecast(tmp_path / "out.parquet")
    # no sale in the history: its value is the factor
    assert [9.0, 30.0, 33.0, 12.0] == pytest.approx(one.mean[9:13].tolist(), abs=1e-6)


def test_the_backtest_has_as_many_origins_as_asked_for(load, tmp_path):
    result = forecast(tmp_path, str(load), "--backtest", "3", "-o", "json")

    assert {3} == {row["folds"] for row in json.loads(result.stdout)["quality"]}


class Flat:
    """A forecaster of another distribution, that says 7 whatever came."""

    def fit(self, series):
        return self

    def roll(self, series, origins, horizon):
        return np.full((len(origins), horizon), 7.0)

    def forecast(self, horizon, quantiles, future):
        return np.full(horizon, 7.0), np.array([np.full(horizon, 7.0 + level) for level in quantiles])


def test_a_plug_in_is_used_where_it_is_named(load, tmp_path, monkeypatch):
    found = plugins.Plugins((plugins.Plugin("flat", "flatlands", Flat),))
    monkeypatch.setattr("schedplan.forecast.plugin.plugins", lambda *_: found)

    result = forecast(tmp_path, str(load), "--model", "flat", "-o", "json")
    (one,) = read_forecast(tmp_path / "out.parquet")
    unknown = forecast(tmp_path, str(load), "--model", "flatt")

    assert 0 == result.exit_code, result.stderr
    assert "flat" == one.model
    assert 1 == len(set(one.mean.tolist()))
    assert 2 == unknown.exit_code
    assert "Did you mean flat?" in unknown.stderr
