"""A file opened as bytes: which format it is by its first bytes, and what is never read. It knows no column."""

from __future__ import annotations

import gzip
import io
import zlib
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import BinaryIO, NoReturn, cast

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
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
PACKED_SUFFIXES = (".gz", ".zst")
PACKED_DAMAGE = (OSError, EOFError, zlib.error, ValueError, pa.ArrowException)
TAB_SUFFIXES, JSON_LINES_SUFFIXES = (".tsv",), (".jsonl", ".ndjson")
UTF_8 = "utf-8"
# Encodings in which a line feed is one byte and no part of another character; UTF-16 is not among them.
ENCODINGS = (
    *(UTF_8, "latin-1", "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "iso8859-2", "iso8859-15"),
    *("gb18030", "gbk", "big5", "shift_jis", "euc-jp", "euc-kr"),
)
_MARKS = ((b"\xff\xfe\x00\x00", "UTF-32"), (b"\x00\x00\xfe\xff", "UTF-32"), (b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"))


class FileFormat(Enum):
    """How rows stand in a file, whatever it is compressed with."""

    CSV = "csv"
    JSON_LINES = "jsonl"
    PARQUET = "parquet"


class UnreadableError(Exception):
    """Reading a file can't go on; the reason stands in its fault list."""


@dataclass(frozen=True, slots=True)
class TextForm:
    """How a text is written, where it is told. delimiter None: tabs in a .tsv, else commas. encoding: one of ENCODINGS."""

    delimiter: str | None = None
    encoding: str = UTF_8

    def delimiter_of(self, path: Path) -> str:
        """Return the delimiter of a file."""
        return self.delimiter or ("\t" if plain_name(path).lower().endswith(TAB_SUFFIXES) else ",")


@dataclass(frozen=True, slots=True)
class RawTable:
    """Columns as the file has them. Text columns of a CSV are strings, an empty cell is an empty string.

    rows: int64 [n], the number of each row as a person counts it: its first line in a CSV (the header has 1), else 1, 2, ...
    """

    names: tuple[str, ...]
    columns: tuple[pa.Array, ...]
    rows: NDArray[np.int64]


def file_format(path: Path, faults: FaultList) -> FileFormat:
    """Return the format of a file, Parquet by its first bytes, JSON Lines by its name; UnreadableError where it is none."""
    head = refuse_foreign(path, faults)
    if head.startswith(b"PAR1"):
        return FileFormat.PARQUET
    return FileFormat.JSON_LINES if plain_name(path).lower().endswith(JSON_LINES_SUFFIXES) else FileFormat.CSV


def plain_name(path: Path) -> str:
    """Return the name of a file without the suffix of a compression."""
    name = path.name
    for suffix in PACKED_SUFFIXES:
        name = name[: -len(suffix)] if name.lower().endswith(suffix) else name
    return name


def opened(path: Path) -> BinaryIO:
    """Return a file opened for its bytes, unpacked where its first bytes are those of gzip or zstd; may raise PACKED_DAMAGE."""
    with path.open("rb") as stream:
        magic = stream.read(4)
    if magic.startswith(_GZIP):
        return cast("BinaryIO", gzip.open(path, "rb"))
    if magic == _ZSTD:
        return cast("BinaryIO", io.BufferedReader(_Zstd(path)))
    return path.open("rb")


class _Zstd(io.RawIOBase):
    """A zstd file as a raw stream, so that it is unpacked no further than it is read."""

    def __init__(self, path: Path) -> None:
        self._file = pa.CompressedInputStream(pa.OSFile(str(path), "rb"), "zstd")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast("bytearray", buffer))
        data = self._file.read(len(view))
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


def refuse_foreign(path: Path, faults: FaultList) -> bytes:
    """Return the first bytes of a file; raises UnreadableError with a fault where they are those of a format never read."""
    try:
        if not path.is_file():
            is_stream = path.exists() and not path.is_dir()
            told = "this is a pipe or a device, not a file" if is_stream else "there is no such file"
            hint = "Pipe it in: `... | schedplan ingest -`." if is_stream else None
            refuse(faults, Code.UNREADABLE, "this is a folder, not a file" if path.is_dir() else told, hint=hint)
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
