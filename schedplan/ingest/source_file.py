"""The CSV file of a source: recognised by its columns, read strictly by a dictionary of its own, turned into a table.

It knows no source; what a column means is told by the reader that asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.wording import in_number
from schedplan.tables.arrow_form import arrow_type
from schedplan.tables.canonical import canonical_sha256
from schedplan.tables.catalog import dictionary as dictionary_of
from schedplan.tables.column import Dictionary
from schedplan.tables.csv_file import read_csv_header
from schedplan.tables.faults import Code, FaultList
from schedplan.tables.raw_file import FileFormat, TextForm, UnreadableError, file_format
from schedplan.tables.read import TableFile, read_rows


@dataclass(frozen=True)
class SourceRows:
    """The rows of a source file in the strict types of its dictionary, and the faults a reader finds among them."""

    source: Dictionary
    file: TableFile
    faults: FaultList

    @property
    def n_rows(self) -> int:
        return self.file.n_rows

    def column(self, name: str) -> pa.Array:
        """Return a column of the dictionary; all null where the file lacks it."""
        if name not in self.file.arrow.column_names:
            return pa.nulls(self.n_rows, arrow_type(self.source.column(name).kind))
        return self.file.arrow.column(name).combine_chunks()

    def integers(self, name: str, empty: int = 0) -> NDArray[np.int64]:
        """Return a column of whole numbers or times (seconds), `empty` where a cell has none; int64 [n]."""
        return np.asarray(self.column(name).cast(pa.int64()).fill_null(empty).to_numpy(zero_copy_only=False), dtype=np.int64)

    def floats(self, name: str) -> NDArray[np.float64]:
        """Return a column of numbers, NaN where a cell is empty; float64 [n]."""
        return np.asarray(self.column(name).to_numpy(zero_copy_only=False), dtype=np.float64)

    def is_empty(self, name: str) -> NDArray[np.bool_]:
        """Return where a column has no value; bool [n]."""
        return np.asarray(self.column(name).is_null().to_numpy(zero_copy_only=False), dtype=np.bool_)

    def refuse(self, where: NDArray[np.bool_], message: str, column: str, expected: str) -> None:
        """Note a contradiction in `column` of every row of `where` (bool [n])."""
        values = self.column(column)
        for idx in np.flatnonzero(where).tolist():
            row, seen = int(self.file.rows[idx]), str(values[idx].as_py())
            self.faults.add(Code.CONTRADICTION, message, row=row, column=column, seen=seen, expected=expected)


def header(path: Path) -> tuple[str, ...]:
    """Return the names of the columns of a CSV file, gzipped or not; empty for any other file. Never raises for its content."""
    faults = FaultList(str(path))
    try:
        kind = file_format(path, faults)
        return read_csv_header(path, TextForm(), faults) if kind is FileFormat.CSV else ()
    except UnreadableError:
        return ()


def missing_columns(names: tuple[str, ...], source: Dictionary) -> int:
    """Return how many of the columns that a source can't do without are not among `names`."""
    return len(set(source.required_names) - set(names))


def read_source(path: Path, source: Dictionary, options: ReadOptions) -> SourceRows:
    """Return the rows of a file by the dictionary of its source; InputError with every fault of its cells."""
    file = read_rows(
        path,
        source,
        options.zone,
        renames=options.renames,
        form=options.form,
        tell=lambda n_rows: options.tell(path, n_rows),
    )
    return SourceRows(source, file, FaultList(str(path)))


def as_table(
    rows: SourceRows,
    table: str,
    columns: Mapping[str, pa.Array],
    notes: tuple[str, ...],
    *,
    left_aside: tuple[str, ...] = (),
    repeats: tuple[tuple[int, int], ...] = (),
) -> TableFile:
    """Return the rows as the canonical table of that name; InputError with the faults that were noted.

    columns: of the table, in any order, one value per row. notes: sentences about the file, without its name. left_aside:
    columns of the source that go nowhere; they, and those that the source does not know, travel along to be told as ignored.
    """
    rows.faults.raise_if_any()
    target, arrow = dictionary_of(table), rows.file.arrow
    kept = {column.name: columns[column.name].cast(arrow_type(column.kind)) for column in target.columns if column.name in columns}
    unused = [name for name in arrow.column_names if name in left_aside or rows.source.find(name) is None]
    ignored = {name: arrow.column(name) for name in sorted(unused) if target.find(name) is None}
    strict = pa.table({**kept, **ignored})
    told = (*rows.file.notes, *(f"{rows.file.path}: {in_number(note)}" for note in notes))
    return TableFile(
        table, rows.file.path, strict, rows.file.rows, told, canonical_sha256(strict, target), repeats, rows.file.slips
    )
