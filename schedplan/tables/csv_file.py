"""A CSV file as columns of text. It knows lines, quotes and encodings, and turns no cell into anything."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn, Protocol, TypeVar

import numpy as np
import pyarrow as pa

from schedplan.tables.faults import Code, FaultList
from schedplan.tables.raw_file import (
    MAX_BYTES,
    MAX_CELLS,
    MAX_COLUMNS,
    MAX_LINE_CHARS,
    PACKED_DAMAGE,
    UTF_8,
    RawTable,
    TextForm,
    opened,
    reason_of,
    refuse,
)

Found = TypeVar("Found")


class CsvReader(Protocol):
    """What csv.reader gives."""

    @property
    def line_num(self) -> int: ...

    def __next__(self) -> list[str]: ...

    def __iter__(self) -> Iterator[list[str]]: ...


_BATCH_ROWS = 20_000
_BYTE_ORDER_MARK = "\ufeff"
_OTHER_DELIMITERS = ((";", "semicolons"), ("\t", "tabs"), ("|", "bars"), (",", "commas"))
_SPELLED = {"\t": "tab"}


@dataclass(frozen=True, slots=True)
class Place:
    """How far a file has been read: lines, rows that were kept, bytes."""

    lines: int = 0
    rows: int = 0
    n_bytes: int = 0


def read_csv(path: Path, form: TextForm, faults: FaultList) -> RawTable:
    """Return the columns of a CSV file as text, faults of its lines in `faults`; raises UnreadableError where it can't be read on.

    Fields are separated by commas, or by what the form tells, quotes doubled inside quotes. Blank lines are passed over. A gzipped
    or zstd-compressed file is unpacked.
    """
    delimiter = form.delimiter_of(path)
    return read_stream(path, faults, lambda stream: _read(stream, delimiter, form.encoding, faults))


def read_csv_header(path: Path, form: TextForm, faults: FaultList) -> tuple[str, ...]:
    """Return the names of a CSV file's columns, its rows unread; raises UnreadableError where it has no header that can be read."""
    delimiter = form.delimiter_of(path)

    def read(stream: BinaryIO) -> tuple[str, ...]:
        return _header(csv.reader(text_lines(stream, form.encoding, faults), delimiter=delimiter, strict=True), delimiter, faults)

    return read_stream(path, faults, read)


def read_stream(path: Path, faults: FaultList, read: Callable[[BinaryIO], Found]) -> Found:
    """Return what is read of an unpacked file; raises UnreadableError with a fault where it is damaged."""
    try:
        with opened(path) as stream:
            return read(stream)
    except PACKED_DAMAGE as problem:
        refuse(faults, Code.UNREADABLE, f"it can't be read to its end: {reason_of(problem)}")


def _read(stream: BinaryIO, delimiter: str, encoding: str, faults: FaultList) -> RawTable:
    reader = csv.reader(text_lines(stream, encoding, faults), delimiter=delimiter, strict=True)
    names = _header(reader, delimiter, faults)
    return joined(names, list(_record_batches(reader, names, faults, Place())))


def record_batches(
    stream: BinaryIO, names: tuple[str, ...], form: TextForm, path: Path, faults: FaultList, place: Place
) -> Iterator[RawTable]:
    """Yield what is left of a file, record by record, as columns of text; raises UnreadableError where it can't be read on."""
    lines = text_lines(stream, form.encoding, faults, place)
    yield from _record_batches(csv.reader(lines, delimiter=form.delimiter_of(path), strict=True), names, faults, place)


def joined(names: tuple[str, ...], batches: list[RawTable]) -> RawTable:
    """Return batches of the same columns as one."""
    columns = tuple(
        pa.chunked_array([batch.columns[idx] for batch in batches], pa.string()).combine_chunks() for idx in range(len(names))
    )
    rows = [batch.rows for batch in batches] or [np.zeros(0, dtype=np.int64)]
    return RawTable(names, columns, np.concatenate(rows))


