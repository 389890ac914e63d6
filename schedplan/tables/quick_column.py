"""A column of plain texts made strict at once. It takes none but the plainest spellings; whatever else is left to typed_column."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schedplan.tables.arrow_form import INSTANT, arrow_type, flat_numbers
from schedplan.tables.cells import CellError, check_limits
from schedplan.tables.column import Column, Kind
from schedplan.tables.typed_column import EARLIEST_S, LATEST_S

_MAX_DIGITS = 18
_INSTANT_CHARS = len("2026-12-01T00:00:00Z")
_SEPARATORS = ((4, b"-"), (7, b"-"), (10, b"T "), (13, b":"), (16, b":"), (19, b"Z"))
_DIGITS = [idx for idx in range(_INSTANT_CHARS) if idx not in {place for place, _ in _SEPARATORS}]


def _table(signs: bytes) -> NDArray[np.bool_]:
    """Return which bytes are among the signs; bool [256]."""
    found = np.zeros(256, dtype=np.bool_)
    found[list(signs)] = True
    return found


_IS_DIGIT = _table(b"0123456789")
_IS_DECIMAL = _table(b"0123456789.")
_IS_VISIBLE = _table(bytes(range(0x21, 0x7F)))


def quickly_typed(column: Column, raw: pa.StringArray) -> pa.Array | None:
    """Return the strict values of a column without null, an empty text as null; None where any cell needs a closer look.

    What it gives is what `typed` gives, without a fault and without a note.
    """
    offsets = np.frombuffer(raw.buffers()[1], dtype=np.int32)[raw.offset : raw.offset + len(raw) + 1]
    has_empty = bool(np.any(offsets[1:] == offsets[:-1]))
    is_short = has_empty and column.required and not column.null_ok
    if is_short or not len(raw) or offsets[0] == offsets[-1]:
        return None
    data = np.frombuffer(raw.buffers()[2], dtype=np.uint8)
    try:
        return _values(column, raw, offsets, data) if _is_plain(column, offsets, data, has_empty) else None
    except (pa.ArrowException, CellError):
        return None


def _is_plain(column: Column, offsets: NDArray[np.int32], data: NDArray[np.uint8], has_empty: bool) -> bool:
    """Return whether every text is spelled plainly: visible at both ends, digits with at most points between, 20 signs."""
    if column.kind is Kind.TEXT:
        return not column.forbidden and _has_edges(offsets, data, has_empty, _IS_VISIBLE)
    if column.kind is Kind.FLOAT:
        return _is_all(offsets, data, _IS_DECIMAL) and _has_edges(offsets, data, has_empty, _IS_DIGIT)
    if column.kind is Kind.INTEGER:
        return _is_all(offsets, data, _IS_DIGIT) and int(np.max(np.diff(offsets))) <= _MAX_DIGITS
    return column.kind is Kind.TIMESTAMP and bool(np.all(np.diff(offsets) == _INSTANT_CHARS))


def _values(column: Column, raw: pa.StringArray, offsets: NDArray[np.int32], data: NDArray[np.uint8]) -> pa.Array | None:
    if column.kind is Kind.TIMESTAMP:
        return _instants(raw, data[offsets[0] : offsets[-1]].reshape(-1, _INSTANT_CHARS))
    filled = pc.if_else(pc.equal(raw, ""), None, raw) if np.any(offsets[1:] == offsets[:-1]) else raw
    return filled if column.kind is Kind.TEXT else _numbers(column, filled.cast(arrow_type(column.kind)))


def _is_all(offsets: NDArray[np.int32], data: NDArray[np.uint8], is_allowed: NDArray[np.bool_]) -> bool:
    return bool(np.all(is_allowed[data[offsets[0] : offsets[-1]]]))


def _has_edges(offsets: NDArray[np.int32], data: NDArray[np.uint8], has_empty: bool, is_allowed: NDArray[np.bool_]) -> bool:
    """Return whether the first and the last byte of every text that has one are allowed."""
    first, last = offsets[:-1], offsets[1:] - 1
    if has_empty:
        is_filled = first <= last
        first, last = first[is_filled], last[is_filled]
    return bool(np.all(is_allowed[data[first]]) and np.all(is_allowed[data[last]]))


def _numbers(column: Column, values: pa.Array) -> pa.Array | None:
    """Return the numbers, none below 0, where all are finite and within the limits."""
    numbers = flat_numbers(values.drop_null() if values.null_count else values)
    if not np.all(np.isfinite(numbers)):
        return None
    positive = numbers[numbers > 0]
    for end in (numbers.min(), numbers.max(), *((positive.min(),) if len(positive) else ())):
        check_limits(column, end.item())
    return values


def _instants(raw: pa.StringArray, signs: NDArray[np.uint8]) -> pa.Array | None:
    """signs: uint8 [n, 20], the bytes of each text."""
    lowest, highest = signs.min(axis=0), signs.max(axis=0)
    if not all(lowest[idx] == highest[idx] and lowest[idx] in allowed for idx, allowed in _SEPARATORS):
        return None
    if not (np.all(lowest[_DIGITS] >= ord("0")) and np.all(highest[_DIGITS] <= ord("9"))):
        return None
    instants = raw.cast(INSTANT)
    seconds = flat_numbers(instants.cast(pa.int64()))
    return instants if seconds.min() >= EARLIEST_S and seconds.max() < LATEST_S else None
