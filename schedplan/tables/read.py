"""One file read as one table: strict columns, every fault of the file, and what was assumed. It knows no model."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, tzinfo
from difflib import get_close_matches
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schedplan.errors import InputError
from schedplan.tables.arrow_form import arrow_type
from schedplan.tables.canonical import canonical_sha256, is_rising
from schedplan.tables.catalog import dictionary as dictionary_of
from schedplan.tables.column import Column, Dictionary
from schedplan.tables.csv_file import read_csv, read_stream
from schedplan.tables.faults import Code, FaultList
from schedplan.tables.json_lines import read_json_lines
from schedplan.tables.large_csv import Convert, LargeCsv, Tell, plain_header, read_large, untold
from schedplan.tables.parquet_file import read_parquet
from schedplan.tables.raw_file import FileFormat, RawTable, TextForm, UnreadableError, file_format
from schedplan.tables.recognise import SINGLE_SERIES, by_columns, by_name, stem_of
from schedplan.tables.spelling import meant, spelling, spelling_hint
from schedplan.tables.typed_column import ColumnReading, typed

StrictOf = Callable[[Column, pa.Array], pa.Array]


@dataclass(frozen=True, slots=True)
class ColumnSlip:
    """A column that is not known and is ignored, though it looks like a known one, `meant`, that the file lacks."""

    file: str
    column: str
    meant: str

    @property
    def message(self) -> str:
        """Return the fact without its file."""
        return f"column {self.column} is not known and is ignored; did you mean {self.meant}?"

    @property
    def sentence(self) -> str:
        """Return the whole sentence, which names the file."""
        return f"{self.file}: {self.message}"


@dataclass(frozen=True, slots=True)
class TableFile:
    """What one file holds.

    arrow: its known columns in the dictionary's order and strict types (arrow_form), then its unknown ones as they are, by name.
    rows: int64 [n], the number of each row as a person counts it in the file. notes: whole sentences that name the file.
    sha256: over the canonical content. repeats: (row, the earlier row it repeats) of rows that were kept all the same.
    slips: unknown columns that look like known ones, by name. dropped: (reason, rows) of rows of the source that became none
    here. ignored: columns or fields of the source that go nowhere. conversions: what became of values, whole phrases.
    cautions: whole sentences that a person must see. rows_used: rows of the source that stand in the table, where several make one
    (None: as many as `rows` tells apart). currency: of its prices, where the source states one.
    """

    table: str
    path: Path
    arrow: pa.Table
    rows: NDArray[np.int64]
    notes: tuple[str, ...]
    sha256: str
    repeats: tuple[tuple[int, int], ...] = ()
    slips: tuple[ColumnSlip, ...] = ()
    dropped: tuple[tuple[str, int], ...] = ()
    ignored: tuple[str, ...] = ()
    conversions: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    rows_used: int | None = None
    currency: str | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what a person must see before trusting the file, as sentences that name it."""
        return (*(slip.sentence for slip in self.slips), *self.cautions)

    @property
    def n_rows(self) -> int:
        return int(self.arrow.num_rows)


def read_table(
    path: Path,
    table: str | None = None,
    zone: tzinfo = UTC,
    *,
    renames: tuple[tuple[str, str], ...] = (),
    repeating: frozenset[str] = frozenset(),
) -> TableFile:
    """Return the table in a CSV, gzipped CSV or Parquet file.

    table: its name; None: recognised by the file's name, else by its columns. zone: of times without an offset. renames:
    (column of the file, column of the table) pairs. repeating: tables in which a key may stand in several rows. Raises InputError
    with every fault of the file; UsageError for an unknown table.
    """
    return read_rows(path, None if table is None else dictionary_of(table), zone, renames=renames, repeating=repeating)


def read_rows(
    path: Path,
    known: Dictionary | None,
    zone: tzinfo = UTC,
    *,
    renames: tuple[tuple[str, str], ...] = (),
    form: TextForm = TextForm(),  # noqa: B008 - a frozen record
    convert: Convert | None = None,
    told_units: frozenset[str] = frozenset(),
    tell: Tell = untold,
    repeating: frozenset[str] = frozenset(),
) -> TableFile:
    """Return a file's rows as read_table does, by a dictionary that may also be that of a source; None: it is recognised.

    convert: turns columns into what the dictionary holds before cells are read; told_units: columns whose every cell it changes.
    tell: is called with the number of rows read so far of a large file.
    """
    faults = FaultList(str(path))
    notes: list[str] = []
    large = _large_form(path, known, renames, form)
    try:
        if large is not None:
            dictionary, raw, told = large
            _renamed(raw, renames, notes)
            read = read_large(path, form, told, dictionary, zone, faults, convert=convert, told_units=told_units, tell=tell)
            taken = _taken_from(read, faults, notes)
            return _table_file(path, dictionary, read.raw(), taken, faults, notes, read.conversions, repeating)
        raw = _renamed(_raw(path, form, faults), renames, notes)
    except UnreadableError:
        raise InputError.of_faults(faults.all()) from None
    raw = _without_nameless(raw, faults, notes)
    _refuse_repeated_names(raw, faults)
    dictionary = known if known is not None else _recognised(path, raw, faults)
    if dictionary.name == "load" and set(raw.names) == SINGLE_SERIES:
        raw = _one_series(raw, stem_of(path), notes)
    conversions: tuple[tuple[str, int], ...] = ()
    if convert is not None:
        raw, conversions = convert(raw, dictionary)
    _refuse_missing(raw, dictionary, faults)
    rows = raw.rows
    return _table_file(
        path,
        dictionary,
        raw,
        lambda column, values: _strict_column(column, values, rows, zone, faults, notes),
        faults,
        notes,
        conversions,
        repeating,
    )


