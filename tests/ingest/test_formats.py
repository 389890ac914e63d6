"""Tables as people have them: TSV, JSON Lines, compressed, other delimiters and encodings, cells with units; never by guess."""

from __future__ import annotations

import gzip
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest

from schedplan.errors import InputError, UsageError
from schedplan.ingest.ingest import ingest
from schedplan.ingest.quantities.iso_duration import iso_duration_s
from schedplan.ingest.quantities.memory_size import memory_bytes
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.readers import chosen_reader
from schedplan.tables.raw_file import TextForm
from schedplan.tables.read import TableFile
from schedplan.units import QuantityError, exact_duration_s
from schedplan.workflows.ingest import parse_form, parse_units

CSV = "job,workers\n007,2\n1e5,3\n"
EXPECTED = [("007", 2), ("1e5", 3)]


def read(path: Path, content: str | bytes, options: ReadOptions | None = None) -> TableFile:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    (table,) = chosen_reader(path).read(path, options or ReadOptions())
    return table


def jobs(table: TableFile) -> list[tuple[str, int]]:
    return [(row["job"], row["workers"]) for row in table.arrow.to_pylist()]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("jobs.tsv", CSV.replace(",", "\t").encode()),
        ("jobs.tsv.gz", gzip.compress(CSV.replace(",", "\t").encode(), mtime=0)),
        ("jobs.csv.zst", pa.compress(CSV.encode(), codec="zstd", asbytes=True)),
        ("jobs.jsonl", b'{"job": "007", "workers": 2}\n\n{"workers": 3, "job": "1e5"}\n'),
        ("jobs.ndjson.zst", pa.compress(b'{"job":"007","workers":2}\n{"job":"1e5","workers":3.0}', codec="zstd", asbytes=True)),
    ],
)
def test_every_format_gives_the_same_table(tmp_path, name, content):
    table = read(tmp_path / name, content)

    assert ("jobs", EXPECTED) == (table.table, jobs(table))
    assert read(tmp_path / "jobs.csv", CSV).sha256 == table.sha256


def test_numbers_of_json_are_taken_as_they_are_written(tmp_path):
    table = read(tmp_path / "jobs.jsonl", '{"job": 9007199254740993, "gpus_per_worker": 0.5, "required": true, "user": null}\n')

    # one more than a float can hold
    assert [("9007199254740993", 0.5, True, None)] == [
        (row["job"], row["gpus_per_worker"], row["required"], row["user"]) for row in table.arrow.to_pylist()
    ]


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ('{"job": "b", "job": "c"}', "twice"),
        ('{"job": ["b"]}', "list or a mapping"),
        ('["b"]', "no mapping"),
        ('{"job": NaN}', "NaN"),
        ('{"job"', "no JSON"),
        ("[" * 100_000, "nested"),
    ],
)
def test_a_line_of_json_that_can_not_be_taken_names_its_row(tmp_path, line, word):
    with pytest.raises(InputError, match=word) as refused:
        read(tmp_path / "jobs.jsonl", '{"job": "a"}\n' + line)
    assert [2] == [fault.row for fault in refused.value.faults]


def test_delimiters_and_encodings_are_told_and_not_guessed(tmp_path):
    path = tmp_path / "jobs.csv"
    text = "job;tenant\na;München\n".encode("latin-1")

    with pytest.raises(InputError, match="--delimiter ';'"):
        read(path, "job;tenant\na;b\n")
    with pytest.raises(InputError, match="--encoding latin-1"):
        read(path, text.replace(b";", b","))
    assert ["München"] == read(path, text, ReadOptions(form=TextForm(";", "latin-1"))).arrow.column("tenant").to_pylist()


def test_words_for_delimiters_and_encodings():
    assert (TextForm("\t"), TextForm(";", "gb18030"), TextForm()) == (
        parse_form("tab", "utf-8"),
        parse_form(";", "GB18030"),
        parse_form(None, "UTF8"),
    )
    for delimiter, encoding in ((";;", "utf-8"), ("a", "utf-8"), (None, "utf-16"), (None, "klingon")):
        with pytest.raises(UsageError):
            parse_form(delimiter, encoding)


