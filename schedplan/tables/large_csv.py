"""A large CSV file read block by block, each made strict before the next is read. It knows no rule about rows.

A block of plain lines is split at once, and its columns that are spelled plainly (`plain_cells.py`) are taken as Arrow reads them.
From the first block on that has a quote, a blank line, a line with too many fields or anything else that needs a closer look, the
reader of records (`csv_file.py`) reads on, and `typed_column.py` each column that is not plain: faults are found and told by the
same code as in a small file.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import tzinfo
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
from numpy.typing import NDArray

from schedplan.tables.arrow_form import arrow_type
from schedplan.tables.column import Column, Dictionary
from schedplan.tables.csv_file import Place, read_csv_header, read_stream, record_batches
from schedplan.tables.faults import FaultList
from schedplan.tables.plain_cells import PlainCells, is_within, plain_cells
from schedplan.tables.raw_file import MAX_BYTES, MAX_CELLS, UTF_8, RawTable, TextForm, UnreadableError
from schedplan.tables.typed_column import ColumnReading, typed

LARGE_BYTES = 4 << 20
BLOCK_BYTES = 1 << 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MAX_CELL_BYTES = 100_000
_LARGEST_PIECE_BYTES = 31 << 20

Tell = Callable[[int], None]
"""Is called with the number of rows read so far."""
Convert = Callable[[RawTable, Dictionary], tuple[RawTable, tuple[tuple[str, int], ...]]]
"""Turns columns into what the dictionary holds; (what was converted, in how many cells)."""


def untold(n_rows: int) -> None:
    """Tell nobody."""


@dataclass(slots=True)
class StrictColumn:
    """One column as far as it is read, strict, with its faults and notes. column None: not known, so texts as they are."""

    name: str
    column: Column | None
    zone: tzinfo
    faults: FaultList
    notes: list[str] = field(default_factory=list)
    parts: list[pa.Array] = field(default_factory=list)

    def add(self, raw: pa.Array, rows: NDArray[np.int64]) -> None:
        """Take in the texts of a block."""
        if self.column is None:
            self.parts.append(raw)
            return
        reading = ColumnReading(self.column, rows, self.zone, self.faults)
        self.parts.append(typed(reading, raw).cast(arrow_type(self.column.kind)))
        self.notes.extend(note for note in reading.notes if note not in self.notes)

    def values(self) -> pa.ChunkedArray:
        """Return the whole column, in as many chunks as there were blocks."""
        return pa.chunked_array(self.parts, pa.string() if self.column is None else arrow_type(self.column.kind))


@dataclass(frozen=True, slots=True)
class _Batch:
    """Rows of a file. strict: indices of the columns that hold their strict values; the others hold texts."""

    raw: RawTable
    strict: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class LargeCsv:
    """The columns of a file in its order, the number of each row (int64 [n]), and (what was converted, in how many cells)."""

    columns: tuple[StrictColumn, ...]
    rows: NDArray[np.int64]
    conversions: tuple[tuple[str, int], ...]

    def raw(self) -> RawTable:
        """Return the columns under their names."""
        return RawTable(tuple(column.name for column in self.columns), tuple(column.values() for column in self.columns), self.rows)


def plain_header(path: Path, form: TextForm) -> tuple[str, ...] | None:
    """Return the names in the first line of a large CSV file in UTF-8; None for a small file or an unplain header."""
    if path.stat().st_size < LARGE_BYTES or form.encoding != UTF_8:
        return None
    try:
        names = read_csv_header(path, form, FaultList(str(path)))
        first = read_stream(path, FaultList(str(path)), lambda stream: stream.readline(BLOCK_BYTES))
    except UnreadableError:
        return None
    plain = first.removeprefix(_BYTE_ORDER_MARK).decode(UTF_8, "replace").removesuffix("\n").removesuffix("\r")
    is_plain = '"' not in plain and names == tuple(part.strip() for part in plain.split(form.delimiter_of(path)))
    return names if is_plain and all(names) and len(names) > 1 else None


def read_large(
    path: Path,
    form: TextForm,
    names: tuple[str, ...],
    dictionary: Dictionary,
    zone: tzinfo,
    faults: FaultList,
    *,
    convert: Convert | None = None,
    told_units: frozenset[str] = frozenset(),
    tell: Tell = untold,
) -> LargeCsv:
    """Return the strict columns of a file with a plain header; those of its lines in `faults`, those of cells with their column.

    names: of its columns, after renaming. told_units: columns whose every cell is to be converted. Raises UnreadableError where
    the file can't be read on.
    """
    columns = tuple(StrictColumn(name, dictionary.find(name), zone, FaultList(str(path))) for name in names)
    numbers: list[NDArray[np.int64]] = []
    counts: dict[str, int] = {}

    def read(stream: BinaryIO) -> None:
        n_rows = 0
        for batch in _batches(stream, columns, told_units, form, path, faults):
            _add(batch, columns, dictionary, convert, counts)
            numbers.append(batch.raw.rows)
            n_rows += len(batch.raw.rows)
            tell(n_rows)

    with _kept_pages():
        read_stream(path, faults, read)
    rows = np.concatenate(numbers) if numbers else np.zeros(0, dtype=np.int64)
    return LargeCsv(columns, rows, tuple(counts.items()))


@contextmanager
def _kept_pages() -> Iterator[None]:
    """Have memory that a block gives back kept for the next one: pages that are asked for anew cost as much as reading does.

    Arrow takes its memory from jemalloc, where it has it. The allocator of glibc keeps what is smaller than the largest piece that
    was given back so far (mallopt(3), M_MMAP_THRESHOLD), so that one is taken here, and none of its pages touched.
    """
    np.empty(_LARGEST_PIECE_BYTES, dtype=np.uint8)
    usual = pa.default_memory_pool()
    try:
        pa.set_memory_pool(pa.jemalloc_memory_pool())
    except NotImplementedError:
        pa.set_memory_pool(usual)
    try:
        yield
    finally:
        pa.set_memory_pool(usual)


def _add(
    batch: _Batch,
    columns: tuple[StrictColumn, ...],
    dictionary: Dictionary,
    convert: Convert | None,
    counts: dict[str, int],
) -> None:
    """Take in the columns of a batch that are strict already, the others converted and then cell by cell."""
    raw = batch.raw
    for idx in batch.strict:
        columns[idx].parts.append(raw.columns[idx])
    left = [idx for idx in range(len(columns)) if idx not in batch.strict]
    rest = RawTable(tuple(raw.names[idx] for idx in left), tuple(raw.columns[idx] for idx in left), raw.rows)
    if convert is not None:
        rest, converted = convert(rest, dictionary)
        for what, count in converted:
            counts[what] = counts.get(what, 0) + count
    for idx, texts in zip(left, rest.columns, strict=True):
        columns[idx].add(texts, raw.rows)


def _batches(
    stream: BinaryIO, columns: tuple[StrictColumn, ...], told_units: frozenset[str], form: TextForm, path: Path, faults: FaultList
) -> Iterator[_Batch]:
    """Yield the rows in turn, by blocks of whole lines as long as these are plain, then by records."""
    names = tuple(column.name for column in columns)
    known = tuple(None if column.name in told_units else column.column for column in columns)
    header = stream.readline()
    place = Place(1, 0, len(header))
    rest = b""
    while True:
        data = stream.read(BLOCK_BYTES)
        cut = data.rfind(b"\n") + 1
        if cut or not data:
            block, rest = b"".join((rest, memoryview(data)[:cut])), data[cut:]
        else:
            block, rest = b"", rest + data
        if not data and not block:
            return
        batch = _plain_batch(block, names, known, form.delimiter_of(path), place)
        if batch is None:
            following = cast("BinaryIO", io.BufferedReader(_Following(block + rest, stream)))
            yield from (_Batch(raw) for raw in record_batches(following, names, form, path, faults, place))
            return
        yield batch
        n_rows = len(batch.raw.rows)
        place = Place(place.lines + n_rows, place.rows + n_rows, place.n_bytes + len(block))


class _Following(io.RawIOBase):
    """Bytes that were read ahead, then the rest of their stream."""

    def __init__(self, ahead: bytes, stream: BinaryIO) -> None:
        self._ahead = memoryview(ahead)
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast("bytearray", buffer))
        data = self._ahead[: len(view)] if self._ahead else memoryview(self._stream.read(len(view)))
        self._ahead = self._ahead[len(view) :]
        view[: len(data)] = data
        return len(data)


def _plain_batch(
    block: bytes, names: tuple[str, ...], known: Sequence[Column | None], delimiter: str, place: Place
) -> _Batch | None:
    """Return the lines of a block, plain columns strict and the others as text; None where any line needs a closer look.

    known: what each column holds, None where it has to stay text.
    """
    if not block or place.n_bytes + len(block) > MAX_BYTES or not _is_plain(block):
        return None
    lines = block.replace(b"\r\n", b"\n") if b"\r" in block else block
    cells = plain_cells(lines if lines.endswith(b"\n") else lines + b"\n", len(names), delimiter)
    if cells is None or (place.rows + cells.n_lines) * len(names) > MAX_CELLS or cells.longest > _MAX_CELL_BYTES:
        return None
    types = [None if column is None else cells.direct_type(column, idx) for idx, column in enumerate(known)]
    columns = _parsed(cells, names, types, delimiter)
    if columns is None or not all(
        column is None or type_ is None or is_within(column, values)
        for column, type_, values in zip(known, types, columns, strict=True)
    ):
        types = [None] * len(names)
        columns = _parsed(cells, names, types, delimiter)
    if columns is None:
        return None
    first = place.lines + 1
    strict = frozenset(idx for idx, type_ in enumerate(types) if type_ is not None)
    filled = tuple(
        pc.if_else(pc.equal(values, ""), None, values)
        if idx in strict and pa.types.is_string(values.type) and cells.has_empty(idx)
        else values
        for idx, values in enumerate(columns)
    )
    return _Batch(RawTable(names, filled, np.arange(first, first + cells.n_lines, dtype=np.int64)), strict)


def _parsed(
    cells: PlainCells, names: tuple[str, ...], types: Sequence[pa.DataType | None], delimiter: str
) -> list[pa.Array] | None:
    """Return the columns of a block in their types, None a text; None where Arrow can't read them so."""
    try:
        table = pa_csv.read_csv(
            pa.BufferReader(cells.signs),
            read_options=pa_csv.ReadOptions(use_threads=False, block_size=len(cells.signs) + 1, column_names=list(names)),
            parse_options=pa_csv.ParseOptions(delimiter=delimiter, quote_char=False),
            convert_options=pa_csv.ConvertOptions(
                column_types={name: type_ or pa.string() for name, type_ in zip(names, types, strict=True)},
                null_values=[""],
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowException:
        return None
    if table.num_rows != cells.n_lines:
        return None
    return [column.chunk(0) if column.num_chunks == 1 else column.combine_chunks() for column in table.columns]


def _is_plain(block: bytes) -> bool:
    """Return whether a block has no quote, no NUL byte, no carriage return but at the end of a line, and no mark before its text.

    Arrow takes such a mark for that of a file and drops it, also in a block from the midst of one.
    """
    has_bare_return = b"\r" in block and block.count(b"\r") != block.count(b"\r\n")
    return b'"' not in block and b"\0" not in block and not has_bare_return and not block.startswith(_BYTE_ORDER_MARK)
