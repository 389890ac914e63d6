"""A raw column made strict: every cell is exactly what its text or number says, null, or a fault. It knows no file format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schedplan.tables.arrow_form import INSTANT, arrow_type
from schedplan.tables.cells import CellError, Stored, check_limits, stored
from schedplan.tables.column import Column, Kind
from schedplan.tables.faults import Code, FaultList
from schedplan.timegrid import EARLIEST_YEAR, LATEST_YEAR, InstantError, local_instant

EXACT_FLOAT = 2**53
EARLIEST_S = int(datetime(EARLIEST_YEAR, 1, 1, tzinfo=UTC).timestamp())
LATEST_S = int(datetime(LATEST_YEAR + 1, 1, 1, tzinfo=UTC).timestamp())
_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_MANY_TEXTS = 2_000
_WITH_OFFSET = r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(Z|[+-](0\d|1[0-3]):[0-5]\d)$"
_WITHOUT_OFFSET = r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d$"
_EPOCH_WALL = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None)


@dataclass(slots=True)
class ColumnReading:
    """How one column is read: its dictionary entry, the file's row numbers, the zone of naive times; gathers faults and notes.

    notes are sentences about the column as a whole, without the file's name.
    """

    column: Column
    rows: NDArray[np.int64]
    zone: tzinfo
    faults: FaultList
    notes: list[str] = field(default_factory=list)

    def fault_at(self, idx: int, error: CellError, seen: str) -> None:
        """Note the fault of one cell."""
        self.faults.add(
            error.code,
            error.message,
            row=int(self.rows[idx]),
            column=self.column.name,
            seen=seen,
            expected=error.expected,
            hint=error.hint,
        )

    def fault_of_type(self, seen: pa.DataType, expected: str) -> None:
        """Note that the whole column is of a type from which it can't be taken."""
        self.faults.add(Code.COLUMN_TYPE, "the column has another type", column=self.column.name, seen=str(seen), expected=expected)


def typed(reading: ColumnReading, raw: pa.Array) -> pa.Array:
    """Return the column in its strict Arrow type, same length; cells with a fault are null and stand in `reading.faults`."""
    if pa.types.is_dictionary(raw.type):
        raw = raw.cast(pa.string()) if not _is_text(raw.type.value_type) else raw
    result = _typed(reading, raw)
    if reading.column.required and not reading.column.null_ok:
        _fault_nulls(reading, raw, result)
    return result


def _typed(reading: ColumnReading, raw: pa.Array) -> pa.Array:
    kind, type_ = reading.column.kind, raw.type
    is_number = pa.types.is_integer(type_) or pa.types.is_floating(type_)
    if pa.types.is_null(type_):
        result = pa.nulls(len(raw), arrow_type(kind))
    elif pa.types.is_dictionary(type_) or _is_text(type_):
        result = _from_text(reading, raw)
    elif kind is Kind.TIMESTAMP:
        result = _instants(reading, raw)
    elif pa.types.is_boolean(type_) and kind is Kind.BOOLEAN:
        result = raw
    elif is_number and kind in (Kind.INTEGER, Kind.FLOAT, Kind.SHARE, Kind.QUANTILE):
        result = _numbers(reading, raw)
    elif pa.types.is_integer(type_) and kind is Kind.TEXT:
        reading.notes.append(f"column {reading.column.name} holds whole numbers; they are read as names, digit by digit")
        result = _from_text(reading, raw.cast(pa.string()))
    else:
        reading.fault_of_type(type_, reading.column.type_text)
        result = pa.nulls(len(raw), arrow_type(kind))
    return result


def _from_text(reading: ColumnReading, raw: pa.Array) -> pa.Array:
    encoded = raw if pa.types.is_dictionary(raw.type) else raw.cast(pa.string()).dictionary_encode()
    texts = encoded.dictionary.cast(pa.string())
    trimmed = pc.utf8_trim_whitespace(texts)
    if reading.column.kind is Kind.TEXT and not texts.equals(trimmed):
        reading.notes.append(f"spaces around the texts of column {reading.column.name} are taken off")
    indices = _indices(encoded)
    if reading.column.kind is Kind.TEXT and not reading.column.forbidden:
        values = pc.if_else(pc.equal(trimmed, ""), None, trimmed)
        return _taken(values, indices)
    if reading.column.kind is Kind.TIMESTAMP and len(trimmed) > _MANY_TEXTS:
        quick = _quick_instants(reading, trimmed)
        if quick is not None:
            return _taken(quick, indices)
    return _parsed(reading, trimmed.to_pylist(), indices)