def _large_form(
    path: Path, known: Dictionary | None, renames: tuple[tuple[str, str], ...], form: TextForm
) -> tuple[Dictionary, RawTable, tuple[str, ...]] | None:
    """Return (dictionary, columns without rows, their new names) of a large CSV file whose header is in order; None for another."""
    try:
        if file_format(path, FaultList(str(path))) is not FileFormat.CSV:
            return None
    except UnreadableError:
        return None
    header = plain_header(path, form)
    if header is None:
        return None
    raw = RawTable(header, (), np.zeros(0, dtype=np.int64))
    names = _renamed(raw, renames, []).names
    able = (known or by_name(path), *by_columns(names))
    dictionary = able[0] or (able[1] if len(able) == 2 else None)
    is_plain = len(set(names)) == len(names) and set(names) != SINGLE_SERIES
    if dictionary is None or not is_plain or not set(dictionary.required_names) <= set(names):
        return None
    return dictionary, raw, names


def _taken_from(read: LargeCsv, faults: FaultList, notes: list[str]) -> StrictOf:
    """Return what hands out the columns of a large file, which are strict already, with what was noted of them."""
    columns = {column.name: column for column in read.columns}

    def taken(column: Column, values: pa.Array) -> pa.Array:
        faults.absorb(columns[column.name].faults)
        notes.extend(columns[column.name].notes)
        return values

    return taken


def _table_file(
    path: Path,
    dictionary: Dictionary,
    raw: RawTable,
    strict_of: StrictOf,
    faults: FaultList,
    notes: list[str],
    conversions: tuple[tuple[str, int], ...],
    repeating: frozenset[str],
) -> TableFile:
    slips: list[ColumnSlip] = []
    arrow = _strict(raw, dictionary, strict_of, faults, notes, slips)
    _refuse_either(arrow, dictionary, raw.rows, faults)
    if dictionary.name not in repeating:
        refuse_repeated_keys(arrow, dictionary, raw.rows, faults)
    faults.raise_if_any()
    told = tuple(f"{path}: {note}" for note in notes)
    phrases = tuple(f"{what}: {count}" for what, count in conversions)
    digest = canonical_sha256(arrow, dictionary)
    return TableFile(dictionary.name, path, arrow, raw.rows, told, digest, (), tuple(slips), conversions=phrases)


def _raw(path: Path, form: TextForm, faults: FaultList) -> RawTable:
    kind = file_format(path, faults)
    if kind is FileFormat.PARQUET:
        return read_parquet(path, faults)
    if kind is FileFormat.JSON_LINES:
        return read_stream(path, faults, lambda stream: read_json_lines(stream, form.encoding, faults))
    return read_csv(path, form, faults)


def _renamed(raw: RawTable, renames: tuple[tuple[str, str], ...], notes: list[str]) -> RawTable:
    """Return the columns under their new names; one that this file lacks is a note, for another file may have it."""
    new_names = dict(renames)
    for theirs in new_names:
        if theirs not in raw.names:
            near = get_close_matches(theirs, raw.names, n=1)
            notes.append(f"there is no column {theirs} to rename" + (f"; did you mean {near[0]}?" if near else ""))
    return RawTable(tuple(new_names.get(name, name) for name in raw.names), raw.columns, raw.rows)


def _without_nameless(raw: RawTable, faults: FaultList, notes: list[str]) -> RawTable:
    """Return the columns that have a name; one without a name and without a value is left out, any other is a fault."""
    kept = []
    for idx, name in enumerate(raw.names):
        if name:
            kept.append(idx)
        elif _is_empty(raw.columns[idx]):
            notes.append(f"column {idx + 1} has neither name nor values and is left out")
        else:
            faults.add(Code.HEADER, f"column {idx + 1} has no name", row=1)
    return RawTable(tuple(raw.names[idx] for idx in kept), tuple(raw.columns[idx] for idx in kept), raw.rows)


def _is_empty(column: pa.Array) -> bool:
    if pa.types.is_string(column.type):
        return bool(pc.all(pc.equal(pc.utf8_trim_whitespace(column), "")).as_py() is not False)
    return int(column.null_count) == len(column)


