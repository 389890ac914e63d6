"""Damaged files: whatever is changed, the answer is a table or an InputError, and never another exception."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schedplan.errors import InputError
from schedplan.tables.convert import content
from schedplan.tables.read import read_table

N_MUTANTS = 300
CSV = (
    "job,kind,priority,required,submit_time,workers,gpus_per_worker,accelerators,runtime_minutes,deadline,placement,tolerations\n"
    '007,training,1,true,2026-12-01T00:00:00Z,2,3/7,A100|H100,60,2026-12-02T00:00:00+08:00,n1*1;n2*1,"gpu=yes;spot"\n'
    '1e5,batch,,false,2026-12-01,1,8,,1.5e2,,,\n"quoted, ""name""",other,-3,no,2026-03-29T02:30:00,,0.5,,7,,,\n'
)
HOSTILE = (
    *(b"\0", b"\xff", b'"', b'""', b",", b"\n", b"\r", b";", b"inf", b"nan", b"1e400", b"-", b"9" * 400, b"\xe2\x80\xae"),
    *(b"=1+1", b"'", b"\xef\xbb\xbf", b"1_0", b"/", b"|", b"*", b"0/0", b":", b"\x1b[2J", b"9999-99-99", b"\xed\xa0\x80"),
)


def is_answered(path: Path, table: str) -> bool:
    """Return whether the file is read; False where it is refused. Anything else passes through as the failure it is."""
    try:
        content((read_table(path, table),))
    except InputError as problem:
        refused = problem
    else:
        return True
    assert refused.faults
    assert str(refused)
    return False


def mutant(rng: random.Random, original: bytes) -> bytes:
    changed = bytearray(original)
    for _ in range(rng.choice((1, 1, 1, 2, 8))):
        at = rng.randrange(len(changed)) if changed else 0
        kind = rng.randrange(5)
        if kind == 0:
            changed[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == 1:
            changed[at:at] = rng.choice(HOSTILE)
        elif kind == 2:
            del changed[at : at + rng.randrange(1, 40)]
        elif kind == 3:
            changed[at:at] = changed[at : at + rng.randrange(1, 200)]
        else:
            del changed[at:]
    return bytes(changed)


def test_mutants_of_a_csv_are_read_or_refused(tmp_path):
    rng = random.Random(1)
    path = tmp_path / "mutant.csv"
    answers = []
    for _ in range(N_MUTANTS):
        path.write_bytes(mutant(rng, CSV.encode()))
        answers.append(is_answered(path, "jobs"))

    # both kinds occur, so that neither everything nor nothing is refused
    assert {True, False} == set(answers)


@pytest.mark.parametrize("has_checksums", [True, False])
def test_mutants_of_a_parquet_file_are_read_or_refused(tmp_path, has_checksums):
    rng = random.Random(2)
    path = tmp_path / "good.csv"
    path.write_text(CSV.replace("2026-03-29T02:30:00", ""))
    table = read_table(path, "jobs").arrow
    good = tmp_path / "good.parquet"
    pq.write_table(table, good, write_page_checksum=has_checksums)
    path = tmp_path / "mutant.parquet"
    answers = []
    for _ in range(N_MUTANTS):
        path.write_bytes(mutant(rng, good.read_bytes()))
        answers.append(is_answered(path, "jobs"))

    assert False in answers
    assert is_answered(good, "jobs")


def test_columns_of_any_physical_type_are_read_or_refused(tmp_path):
    arrays = (
        pa.array([True, None]),
        pa.array([1, None], pa.int8()),
        pa.array([2**64 - 1, None], pa.uint64()),
        pa.array([1.5, None], pa.float16()),
        pa.array([float("nan"), 1.0]),
        pa.array(["x", None]),
        pa.array(["x", None], pa.large_string()),
        pa.array(["x", None]).dictionary_encode(),
        pa.array([1, None]).dictionary_encode(),
        pa.array([b"\xff", None], pa.binary()),
        pa.array([1, None], pa.decimal128(10, 2)),
        pa.array([1, None], pa.date32()),
        pa.array([1, None], pa.time64("us")),
        pa.array([1, None], pa.duration("s")),
        pa.array([2**62, None], pa.timestamp("s")),
        pa.array([-(2**62), None], pa.timestamp("us", "UTC")),
        pa.array([None, None]),
        pa.array([[1], None]),
    )
    names = ("job", "workers", "gpus_per_worker", "required", "deadline", "kind", "placement", "slo_quantile")
    path = tmp_path / "jobs.parquet"
    answers = []
    for array in arrays:
        for name in names:
            columns = {"job": pa.array(["a", "b"]), "slo_ms": pa.array([1.0, 1.0]), "service_ms": pa.array([1.0, 1.0])}
            try:
                pq.write_table(pa.table(columns | {"service": columns["job"], name: array}), path)
            except pa.ArrowException:
                continue
            answers.append(is_answered(path, "services" if name == "slo_quantile" else "jobs"))

    assert {True, False} == set(answers)
