"""Parquet files as they come: physical types that hold the value exactly, and no others."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schedplan.tables import parquet_file
from schedplan.tables.read import read_table

BERLIN = ZoneInfo("Europe/Berlin")


def test_names_stored_as_whole_numbers_are_read_digit_by_digit_and_said_so(write_parquet):
    path = write_parquet("jobs.parquet", {"job": pa.array([9007199254740993, 7], pa.int64())})

    file = read_table(path)

    assert ["9007199254740993", "7"] == file.arrow.column("job").to_pylist()
    assert "whole numbers" in file.notes[0]


def test_names_stored_as_floats_are_refused(write_parquet, faults_of):
    # pandas makes 9007199254740992.0 of 9007199254740993 beside a blank: what it was is lost
    (fault,) = faults_of(write_parquet("jobs.parquet", {"job": pa.array([9007199254740993.0])}))

    assert ("SP1014", "job", "double") == (fault.code, fault.column, fault.seen)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_float_that_is_not_finite_is_an_error_naming_its_row(write_parquet, faults_of, value):
    path = write_parquet("nodes.parquet", {"node": pa.array(["a", "b"]), "memory_gib": pa.array([1.0, value])})

    (fault,) = faults_of(path)

    assert ("SP1006", 2, "memory_gib") == (fault.code, fault.row, fault.column)


def test_whole_floats_are_counts_and_others_are_not(write_parquet, faults_of):
    path = write_parquet("nodes.parquet", {"node": pa.array(["a", "b"]), "count": pa.array([3.0, None])})

    assert [3, None] == read_table(path).arrow.column("count").to_pylist()
    # 2**53 may have been 2**53 + 1 before it became a float
    path = write_parquet("jobs.parquet", {"job": pa.array(["a", "b", "c"]), "priority": pa.array([1.5, 2.0**53, 2.0])})
    assert [("SP1006", 1), ("SP1006", 2)] == [(fault.code, fault.row) for fault in faults_of(path)]


def test_numbers_beyond_64_bits_or_exact_floats_are_refused(write_parquet, faults_of):
    path = write_parquet("jobs.parquet", {"job": pa.array(["a"]), "priority": pa.array([2**64 - 1], pa.uint64())})
    assert "SP1006" == faults_of(path)[0].code
    path = write_parquet("nodes.parquet", {"node": pa.array(["a"]), "cpus": pa.array([2**53 + 1], pa.int64())})
    assert "SP1006" == faults_of(path)[0].code


def test_limits_hold_for_stored_numbers(write_parquet, faults_of):
    path = write_parquet("nodes.parquet", {"node": pa.array(["a", "b"]), "count": pa.array([1, -1])})

    (fault,) = faults_of(path)

    assert ("SP1008", 2, "count", "-1") == (fault.code, fault.row, fault.column, fault.seen)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_timestamps_are_instants(write_parquet, unit):
    # 2026-12-01T12:00 in Berlin, UTC+1, is 11:00 UTC
    naive = pa.array([datetime(2026, 12, 1, 12)], pa.timestamp(unit))  # noqa: DTZ001
    aware = pa.array([datetime(2026, 12, 1, 12)], pa.timestamp(unit, "UTC"))  # noqa: DTZ001
    path = write_parquet("jobs.parquet", {"job": pa.array(["a"]), "earliest_start": naive, "deadline": aware})

    file = read_table(path, zone=BERLIN)

    assert [11, 12] == [file.arrow.column(name)[0].as_py().hour for name in ("earliest_start", "deadline")]
    assert ("times of column earliest_start without an offset are read in Europe/Berlin",) == tuple(
        note.split(": ")[1] for note in file.notes
    )


def test_fractions_of_a_second_are_told(write_parquet):
    stamps = pa.array([datetime(2026, 12, 1, 0, 0, 0, 500_000)], pa.timestamp("us", "UTC"))  # noqa: DTZ001

    file = read_table(write_parquet("jobs.parquet", {"job": pa.array(["a"]), "deadline": stamps}))

    assert "fractions of a second" in file.notes[0]


def test_times_outside_the_years_and_in_the_gap_are_errors(write_parquet, faults_of):
    stamps = pa.array([datetime(1971, 1, 1), datetime(2026, 3, 29, 2, 30)], pa.timestamp("us"))  # noqa: DTZ001
    path = write_parquet("jobs.parquet", {"job": pa.array(["a", "b"]), "deadline": stamps})

    assert [("SP1009", 1), ("SP1009", 2)] == [(fault.code, fault.row) for fault in faults_of(path, zone=BERLIN)]


def test_bare_numbers_are_no_times(write_parquet, faults_of):
    path = write_parquet("jobs.parquet", {"job": pa.array(["a"]), "deadline": pa.array([1_700_000_000])})

    assert ("SP1009", "deadline") == (faults_of(path)[0].code, faults_of(path)[0].column)


@pytest.mark.parametrize("array", [pa.array([["x"]]), pa.array([{"x": 1}])])
def test_nested_columns_are_refused(write_parquet, faults_of, array):
    path = write_parquet("jobs.parquet", {"job": pa.array(["a"]), "after": array})

    assert {"SP1014"} == {fault.code for fault in faults_of(path)}


@pytest.mark.parametrize("column", ["spot_ok", "workers"])
def test_another_type_is_refused(write_parquet, faults_of, column):
    array = pa.array([1]) if column == "spot_ok" else pa.array([True])
    path = write_parquet("jobs.parquet", {"job": pa.array(["a"]), column: array})

    assert ("SP1014", column) == (faults_of(path)[0].code, faults_of(path)[0].column)


def test_a_flipped_bit_in_our_own_pages_is_noticed(write_parquet, faults_of):
    path = write_parquet("nodes.parquet", {"node": pa.array([f"node-{idx}" for idx in range(200)])})
    content = bytearray(path.read_bytes())
    content[60] ^= 4
    path.write_bytes(content)

    assert "SP1001" == faults_of(path)[0].code


def test_many_cells_in_a_small_file_are_refused_before_they_are_read(tmp_path, faults_of):
    # 50 million rows of one text: a few megabytes on disk
    path = tmp_path / "nodes.parquet"
    dictionary = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000, pa.int32()), pa.array(["x" * 1_000]))
    table = pa.table({"node": dictionary})
    with pq.ParquetWriter(path, table.schema) as writer:
        writer.write_table(pa.concat_tables([table] * 50_000))

    assert "SP1012" == faults_of(path)[0].code


def test_long_texts_that_are_kept_once_are_refused(tmp_path, faults_of, monkeypatch):
    # 1,000 x 1,000 characters are 1,000,000 bytes when written out
    monkeypatch.setattr(parquet_file, "MAX_BYTES", 999_999)
    path = tmp_path / "nodes.parquet"
    pq.write_table(pa.table({"node": pa.array(["x" * 1_000] * 1_000)}), path)

    assert "SP1012" == faults_of(path)[0].code


def test_columns_that_share_a_name_are_refused(tmp_path, faults_of):
    path = tmp_path / "nodes.parquet"
    table = pa.table([pa.array(["a"]), pa.array([1]), pa.array([2])], names=["node", "gpus", "gpus"])
    pq.write_table(table, path)

    assert {"SP1004"} == {fault.code for fault in faults_of(path)}