def _parsed(reading: ColumnReading, texts: list[str | None], indices: NDArray[np.int64]) -> pa.Array:
    """Return the values of `texts` by `indices` (-1 is null); every distinct text is parsed once."""
    values: list[Stored | None] = []
    errors: dict[int, CellError] = {}
    is_naive = np.zeros(len(texts) + 1, dtype=np.bool_)
    for idx, text in enumerate(texts):
        value: Stored | None = None
        if text:
            try:
                value, is_naive[idx] = stored(reading.column, text, reading.zone)
            except CellError as error:
                errors[idx] = error
        values.append(value)
    _fault_distinct(reading, errors, indices, texts)
    _note_naive(reading, int(np.count_nonzero(is_naive[indices])))
    return _taken(pa.array(values, arrow_type(reading.column.kind)), indices)


def _fault_distinct(
    reading: ColumnReading, errors: dict[int, CellError], indices: NDArray[np.int64], values: Sequence[Stored | None]
) -> None:
    """Note the faults of distinct `values`, by their index, in every row that holds one."""
    if errors:
        is_bad = np.zeros(len(values) + 1, dtype=np.bool_)
        is_bad[list(errors)] = True
        for row_idx in np.flatnonzero(is_bad[indices]):
            value_idx = int(indices[row_idx])
            reading.fault_at(int(row_idx), errors[value_idx], str(values[value_idx]))


def _indices(encoded: pa.DictionaryArray) -> NDArray[np.int64]:
    """Return the index of each row's value, -1 for null; int64 [n]."""
    return np.asarray(encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)


def _taken(values: pa.Array, indices: NDArray[np.int64]) -> pa.Array:
    return values.take(pa.array(indices, mask=indices < 0))


def _quick_instants(reading: ColumnReading, texts: pa.Array) -> pa.Array | None:
    """Return the instants of many texts of one plain form at once; None where any text needs a closer look."""
    try:
        if pc.all(pc.match_substring_regex(texts, _WITH_OFFSET)).as_py():
            instants = texts.cast(INSTANT)
        elif isinstance(reading.zone, ZoneInfo) and pc.all(pc.match_substring_regex(texts, _WITHOUT_OFFSET)).as_py():
            instants = pc.assume_timezone(texts.cast(pa.timestamp("s")), reading.zone.key).cast(INSTANT)
            _note_naive(reading, len(texts))
        else:
            return None
    except (pa.ArrowException, OSError):
        return None
    seconds = instants.cast(pa.int64())
    if pc.min(seconds).as_py() < EARLIEST_S or pc.max(seconds).as_py() >= LATEST_S:
        return None
    return instants


def _note_naive(reading: ColumnReading, n_naive: int) -> None:
    if n_naive:
        reading.notes.append(f"times of column {reading.column.name} without an offset are read in {reading.zone}")


def _numbers(reading: ColumnReading, raw: pa.Array) -> pa.Array:
    column = reading.column
    if column.kind is Kind.QUANTILE:
        return _from_text(
            reading, pa.array([None if value is None else repr(float(value)) for value in raw.to_pylist()], pa.string())
        )
    is_integer = column.kind is Kind.INTEGER
    values = _exact(reading, raw, *((pa.int64(), _is_exact_integer) if is_integer else (pa.float64(), _is_exact_float)))
    return _within_limits(reading, values)


def _exact(reading: ColumnReading, raw: pa.Array, target: pa.DataType, is_exact: Callable[[int | float], bool]) -> pa.Array:
    """Return finite numbers cast to int64 or float64; a cell that the cast would change is a fault and null."""
    if pa.types.is_floating(raw.type):
        raw = raw.cast(pa.float64())
        finite = pc.is_finite(raw)
        _fault_where(reading, pc.invert(finite), raw, CellError("this is not a finite number", "a finite number, or an empty cell"))
        raw = pc.if_else(finite, raw, None)
    try:
        return raw.cast(target, safe=True)
    except pa.ArrowInvalid:
        values = raw.to_pylist()
        is_off = pa.array([value is not None and not (is_exact(value) and -(2**63) <= value < 2**63) for value in values])
        _fault_where(reading, is_off, raw, CellError("the number can't be taken exactly", reading.column.type_text))
        kept = [None if off else value for value, off in zip(values, is_off.to_pylist(), strict=True)]
        return pa.array([None if value is None else int(value) if target == pa.int64() else float(value) for value in kept], target)


