"""A file opened as bytes: which format it is by its first bytes, and what is never read. It knows no column."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import NoReturn

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schedplan.tables.faults import Code, FaultList

MAX_CELLS = 40_000_000
MAX_COLUMNS = 2_000
MAX_BYTES = 1 << 30
MAX_LINE_CHARS = 1 << 20
_SNIFFED_BYTES = 4096

_REFUSED = (
    (b"ARROW1", "Feather (Arrow IPC), which is never read"),
    (b"FEA1", "Feather, which is never read"),
    (b"PK\x03\x04", "a zip archive or a spreadsheet"),
    (b"\xfd7zXZ", "xz-compressed"),
    (b"BZh", "bzip2-compressed"),
    (b"\x80\x02", "a pickle, which is never read"),
    (b"\x80\x03", "a pickle, which is never read"),
    (b"\x80\x04", "a pickle, which is never read"),
    (b"\x80\x05", "a pickle, which is never read"),
    (b"SQLite format 3", "an SQLite database"),
    (b"%PDF", "a PDF document"),
)
_ZSTD = b"\x28\xb5\x2f\xfd"
_MARKS = ((b"\xff\xfe\x00\x00", "UTF-32"), (b"\x00\x00\xfe\xff", "UTF-32"), (b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"))


class FileFormat(Enum):
    CSV = "csv"
    GZIPPED_CSV = "csv.gz"
    PARQUET = "parquet"


class UnreadableError(Exception):
    """Reading a file can't go on; the reason stands in its fault list."""


@dataclass(frozen=True, slots=True)
class RawTable:
    """Columns as the file has them. Text columns of a CSV are strings, an empty cell is an empty string.

    rows: int64 [n], the number of each row as a person counts it: its first line in a CSV (the header has 1), else 1, 2, ...
    """

    names: tuple[str, ...]
    columns: tuple[pa.Array, ...]
    rows: NDArray[np.int64]


def file_format(path: Path, faults: FaultList) -> FileFormat:
    """Return the format of a file by its first bytes; raises UnreadableError with a fault where it is none that is read."""
    head = refuse_foreign(path, faults)
    if head.startswith(_ZSTD):
        hint = "`schedplan ingest` unpacks it; elsewhere give CSV, gzipped CSV or Parquet."
        refuse(faults, Code.UNREADABLE, "the file is zstd-compressed", hint=hint)
    if head.startswith(b"PAR1"):
        return FileFormat.PARQUET
    return FileFormat.GZIPPED_CSV if head.startswith(b"\x1f\x8b") else FileFormat.CSV


def refuse_foreign(path: Path, faults: FaultList) -> bytes:
    """Return the first bytes of a file; raises UnreadableError with a fault where they are those of a format never read."""
    try:
        if not path.is_file():
            refuse(faults, Code.UNREADABLE, "this is a folder, not a file" if path.is_dir() else "there is no such file")
        with path.open("rb") as stream:
            head = stream.read(_SNIFFED_BYTES)
    except (OSError, ValueError) as problem:
        refuse(faults, Code.UNREADABLE, f"it can't be opened: {reason_of(problem)}")
    if not head:
        refuse(faults, Code.UNREADABLE, "the file is empty", hint="A table has at least a header.")
    for magic, what in _REFUSED:
        if head.startswith(magic):
            refuse(faults, Code.UNREADABLE, f"the file is {what}", hint="Give CSV, gzipped CSV or Parquet.")
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            refuse(faults, Code.ENCODING, f"the text is {encoding}", hint="Save it as UTF-8.")
    return head


def refuse(faults: FaultList, code: Code, message: str, row: int | None = None, hint: str | None = None) -> NoReturn:
    """Note a fault after which the file can't be read on, and raise UnreadableError."""
    faults.add(code, message, row=row, hint=hint)
    raise UnreadableError


def reason_of(problem: BaseException) -> str:
    """Return the first line of a library's message, at most 200 characters."""
    if isinstance(problem, OSError) and problem.strerror:
        return problem.strerror
    lines = str(problem).splitlines()
    return lines[0][:200] if lines else type(problem).__name__
