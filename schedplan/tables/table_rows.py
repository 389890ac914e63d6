"""The rows of one table, from all its files, as columns of plain values with their defaults. It knows no record of the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TypeVar, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schedplan.errors import Fault
from schedplan.tables.arrow_form import arrow_type
from schedplan.tables.column import Column, Dictionary, Kind, Use
from schedplan.tables.faults import Code, shorten
from schedplan.tables.keys import key_numbers, none_repeats
from schedplan.tables.read import TableFile

Value = TypeVar("Value")


@dataclass(slots=True)
class TableRows:
    """All rows of a table in the order of its files, and the faults found among them.

    arrow: every column of the dictionary, null where a file lacks it. files: the file of each row, by index into `paths`.
    """

    dictionary: Dictionary
    arrow: pa.Table
    paths: tuple[str, ...]
    files: NDArray[np.int64]
    numbers: NDArray[np.int64]
    given: frozenset[str]
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def n_rows(self) -> int:
        return int(self.arrow.num_rows)

    def texts(self, name: str) -> list[str | None]:
        """Return a text column; a constant default stands where a cell is empty."""
        return cast("list[str | None]", self._values(name))

    def names(self, name: str) -> list[str]:
        """Return a text column that has no empty cell: required, or with a default."""
        return cast("list[str]", self._values(name))

    def integers(self, name: str) -> list[int]:
        """Return a column of whole numbers that has no empty cell."""
        return cast("list[int]", self._values(name))

    def integers_or_none(self, name: str) -> list[int | None]:
        """Return a column of whole numbers, None where a cell is empty."""
        return cast("list[int | None]", self._values(name))

    def floats(self, name: str) -> list[float]:
        """Return a column of numbers that has no empty cell."""
        return cast("list[float]", self._values(name))

    def floats_or_none(self, name: str) -> list[float | None]:
        """Return a column of numbers, None where a cell is empty."""
        return cast("list[float | None]", self._values(name))

    def flags(self, name: str) -> list[bool]:
        """Return a column of true and false that has no empty cell."""
        return cast("list[bool]", self._values(name))

    def instants(self, name: str) -> list[int | None]:
        """Return a column of times as seconds since 1970, None where a cell is empty."""
        return cast("list[int | None]", self.arrow.column(name).cast(pa.int64()).to_pylist())

    def fault(
        self,
        idx: int,
        code: Code,
        message: str,
        *,
        column: str | None = None,
        seen: object = None,
        expected: str | None = None,
        hint: str | None = None,
    ) -> None:
        """Note a fault of one row."""
        told = None if seen is None else shorten(str(seen))
        file = self.paths[self.files[idx]]
        self.faults.append(Fault(code.value, message, file, int(self.numbers[idx]), column, told, expected, hint))

    def unknown(self, idx: int, column: str, seen: str, known: Sequence[str], expected: str) -> None:
        """Note that a row names what is not among the known names, with the nearest of them."""
        near = get_close_matches(seen, known, n=1)
        hint = f"Did you mean {near[0]}?" if near else None
        self.fault(idx, Code.REFERENCE, f"there is no such {column}", column=column, seen=seen, expected=expected, hint=hint)

    def _values(self, name: str) -> list[object]:
        column = self.dictionary.column(name)
        values: list[object] = self.arrow.column(name).to_pylist()
        return values if column.default is None else [column.default if value is None else value for value in values]


def table_rows(dictionary: Dictionary, files: tuple[TableFile, ...], *, may_repeat: bool = False) -> TableRows:
    """Return the rows of the files that hold a table, in their order; no file: no rows.

    A row that stands in a second file with the same values is left out, which is a note; with others it is a fault; unless
    keys may repeat.
    """
    own = tuple(file for file in files if file.table == dictionary.name)
    parts = [_aligned(file.arrow, dictionary) for file in own]
    rows = TableRows(
        dictionary,
        pa.concat_tables(parts) if parts else _empty(dictionary),
        tuple(str(file.path) for file in own),
        np.repeat(np.arange(len(own), dtype=np.int64), [file.n_rows for file in own])
        if len(own) > 1
        else np.zeros(sum(file.n_rows for file in own), dtype=np.int64),
        own[0].rows if len(own) == 1 else np.concatenate([np.zeros(0, dtype=np.int64), *(file.rows for file in own)]),
        frozenset(name for file in own for name in file.arrow.column_names),
    )
    is_checked = len(own) > 1 and dictionary.key and not may_repeat and not none_repeats(parts, dictionary.key)
    return _without_repeats(rows) if is_checked else rows


def _aligned(arrow: pa.Table, dictionary: Dictionary) -> pa.Table:
    columns = {
        column.name: arrow.column(column.name) if column.name in arrow.column_names else _nulls(column, arrow.num_rows)
        for column in dictionary.columns
    }
    return pa.table(columns)


def _nulls(column: Column, n_rows: int) -> pa.Array:
    return pa.nulls(n_rows, arrow_type(column.kind))


def _empty(dictionary: Dictionary) -> pa.Table:
    return pa.table({column.name: _nulls(column, 0) for column in dictionary.columns})


def _without_repeats(rows: TableRows) -> TableRows:
    numbers = key_numbers((rows.arrow,), rows.dictionary.key)
    first: dict[int, int] = {}
    is_kept = np.ones(rows.n_rows, dtype=np.bool_)
    for idx in np.flatnonzero(np.bincount(numbers, minlength=1)[numbers] > 1).tolist():
        earlier = first.setdefault(int(numbers[idx]), idx)
        if earlier != idx:
            is_kept[idx] = False
            (here,), (there,) = (rows.arrow.slice(at, 1).to_pylist() for at in (idx, earlier))
            if here != there:
                place = f"{rows.paths[rows.files[earlier]]}, row {rows.numbers[earlier]}"
                seen = ", ".join(str(here[name]) for name in rows.dictionary.key if here[name] is not None)
                column = " + ".join(rows.dictionary.key)
                other = next(name for name in rows.dictionary.column_names if here[name] != there[name])
                values = f"{other}: {shorten(str(there[other]))} there, {shorten(str(here[other]))} here"
                told = f"{place} has the same key with other values ({values})"
                rows.fault(idx, Code.DUPLICATE, told, column=column, seen=seen)
    if not first:
        return rows
    n_repeated = int(np.count_nonzero(~is_kept))
    if n_repeated and not rows.faults:
        rows.notes.append(f"{rows.dictionary.name}: {n_repeated} rows stand in two files with the same values and count once")
    kept = np.flatnonzero(is_kept)
    rows.arrow = rows.arrow.take(pa.array(kept))
    rows.files, rows.numbers = rows.files[kept], rows.numbers[kept]
    return rows


def assumption_note(rows: TableRows) -> str | None:
    """Return one sentence on the columns that no file has and whose default is worth saying; None where there are none."""
    said = [column for column in rows.dictionary.columns if column.worth_saying and column.name not in rows.given]
    if not said or not rows.n_rows:
        return None
    told = "; ".join(f"{column.name} {_meaning(column)}" for column in said)
    return f"{', '.join(rows.paths)}: not given, so assumed: {told}"


def _meaning(column: Column) -> str:
    if column.default_rule:
        return f"= {column.default_rule}"
    return "none" if column.default is None else f"= {column.default_text}"


def inert_warnings(rows: TableRows) -> tuple[str, ...]:
    """Return one sentence per column that says something a plan does not act on yet, with how many rows say it."""
    if rows.n_rows and not rows.dictionary.planned:
        return (f"{', '.join(rows.paths)}: the table {rows.dictionary.name} is read, but plans do not act on it yet",)
    sentences = []
    for column in rows.dictionary.columns:
        told = _inert_values(rows, column)
        if told:
            example = shorten(str(told[0]))
            sentences.append(
                f"{', '.join(rows.paths)}: column {column.name} is read, but plans do not act on it yet"
                f" ({len(told)} rows, e.g. {example})"
            )
    return tuple(sentences)


def _inert_values(rows: TableRows, column: Column) -> list[object]:
    if column.use is not Use.NOT_YET and not column.inert_values:
        return []
    values = rows.arrow.column(column.name).drop_null()
    if column.kind is Kind.TIMESTAMP:
        values = values.cast(pa.string())
    told: list[object] = [value for value in values.to_pylist() if value != column.default]
    return [value for value in told if value in column.inert_values] if column.inert_values else told