def _refuse_repeated_names(raw: RawTable, faults: FaultList) -> None:
    for name in dict.fromkeys(raw.names):
        if raw.names.count(name) > 1:
            hint = "Remove or rename one; which of them is meant is not guessed."
            faults.add(Code.HEADER, f"{raw.names.count(name)} columns have this name", row=1, column=name, hint=hint)


def _recognised(path: Path, raw: RawTable, faults: FaultList) -> Dictionary:
    named = by_name(path)
    if named is not None:
        return named
    able = by_columns(raw.names)
    if len(able) == 1:
        return able[0]
    could_be = f"it could be {' or '.join(table.name for table in able)}" if able else "its columns fit no table"
    hint = (None if able else spelling_hint(path, raw.names)) or (
        "Name the file after its table (jobs.csv); exports and logs of other programs are read by `schedplan ingest`."
    )
    faults.add(Code.UNKNOWN_TABLE, f"{could_be}, and its name says nothing", seen=",".join(raw.names), hint=hint)
    raise InputError.of_faults(faults.all())


def _one_series(raw: RawTable, unique_id: str, notes: list[str]) -> RawTable:
    notes.append(f"timestamp and utilization are read as one series named {unique_id}")
    new_names = {"timestamp": "ds", "utilization": "y"}
    names = ("unique_id", *(new_names[name] for name in raw.names))
    return RawTable(names, (pa.array([unique_id] * len(raw.rows), pa.string()), *raw.columns), raw.rows)


def _refuse_missing(raw: RawTable, dictionary: Dictionary, faults: FaultList) -> None:
    unknown = [name for name in raw.names if dictionary.find(name) is None]
    for name in dictionary.required_names:
        if name not in raw.names:
            spelt = {spelling(theirs): theirs for theirs in unknown}
            near = get_close_matches(name, spelt, n=1)
            hint = f"Columns there: {', '.join(raw.names[:20])}."
            if near:
                theirs = spelt[near[0]]
                hint = f"Is it {theirs}? Rename it, or have `schedplan ingest` do so: --map {shlex.quote(f'{theirs}={name}')}."
            faults.add(Code.MISSING_COLUMN, f"the table {dictionary.name} needs this column", column=name, hint=hint)


def _strict(
    raw: RawTable, dictionary: Dictionary, strict_of: StrictOf, faults: FaultList, notes: list[str], slips: list[ColumnSlip]
) -> pa.Table:
    columns: dict[str, pa.Array] = {}
    by_raw_name = dict(zip(raw.names, raw.columns, strict=True))
    for column in dictionary.columns:
        if column.name in by_raw_name:
            columns[column.name] = strict_of(column, by_raw_name.pop(column.name))
    for name in sorted(by_raw_name):
        known_name = meant(name, [known for known in dictionary.column_names if known not in columns])
        if known_name is None:
            notes.append(f"column {name} is not known and is ignored")
        else:
            slips.append(ColumnSlip(faults.file, name, known_name))
        columns[name] = by_raw_name[name]
    return pa.table(columns)


def _strict_column(
    column: Column, raw: pa.Array, rows: NDArray[np.int64], zone: tzinfo, faults: FaultList, notes: list[str]
) -> pa.Array:
    reading = ColumnReading(column, rows, zone, faults, notes)
    result = typed(reading, raw)
    return result.cast(arrow_type(column.kind))


def _refuse_either(arrow: pa.Table, dictionary: Dictionary, rows: NDArray[np.int64], faults: FaultList) -> None:
    if dictionary.either is None:
        return
    is_filled = [_is_filled(arrow, name) for name in dictionary.either]
    for idx in np.flatnonzero(is_filled[0] == is_filled[1]):
        one, other = dictionary.either
        faults.add(Code.CONTRADICTION, f"a row has either {one} or {other}, this one has both or none", row=int(rows[idx]))


def _is_filled(arrow: pa.Table, name: str) -> NDArray[np.bool_]:
    if name not in arrow.column_names:
        return np.zeros(arrow.num_rows, dtype=np.bool_)
    return np.asarray(arrow.column(name).is_valid().to_numpy(), dtype=np.bool_)


def refuse_repeated_keys(arrow: pa.Table, dictionary: Dictionary, rows: NDArray[np.int64], faults: FaultList) -> None:
    """Note every row whose key stands in an earlier row of the same file."""
    keys = [name for name in dictionary.key if name in arrow.column_names]
    if not keys or any(name in dictionary.required_names for name in set(dictionary.key) - set(keys)):
        return
    if is_rising(arrow, keys):
        return
    counts = arrow.select(keys).group_by(keys).aggregate([([], "count_all")])
    if counts.num_rows == arrow.num_rows:
        return
    first_row: dict[tuple[object, ...], int] = {}
    for key, row in zip(zip(*(arrow.column(name).to_pylist() for name in keys), strict=True), rows.tolist(), strict=True):
        if all(part is None for part in key):
            continue
        if key in first_row:
            seen = ", ".join(str(part) for part in key if part is not None)
            faults.add(
                Code.DUPLICATE, f"row {first_row[key]} has the same key already", row=row, column=" + ".join(keys), seen=seen
            )
        else:
            first_row[key] = row