def _record_batches(reader: CsvReader, names: tuple[str, ...], faults: FaultList, place: Place) -> Iterator[RawTable]:
    numbers = array("q")
    n_rows = place.rows
    pending: list[list[str]] = []
    last_line = place.lines + reader.line_num
    while True:
        first_line = last_line + 1
        try:
            record = next(reader, None)
        except csv.Error as problem:
            _refuse_quotes(faults, first_line, str(problem))
        if record is None:
            break
        last_line = place.lines + reader.line_num
        if len(record) == len(names):
            numbers.append(first_line)
            pending.append(record)
        elif record:
            _ragged(faults, first_line, len(record), len(names))
        if len(pending) >= _BATCH_ROWS:
            n_rows += len(pending)
            yield _batch(names, pending, numbers)
            pending, numbers = [], array("q")
            if n_rows * len(names) > MAX_CELLS:
                refuse(faults, Code.TOO_LARGE, f"more than {MAX_CELLS} cells ({n_rows} rows and still more)", first_line)
    if pending:
        yield _batch(names, pending, numbers)


def text_lines(stream: BinaryIO, encoding: str, faults: FaultList, place: Place = Place()) -> Iterator[str]:
    """Yield the lines of a file one by one; raises UnreadableError at bytes that are no text of the encoding or beyond a limit."""
    n_bytes = place.n_bytes
    number = place.lines
    while raw := stream.readline(MAX_LINE_CHARS + 1):
        number += 1
        n_bytes += len(raw)
        if len(raw) > MAX_LINE_CHARS and b"\0" not in raw:
            refuse(faults, Code.TOO_LARGE, f"the line is longer than {MAX_LINE_CHARS} bytes", number)
        if n_bytes > MAX_BYTES:
            refuse(faults, Code.TOO_LARGE, f"the text is longer than {MAX_BYTES} bytes", number)
        if b"\0" in raw:
            refuse(faults, Code.ENCODING, "the line holds NUL bytes, so it is no UTF-8 text", number, "Save the file as UTF-8.")
        try:
            line = raw.decode(encoding)
        except UnicodeDecodeError as problem:
            seen = raw[problem.start : problem.start + 1].hex()
            hint = "Save the file as UTF-8, or have `schedplan ingest` told its encoding: --encoding latin-1."
            name = "UTF-8" if encoding == UTF_8 else encoding
            refuse(faults, Code.ENCODING, f"byte 0x{seen} of the line is not {name}", number, hint)
        yield line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line


def _header(reader: Iterator[list[str]], delimiter: str, faults: FaultList) -> tuple[str, ...]:
    try:
        fields = next((record for record in reader if record), None)
    except csv.Error as problem:
        _refuse_quotes(faults, 1, str(problem))
    if fields is None:
        refuse(faults, Code.UNREADABLE, "the file has no header", hint="The first line names the columns.")
    names = tuple(field.strip() for field in fields)
    if len(names) > MAX_COLUMNS:
        refuse(faults, Code.TOO_LARGE, f"{len(names)} columns are more than {MAX_COLUMNS}", 1)
    if len(names) == 1:
        for sign, plural in _OTHER_DELIMITERS:
            if sign in names[0] and sign != delimiter:
                told = f"`schedplan ingest --delimiter '{_SPELLED.get(sign, sign)}'` reads them"
                hint = f"Is the delimiter right? The header has {plural}; separate the fields by commas, or {told}."
                missing = "comma" if delimiter == "," else repr(delimiter)
                refuse(faults, Code.HEADER, f"the header has no {missing}, so it is a single column", 1, hint)
    return names


def _ragged(faults: FaultList, line: int, n_fields: int, n_names: int) -> None:
    few_or_many = "few" if n_fields < n_names else "many"
    faults.add(
        Code.RAGGED,
        f"the line has too {few_or_many} fields",
        row=line,
        seen=f"{n_fields} fields",
        expected=f"{n_names}, as in the header",
    )


def _batch(names: tuple[str, ...], records: list[list[str]], numbers: array[int]) -> RawTable:
    columns = tuple(pa.array(cells, pa.string()) for cells in zip(*records, strict=True))
    return RawTable(names, columns, np.array(numbers, dtype=np.int64))


def _refuse_quotes(faults: FaultList, line: int, problem: str) -> NoReturn:
    if "field larger" in problem:
        refuse(faults, Code.TOO_LARGE, f"a field is too long ({problem})", line, "Is a quote never closed?")
    if "new-line character" in problem:
        refuse(faults, Code.QUOTING, "the line ends with a bare carriage return", line, "Save the file with line feeds.")
    reason = "a quote is never closed" if "unexpected end" in problem else problem
    refuse(faults, Code.QUOTING, f"the quotes of the line do not match: {reason}", line)
