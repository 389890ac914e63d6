"""A large CSV file is read as a small one is: the same table, notes and faults by both ways."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from schedplan.errors import InputError
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.table_reader import TableReader
from schedplan.tables import large_csv
from schedplan.tables.raw_file import TextForm
from tests.tables.test_mutants import CSV, mutant

LOAD = "unique_id,ds,y,unit\n" + "".join(
    f"{name},2026-12-0{day}T00:00:00Z,{day}.{day},rps\n" for name in ("NA", "007", "1e5") for day in range(1, 10)
)
PLAIN = ReadOptions(ZoneInfo("Europe/Berlin"))
N_MUTANTS = 400
HEADERS = {"load": LOAD, "jobs": CSV}


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes, str, ReadOptions], tuple[object, object]]:
    """Return what a reading gives by the way of small files and by that of large ones, in blocks of a few lines."""

    def answers(content: bytes, name: str, options: ReadOptions = PLAIN) -> tuple[object, object]:
        path = tmp_path / name
        path.write_bytes(content)
        found = []
        for large_bytes in (1 << 30, 0):
            monkeypatch.setattr(large_csv, "LARGE_BYTES", large_bytes)
            monkeypatch.setattr(large_csv, "BLOCK_BYTES", 200)
            found.append(_answer(path, options))
        return found[0], found[1]

    return answers


def _answer(path: Path, options: ReadOptions) -> object:
    try:
        (file,) = TableReader().read(path, options)
    except InputError as problem:
        return problem.faults
    rest = (file.rows.tolist(), file.notes, file.sha256, file.slips, file.conversions)
    # as text, for 0 and -0 are equal as numbers
    return (file.table, file.arrow.schema, str(file.arrow.to_pylist()), *rest)


LOADS = {
    "plain": LOAD,
    "without a last line feed": LOAD.rstrip("\n"),
    "returns": LOAD.replace("\n", "\r\n"),
    "bare return": LOAD.replace("rps\n1e5", "rps\r1e5", 1),
    "mark": "\ufeff" + LOAD,
    "marks before all lines": "\n\ufeff".join(LOAD.splitlines()),
    "blank lines": LOAD.replace("rps\n1e5", "rps\n\n\r\n1e5") + "\n\n",
    "blank line after the header": LOAD.replace("unit\n", "unit\n\n", 1),
    "quotes late": LOAD + '"a ""b"", c",2026-12-01T00:00:00Z,1,rps\n"a\nb",2026-12-01T00:00:00Z,1,x\nz,2026-12-01T00:00:00Z,-1,x\n',
    "open quote": LOAD + '"a,2026-12-01T00:00:00Z,1,rps\n',
    "ragged": LOAD.replace("007,2026-12-05T00:00:00Z,", "007,") + "a,b,c,d,e\n",
    "unordered": LOAD + "0,2026-12-01T00:00:00Z,1,rps\n",
    "repeated key": LOAD + "007,2026-12-01T00:00:00Z,1,rps\n",
    "gaps": LOAD.replace(",5.5,", ",,"),
    "no name": LOAD.replace("007,2026-12-05", ",2026-12-05"),
    "no time": LOAD.replace("2026-12-05T00:00:00Z", ""),
    "naive times": LOAD.replace("2026-12-05T00:00:00Z", "2026-12-05 00:00"),
    "a skipped time": LOAD + "z,2026-03-29T02:30:00,1,rps\n",
    "no such day": LOAD + "z,2026-02-30T00:00:00Z,1,rps\n",
    "hour 24": LOAD + "z,2026-02-03T24:00:00Z,1,rps\nz,2026-02-03T23:59:60Z,1,rps\n",
    "early and late": LOAD + "z,1979-12-31T23:59:59Z,1,rps\nz,2201-01-01T00:00:00Z,1,rps\n",
    "bare seconds": LOAD + "z,1700000000,1,rps\n",
    "spaces": LOAD.replace("007,", " 007 ,").replace(",5.5,", ", 5.5\t,"),
    "wide spaces": LOAD.replace("007,", "\u00a0007,"),
    "names": LOAD.replace("007", "n\u00e9\u00df").replace("1e5", "null"),
    "arabic digits": LOAD.replace(",5.5,", ",\u0665,"),
    "nul": LOAD.replace("1e5,2026-12-05", "1\x005,2026-12-05"),
    "semicolons": LOAD.replace(",", ";"),
    "repeated column": LOAD.replace("unique_id,ds,y,unit", "unique_id,ds,y,y"),
    "nameless column": LOAD.replace("unique_id,ds,y,unit", "unique_id,ds,y,"),
    "unknown column": LOAD.replace("unique_id,ds,y,unit", "unique_id,ds,y,units"),
    "missing column": LOAD.replace("unique_id,ds,y,unit", "unique_id,ds,z,unit"),
    "quoted header": LOAD.replace("unique_id", '"unique_id"'),
    "no row": "unique_id,ds,y,unit\n",
    "one series": "timestamp,utilization\n2026-12-01T00:00:00Z,1\n2026-12-01T01:00:00Z,2\n",
} | {
    f"y {text}": LOAD.replace(",5.5,", f",{text},")
    for text in (
        *(
            "1e400",
            "inf",
            "nan",
            "-1",
            "-0",
            "+5",
            ".5",
            "5.",
            "1.2.3",
            "1_0",
            "007",
            "1e3",
            "9" * 400,
            "1e-320",
            "0." + "0" * 14 + "1",
        ),
        *("0x10", "1 000", "9007199254740993", "0.1000000000000000055511151231257827", "9" * 15, "1" + "0" * 16),
    )
}


@pytest.mark.parametrize("name", LOADS)
def test_both_ways_give_the_same(name, both):
    small, large = both(LOADS[name].encode(), "load.csv")

    assert small == large


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (replace(PLAIN, renames=(("series", "unique_id"), ("no", "unit"))), LOAD.replace("unique_id", "series")),
        (replace(PLAIN, form=TextForm(";")), LOAD.replace(",", ";")),
        (replace(PLAIN, form=TextForm(None, "latin-1")), LOAD),
    ],
)
def test_both_ways_take_the_same_options(options, text, both):
    small, large = both(text.encode(), "load.csv", options)

    assert small == large


def test_both_ways_convert_units_alike(both):
    jobs = "job,gpus_per_worker,runtime_minutes,workers\n" + "".join(
        f"j{idx},1,{cell},{idx}\n" for idx, cell in enumerate(["90", "1h", "30 min", "7"] * 9, start=1)
    )
    for units in ((), (("runtime_minutes", "s"),)):
        small, large = both(jobs.encode(), "jobs.csv", replace(PLAIN, units=units))

        assert small == large
        # of every four cells two are no plain number; with a unit told all but those of an hour and of half an hour are changed too
        assert small[-1] == (f"runtime_minutes to min{' from s' if units else ''}: {36 if units else 18}",)


@pytest.mark.parametrize("table", HEADERS)
def test_both_ways_answer_mutants_alike(table, both):
    rng = random.Random(11)
    text = HEADERS[table]
    answers = [both(mutant(rng, text.encode()), f"{table}.csv") for _ in range(N_MUTANTS)]

    assert [small for small, _ in answers] == [large for _, large in answers]


def test_progress_is_told_by_rows(tmp_path, monkeypatch):
    path = tmp_path / "load.csv"
    path.write_text(LOAD)
    monkeypatch.setattr(large_csv, "LARGE_BYTES", 0)
    monkeypatch.setattr(large_csv, "BLOCK_BYTES", 200)
    told: list[tuple[Path, int]] = []
    TableReader().read(path, replace(PLAIN, tell=lambda of, n_rows: told.append((of, n_rows))))

    # 27 rows of about 30 bytes in blocks of 200: at least four reports, each of more rows, the last of all
    assert len(told) >= 4
    assert told == sorted(set(told))
    assert (path, 27) == told[-1]