def _is_exact_integer(value: int | float) -> bool:
    return isinstance(value, int) or (value == int(value) and abs(value) < EXACT_FLOAT)


def _is_exact_float(value: int | float) -> bool:
    return not isinstance(value, int) or abs(value) <= EXACT_FLOAT


def _within_limits(reading: ColumnReading, values: pa.Array) -> pa.Array:
    distinct = values.dictionary_encode()
    numbers = distinct.dictionary.to_pylist()
    errors: dict[int, CellError] = {}
    for idx, number in enumerate(numbers):
        try:
            check_limits(reading.column, number)
        except CellError as error:
            errors[idx] = error
    _fault_distinct(reading, errors, _indices(distinct), numbers)
    return values


def _fault_where(reading: ColumnReading, mask: pa.Array, values: pa.Array, error: CellError) -> None:
    for idx in np.flatnonzero(mask.fill_null(False).to_numpy(zero_copy_only=False)):
        reading.fault_at(int(idx), error, str(values[int(idx)].as_py()))


def _instants(reading: ColumnReading, raw: pa.Array) -> pa.Array:
    if pa.types.is_date(raw.type):
        raw = raw.cast(pa.timestamp("s"))
    if not pa.types.is_timestamp(raw.type):
        if pa.types.is_integer(raw.type) or pa.types.is_floating(raw.type):
            reading.faults.add(
                Code.TIME,
                "bare numbers have no unit and are not taken for seconds since 1970",
                column=reading.column.name,
                seen=str(raw.type),
                expected="timestamps",
            )
        else:
            reading.fault_of_type(raw.type, "timestamps")
        return pa.nulls(len(raw), INSTANT)
    seconds = _whole_seconds(reading, raw)
    distinct = seconds.dictionary_encode()
    indices = _indices(distinct)
    ticks = distinct.dictionary.to_pylist()
    values: list[int | None] = []
    errors: dict[int, CellError] = {}
    for idx, second in enumerate(ticks):
        try:
            values.append(_instant(second, None if raw.type.tz else reading.zone))
        except InstantError as problem:
            values.append(None)
            errors[idx] = CellError(str(problem), "an instant of the years 1980 to 2200", Code.TIME)
    _fault_distinct(reading, errors, indices, ticks)
    if raw.type.tz is None:
        _note_naive(reading, len(values))
    return _taken(pa.array(values, pa.int64()).cast(INSTANT), indices)


def _whole_seconds(reading: ColumnReading, raw: pa.Array) -> pa.Array:
    """Return int64 seconds of timestamps, rounded down, and say so where that changes one."""
    per_second = _PER_SECOND[raw.type.unit]
    ticks = raw.cast(pa.int64())
    numbers = ticks.fill_null(0).to_numpy(zero_copy_only=False)
    if np.any(numbers % per_second):
        reading.notes.append(f"fractions of a second in column {reading.column.name} are cut off")
    return pa.array(numbers // per_second, pa.int64(), mask=ticks.is_null().to_numpy(zero_copy_only=False))


def _instant(second: int, zone: tzinfo | None) -> int:
    if not EARLIEST_S <= second < LATEST_S:
        raise InstantError(f"{second} seconds since 1970 are outside the years {EARLIEST_YEAR} to {LATEST_YEAR}")
    return second if zone is None else local_instant(_EPOCH_WALL + timedelta(seconds=second), zone)


def _fault_nulls(reading: ColumnReading, raw: pa.Array, result: pa.Array) -> None:
    """Note every cell that is empty in the file; one that is null for another fault has been told already."""
    was_text = pa.types.is_dictionary(raw.type) or _is_text(raw.type)
    text = pc.utf8_trim_whitespace(raw.cast(pa.string())) if was_text else None
    is_empty = raw.is_null() if text is None else pc.or_(raw.is_null(), pc.fill_null(pc.equal(text, ""), True))
    for idx in np.flatnonzero(pc.and_(is_empty, result.is_null()).to_numpy(zero_copy_only=False)):
        reading.faults.add(
            Code.EMPTY_CELL,
            "the cell is empty",
            row=int(reading.rows[idx]),
            column=reading.column.name,
            expected=reading.column.type_text,
            seen="",
        )


def _is_text(type_: pa.DataType) -> bool:
    return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_) or pa.types.is_string_view(type_))
