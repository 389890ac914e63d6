"""The hash of a table's content: the same for the same content, another for any other."""

from __future__ import annotations

import pyarrow as pa
import pytest

from schedplan.tables.read import read_table

TEXT = "job,workers,deadline,gpus_per_worker,accelerators\na,2,2026-12-01T00:00:00Z,3/7,A100|H100\nb,,,0,\n"


def test_order_format_and_unknown_columns_leave_no_trace(write_text, write_parquet):
    expected = read_table(write_text("jobs.csv", TEXT)).sha256
    permuted = (
        "owner,gpus_per_worker,workers,accelerators,deadline,job\nme,0,,,,b\nyou,3/7,2.0,H100|A100,2026-12-01T01:00:00+01:00,a\n"
    )
    columns = {
        "job": pa.array(["b", "a"]),
        "workers": pa.array([None, 2.0]),
        "deadline": pa.array([None, 1796083200000], pa.timestamp("ms", "UTC")),
        "gpus_per_worker": pa.array([0.0, 3 / 7]),
        "accelerators": pa.array([None, "A100|H100"]),
        "user": pa.array([None, None], pa.string()),
    }

    assert expected == read_table(write_text("permuted.csv", permuted), "jobs").sha256
    assert expected == read_table(write_parquet("jobs.parquet", columns)).sha256


@pytest.mark.parametrize(
    ("old", "new"),
    [("a,2", "a,3"), ("\nb,", "\nc,"), ("b,,,0", "b,1,,0"), ("A100|", ""), ("00:00Z", "00:01Z"), ("3/7", "4/7"), ("b,,,0,\n", "")],
)
def test_any_other_content_has_another_hash(write_text, old, new):
    before = read_table(write_text("jobs.csv", TEXT)).sha256
    after = read_table(write_text("jobs.csv", TEXT.replace(old, new))).sha256

    assert before != after


def test_texts_do_not_run_into_one_another(write_text):
    # "ab" + "c" and "a" + "bc" have the same letters
    one = read_table(write_text("jobs.csv", "job,tenant\nx,ab\ny,c\n")).sha256
    other = read_table(write_text("jobs.csv", "job,tenant\nx,a\ny,bc\n")).sha256

    assert one != other