@pytest.mark.parametrize(
    ("column", "text", "value"),
    [
        ("runtime_minutes", "90s", 1.5),
        ("runtime_minutes", "PT1H30M", 90.0),
        ("runtime_minutes", "1-02:03:04", 1563.0 + 4 / 60),
        ("runtime_minutes", "12", 12.0),
        ("memory_gib_per_worker", "64Gi", 64.0),
        ("memory_gib_per_worker", "8000 MiB", 7.8125),
        ("memory_gib_per_worker", "1GB", 10**9 / 2**30),
        ("cpus_per_worker", "500m", 0.5),
    ],
)
def test_a_cell_with_a_unit_is_converted_exactly_and_counted(tmp_path, column, text, value):
    table = read(tmp_path / "jobs.csv", f"job,{column}\na,{text}\n")

    assert [value] == table.arrow.column(column).to_pylist()
    assert (text[-1].isalpha() or ":" in text) == bool(table.conversions)


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("memory_gib_per_worker", "400m"),
        ("memory_gib_per_worker", "8Gb"),
        ("memory_gib_per_worker", "64 sacks"),
        ("runtime_minutes", "P1M"),
        ("runtime_minutes", "5 parsecs"),
        ("cpus_per_worker", "2k"),
        ("workers", "3m"),
    ],
)
def test_a_unit_that_is_none_or_in_doubt_names_file_row_and_column(tmp_path, column, text):
    with pytest.raises(InputError) as refused:
        read(tmp_path / "jobs.csv", f"job,{column}\na,{text}\n")
    (fault,) = refused.value.faults
    assert (str(tmp_path / "jobs.csv"), 2, column, text) == (fault.file, fault.row, fault.column, fault.seen)


def test_the_unit_of_a_column_is_told(tmp_path):
    path = tmp_path / "export.csv"
    path.write_text("name,seconds\na,90\nb,60\n")
    options = ReadOptions(
        renames=(("name", "job"), ("seconds", "runtime_minutes")), table="jobs", units=(("runtime_minutes", "s"),)
    )

    account = ingest((path,), tmp_path / "data", options)

    assert ("runtime_minutes to min from s: 2",) == account.files[0].conversions
    with pytest.raises(UsageError, match="no unit of it"):
        ingest((path,), tmp_path / "data", ReadOptions(table="jobs", units=(("runtime_minutes", "kg"),)))
    with pytest.raises(UsageError, match="no such column") as refused:
        ingest((path,), tmp_path / "data", ReadOptions(table="jobs", units=(("runtime_minute", "s"),)))
    assert "Did you mean runtime_minutes?" == refused.value.hint
    assert (("a", "s"),) == parse_units(("a=s",))


@pytest.mark.parametrize(
    ("text", "seconds"), [("PT15M", 900), ("P1DT2H", 93_600), ("P2W", 1_209_600), ("PT0.5S", Fraction(1, 2)), ("PT1,5M", 90)]
)
def test_lengths_of_time_by_iso_8601(text, seconds):
    assert seconds == iso_duration_s(text)


@pytest.mark.parametrize("text", ["P", "PT", "P1DT", "P1Y", "P1M", "15M", "PT-1M", "PT1M30", "pt15m", ""])
def test_what_is_no_length_of_time_by_iso_8601_is_refused(text):
    with pytest.raises(QuantityError):
        iso_duration_s(text)


def test_sizes_and_durations_are_exact():
    assert (2**36, 10**9, 1536 * 2**20, 5) == (*(memory_bytes(text) for text in ("64Gi", "1GB", "1.5 GiB", "5 B")),)
    assert (Fraction(27, 10), 604_800) == (exact_duration_s("2.7s"), exact_duration_s("7d"))
    for text in ("64", "400m", "8gb", "1Gib", "-1Gi"):
        with pytest.raises(QuantityError):
            memory_bytes(text)
