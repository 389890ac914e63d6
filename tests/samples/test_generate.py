"""The tables in samples/ are what their script writes."""

import runpy
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[2] / "samples"
TABLES = sorted(path.relative_to(SAMPLES) for path in SAMPLES.glob("*/*.csv"))


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    root = tmp_path_factory.mktemp("samples")
    runpy.run_path(str(SAMPLES / "generate.py"))["write_samples"](root)
    return root


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_the_script_writes_the_same_bytes(fresh, table):
    expected = (SAMPLES / table).read_bytes()

    assert expected == (fresh / table).read_bytes()


def test_the_script_writes_every_table_and_no_other(fresh):
    actual = sorted(path.relative_to(fresh) for path in fresh.glob("*/*"))

    assert actual == TABLES
    assert {Path("ecommerce-day/jobs.csv"), Path("ecommerce-day/load.csv"), Path("carbon-shift/carbon.csv")} <= set(TABLES)


def test_the_load_is_four_weeks_of_hours_that_end_where_the_day_begins():
    lines = (SAMPLES / "ecommerce-day/load.csv").read_text(encoding="utf-8").splitlines()

    # a header and 28 x 24 rows; the last interval begins an hour before midnight
    assert len(lines) == 1 + 672
    assert lines[1].split(",")[1] == "2026-11-03T00:00:00+08:00"
    assert lines[-1].split(",")[1] == "2026-11-30T23:00:00+08:00"
