"""A canonical table being gathered row by row from one source, and the account of what became of each. It knows no source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from typing import NoReturn

import numpy as np
import pyarrow as pa

from schedplan.errors import InputError
from schedplan.ingest.field_error import FieldError
from schedplan.ingest.wording import in_number
from schedplan.tables.arrow_form import arrow_type
from schedplan.tables.canonical import canonical_sha256
from schedplan.tables.catalog import dictionary as dictionary_of
from schedplan.tables.cells import CellError, Stored, check_limits, stored
from schedplan.tables.column import Column, Kind
from schedplan.tables.faults import Code, FaultList
from schedplan.tables.read import TableFile, refuse_repeated_keys
from schedplan.timegrid import EARLIEST_YEAR, LATEST_YEAR, parse_instant

Value = Stored | None
_EARLIEST_S = parse_instant(f"{EARLIEST_YEAR}-01-01T00:00:00Z", UTC)[0]
# Beyond the magnitude that any column takes; NaN is no number between the two either.
_LARGEST = 1e30
_LATEST_S = parse_instant(f"{LATEST_YEAR}-12-31T23:59:59Z", UTC)[0]


@dataclass(slots=True)
class Draft:
    """Rows of one table out of one file. Times are seconds since 1970, UTC; an absent name or None is an empty cell; a name that is
    no column of the table is a text, which travels along and is told as ignored.

    A row of the source may give several rows here, or none: then it is dropped with its reason. rows_used and
    currency: see TableFile.
    """

    table: str
    path: Path
    faults: FaultList
    rows: list[Mapping[str, Value]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    ignored: set[str] = field(default_factory=set)
    conversions: Counter[str] = field(default_factory=Counter)
    rows_used: int | None = None
    currency: str | None = None

    @classmethod
    def of(cls, table: str, path: Path) -> Draft:
        """Return an empty draft of a table."""
        return cls(table, path, FaultList(str(path)))

    def add(self, number: int, row: Mapping[str, Value]) -> None:
        """Add one row of the table, made of the row `number` of the source."""
        self.rows.append(row)
        self.numbers.append(number)

    def drop(self, reason: str, rows: int = 1) -> None:
        """Count rows of the source that become none here."""
        if rows:
            self.dropped[reason] += rows

    def note(self, count: int | bool, text: str) -> None:
        """Note a sentence about the file where `count` is not 0."""
        if count:
            self.notes.append(in_number(text))

    def caution(self, count: int | bool, text: str) -> None:
        """Note a sentence that a person must see where `count` is not 0."""
        if count:
            self.cautions.append(in_number(text))

    def refuse(self, number: int, problem: FieldError) -> None:
        """Note a cell of a row of the source that is not what its column holds."""
        self.faults.add(Code.CELL, problem.message, row=number, column=problem.column, seen=problem.seen, expected=problem.expected)

    def refuse_file(self, message: str, hint: str) -> NoReturn:
        """Refuse the file as a whole, with what it is and what to do."""
        self.faults.add(Code.NOT_A_TABLE, message, hint=hint)
        raise InputError.of_faults(self.faults.all())

    def convert(self, phrase: str, values: int = 1) -> None:
        """Count values that were converted, by a phrase such as `mem in MiB to memory_gib_per_worker`."""
        self.conversions[phrase] += values

    def file(self) -> TableFile:
        """Return the table in its strict types; InputError with all faults of the file."""
        dictionary = dictionary_of(self.table)
        numbers = np.array(self.numbers, dtype=np.int64)
        names = {name for row in self.rows for name, value in row.items() if value is not None}
        columns = {column.name: self._column(column) for column in dictionary.columns if column.name in names or column.required}
        for name in sorted(names - set(dictionary.column_names)):
            columns[name] = pa.array([row.get(name) for row in self.rows], pa.string())
        arrow = pa.table(columns)
        refuse_repeated_keys(arrow, dictionary, numbers, self.faults)
        self.faults.raise_if_any()
        return TableFile(
            self.table,
            self.path,
            arrow,
            numbers,
            tuple(f"{self.path}: {note}" for note in self.notes),
            canonical_sha256(arrow, dictionary),
            dropped=tuple(sorted(self.dropped.items())),
            ignored=tuple(sorted(self.ignored)),
            conversions=tuple(f"{phrase}: {count}" for phrase, count in sorted(self.conversions.items())),
            cautions=tuple(f"{self.path}: {text}" for text in self.cautions),
            rows_used=self.rows_used,
            currency=self.currency,
        )

    def _column(self, column: Column) -> pa.Array:
        known: dict[Value, Value | CellError] = {}
        values: list[Value] = []
        for row, number in zip(self.rows, self.numbers, strict=True):
            raw = row.get(column.name)
            if raw not in known:
                known[raw] = _strict(column, raw)
            value = known[raw]
            if isinstance(value, CellError):
                self._fault(column, number, raw, value)
                value = None
            values.append(value)
        if column.kind is Kind.TIMESTAMP:
            return pa.array(values, pa.int64()).cast(arrow_type(column.kind))
        return pa.array(values, arrow_type(column.kind))

    def _fault(self, column: Column, number: int, raw: Value, error: CellError) -> None:
        self.faults.add(
            error.code,
            error.message,
            row=number,
            column=column.name,
            seen="" if raw is None else str(raw),
            expected=error.expected,
            hint=error.hint,
        )


def _strict(column: Column, raw: Value) -> Value | CellError:
    """Return the value as its column holds it, or what is wrong with it."""
    if isinstance(raw, str):
        raw = raw.strip() or None
    if raw is None:
        is_missing = column.required and not column.null_ok
        return CellError("the cell is empty", column.type_text, Code.EMPTY_CELL) if is_missing else None
    try:
        return _checked(column, raw)
    except CellError as error:
        return error


def _checked(column: Column, raw: Stored) -> Stored:
    if isinstance(raw, str):
        return stored(column, raw, UTC)[0]
    if isinstance(raw, bool):
        return raw
    if not -_LARGEST <= raw <= _LARGEST:
        raise CellError("this is not a number that can be meant", "a finite number", Code.LIMIT)
    if column.kind is Kind.TIMESTAMP:
        if not _EARLIEST_S <= raw <= _LATEST_S:
            raise CellError(f"the time is outside the years {EARLIEST_YEAR} to {LATEST_YEAR}", "seconds since 1970", Code.TIME)
        return int(raw)
    value = int(raw) if column.kind is Kind.INTEGER else float(raw)
    check_limits(column, value)
    return value
