"""`schedplan forecast` on files that are not what they should be, and on clocks that are not UTC."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from schedplan.cli.app import app
from schedplan.tables.artefact_forecast import read_forecast

HEAD = "unique_id,ds,y\n"
HOURS = [f"2026-11-{day:02d}T{hour:02d}:00" for day in range(1, 5) for hour in range(24)]
GOOD = "".join(f"web,{hour}:00Z,{idx % 24}\n" for idx, hour in enumerate(HOURS))


def forecast(folder: Path, text: str, *arguments: str) -> Result:
    load = folder / "load.csv"
    load.write_text(text, encoding="utf-8")
    return CliRunner().invoke(app, ["forecast", str(load), *arguments, "--out", str(folder / "out.parquet"), "--force"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "load.csv"),
        (HEAD, "there are no load and no jobs"),
        (HEAD + GOOD.replace(",7\n", ",seven\n", 1), "row 9, column y: this is not a number; seen 'seven'"),
        (HEAD + GOOD.replace(",7\n", ",-7\n", 1), "row 9, column y: the value is outside the limits; seen '-7'"),
        (HEAD + GOOD.replace(",7\n", ",inf\n", 1), "row 9, column y: this is not a number; seen 'inf'"),
        (HEAD + GOOD.replace("11-01T03:00:00Z", "11-01T03:20:00Z", 1), "--freq 1h"),
        (HEAD + GOOD + "web,2026-11-01T00:00:00Z,1\n", "row 2 has the same key already"),
        (HEAD + GOOD.replace("2026-11-01T05:00:00Z", "yesterday", 1), "'yesterday'"),
        (HEAD + "web,2026-11-01T00:00:00Z,1\n", "single row"),
        ("unique_id,when,y\n" + GOOD, "ds"),
    ],
    ids=["empty", "rowless", "words", "negative", "infinite", "irregular", "repeated", "time", "single", "column"],
)
def test_a_file_that_is_no_load_is_refused(tmp_path: Path, text: str, words: str) -> None:
    result = forecast(tmp_path, text)

    assert 2 == result.exit_code
    assert words in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "out.parquet").exists()


def test_times_of_several_offsets_are_one_series(tmp_path: Path) -> None:
    # every other hour is written an hour later with an offset of one hour, and rows stand backwards
    rows = [
        f"web,2026-11-{day:02d}T{hour:02d}:00:00Z,{hour}"
        if hour % 2 == 0
        else f"web,2026-11-{day:02d}T{hour + 1 if hour < 23 else hour:02d}:00:00{'+01:00' if hour < 23 else 'Z'},{hour}"
        for day in range(1, 5)
        for hour in range(24)
    ]
    result = forecast(tmp_path, HEAD + "\n".join(reversed(rows)) + "\n", "-o", "json")

    assert 0 == result.exit_code, result.stderr
    (one,) = read_forecast(tmp_path / "out.parquet")
    assert 3600 == one.step_s
    assert [float(hour) for hour in range(24)] == pytest.approx(one.mean.tolist(), abs=1e-6)


def test_times_are_shown_with_their_offset_over_a_change(tmp_path: Path) -> None:
    # Berlin goes from +02:00 to +01:00 on 25 October 2026 at 01:00 UTC: the hour from 02:00 comes twice
    hours = [f"2026-10-{day:02d}T{hour:02d}:00:00Z" for day in range(21, 25) for hour in range(24)]
    text = HEAD + "".join(f"web,{hour},{idx % 24}\n" for idx, hour in enumerate(hours))

    result = forecast(tmp_path, text, "--set", "project.timezone=Europe/Berlin")

    assert 0 == result.exit_code, result.stderr
    assert "2026-10-25 02:00+02:00" in result.stdout
    assert "2026-10-25 02:00+01:00" in result.stdout
    # the file stays on UTC: 24 hours after the end of the history
    (one,) = read_forecast(tmp_path / "out.parquet")
    assert (1_792_886_400, 24) == (one.cutoff_s, len(one.mean))


def test_times_are_shown_in_a_zone_of_half_hours(tmp_path: Path) -> None:
    result = forecast(tmp_path, HEAD + GOOD, "--set", "project.timezone=Asia/Kolkata")

    assert 0 == result.exit_code, result.stderr
    assert "2026-11-05 05:30+05:30" in result.stdout


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (",2026-11-05T10:00:00Z,2026-11-05T12:00:00Z,sale,nan", "column value: this is not a number; seen 'nan'"),
        (",2026-11-05T12:00:00Z,2026-11-05T10:00:00Z,sale,2", "end is not after start"),
        (",2026-11-05T10:00:00Z,,sale,2", "column end"),
    ],
)
def test_an_event_that_is_none_is_refused(tmp_path: Path, row: str, words: str) -> None:
    file = tmp_path / "sales.csv"
    file.write_text(f"unique_id,start,end,name,value\n{row}\n")

    result = forecast(tmp_path, HEAD + GOOD, "--exog", str(file))

    assert 2 == result.exit_code
    assert words in " ".join(result.stderr.split())


def test_an_event_after_the_horizon_moves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "sales.csv"
    file.write_text("unique_id,start,end,name,value\n,2026-12-24T00:00:00Z,2026-12-25T00:00:00Z,sale,9\n")

    assert 0 == forecast(tmp_path, HEAD + GOOD, "--exog", str(file)).exit_code
    (moved,) = read_forecast(tmp_path / "out.parquet")
    assert 0 == forecast(tmp_path, HEAD + GOOD).exit_code
    (plain,) = read_forecast(tmp_path / "out.parquet")

    assert plain.mean.tolist() == moved.mean.tolist()


def test_times_between_minutes_are_shown_with_their_seconds(tmp_path: Path) -> None:
    # 32 intervals of 90 seconds end at 00:48; every second one begins at half a minute
    rows = HEAD + "".join(f"web,2026-11-01T00:{90 * idx // 60:02d}:{90 * idx % 60:02d}Z,{idx % 4}\n" for idx in range(32))
    shown = forecast(tmp_path, rows, "--horizon", "6m")

    assert 0 == shown.exit_code, shown.stderr
    assert "2026-11-01 00:49:30+00:00" in shown.stdout
    assert "2026-11-01 00:48+00:00" in shown.stdout


def test_a_load_of_a_single_row_does_not_end_the_others(tmp_path: Path) -> None:
    result = forecast(tmp_path, HEAD + GOOD + "one,2026-11-01T00:00:00Z,1\n")

    assert 0 == result.exit_code
    assert ["web"] == [one.unique_id for one in read_forecast(tmp_path / "out.parquet")]
    assert "the series one has a single row" in " ".join(result.output.split())


def test_a_forecast_is_no_folder_to_report(tmp_path: Path) -> None:
    forecast(tmp_path, HEAD + GOOD)
    result = CliRunner().invoke(app, ["report", str(tmp_path / "out.parquet")])

    assert 2 == result.exit_code
    assert "schedplan forecast LOAD --out report.html" in " ".join(result.output.split())
