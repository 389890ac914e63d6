"""The cells of a block of plain lines: where each ends, and whether those of a column are spelled so plainly that Arrow may read
them. It takes none but the plainest spellings, and knows no file.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schedplan.tables.arrow_form import arrow_type, flat_numbers
from schedplan.tables.cells import CellError, check_limits
from schedplan.tables.column import Column, Kind
from schedplan.tables.typed_column import EARLIEST_S, LATEST_S

_MAX_DIGITS = 18
_MAX_DECIMALS = 24
_INSTANT_CHARS = len("2026-12-01T00:00:00Z")
_LINE_FEED = 0x0A


def _table(signs: bytes) -> NDArray[np.bool_]:
    """Return which bytes are among the signs; bool [256]."""
    found = np.zeros(256, dtype=np.bool_)
    found[list(signs)] = True
    return found


_IS_DIGIT = _table(b"0123456789")
_IS_DECIMAL = _table(b"0123456789.")
_IS_VISIBLE = _table(bytes(range(0x21, 0x7F)))


@dataclass(frozen=True, slots=True)
class PlainCells:
    """signs: uint8 [n_bytes], the block. ends: int64 [n_lines, n_columns], the delimiter or line feed after each cell.

    may_have_empty: two delimiters or line feeds stand side by side. has_visible_only: it holds no byte but visible ASCII and line
    feeds. may_have_exponent: a number such as 1e3 may stand in it.
    """

    signs: NDArray[np.uint8]
    ends: NDArray[np.int64]
    may_have_empty: bool
    has_visible_only: bool
    may_have_exponent: bool

    @property
    def n_lines(self) -> int:
        return len(self.ends)

    @property
    def longest(self) -> int:
        """Return the bytes of the longest line."""
        return int(np.diff(self.ends[:, -1], prepend=-1).max())

    def has_empty(self, idx: int) -> bool:
        """Return whether a cell of a column is empty."""
        return self.may_have_empty and bool(np.any(self._lengths(idx) == 0))

    def direct_type(self, column: Column, idx: int) -> pa.DataType | None:
        """Return the type as which Arrow reads every cell of a column as `typed` would, an empty one as null; None where that is
        not sure. A text is read as it stands, an empty one as an empty text."""
        if self.may_have_empty and not self._may_be_empty(column, idx):
            return None
        match column.kind:
            case Kind.TEXT:
                is_plain = not column.forbidden and self._has_visible_edges(idx)
            case Kind.FLOAT:
                is_plain = not self.may_have_exponent or self._is_all(idx, _MAX_DECIMALS, _IS_DECIMAL)
            case Kind.INTEGER:
                is_plain = self._is_all(idx, _MAX_DIGITS, _IS_DIGIT)
            case Kind.TIMESTAMP:
                is_plain = self._is_instant(idx)
            case _:
                is_plain = False
        return arrow_type(column.kind) if is_plain else None

    def _may_be_empty(self, column: Column, idx: int) -> bool:
        """Return whether the column has no empty cell, or takes some and has others."""
        lengths = self._lengths(idx)
        return bool(np.all(lengths > 0)) or (bool(np.any(lengths > 0)) and (not column.required or column.null_ok))

    def _has_visible_edges(self, idx: int) -> bool:
        """Return whether the first and the last byte of every cell that has one is visible."""
        if self.has_visible_only:
            return True
        lengths = self._lengths(idx)
        ends, lengths = self.ends[lengths > 0, idx], lengths[lengths > 0]
        return bool(np.all(_IS_VISIBLE[self.signs[ends - lengths]]) and np.all(_IS_VISIBLE[self.signs[ends - 1]]))

    def _is_all(self, idx: int, most: int, is_allowed: NDArray[np.bool_]) -> bool:
        """Return whether every byte of every cell is allowed, and none is longer than `most`."""
        ends, lengths = self.ends[:, idx], self._lengths(idx)
        longest = int(lengths.max())
        if longest > most:
            return False
        is_good = is_allowed[self.signs]
        return all(bool(np.all(is_good[ends - back] | (lengths < back))) for back in range(1, longest + 1))

    def _is_instant(self, idx: int) -> bool:
        """Return whether each cell has 20 bytes, a digit first and Z last: of what Arrow takes there is one such form."""
        ends, lengths = self.ends[:, idx], self._lengths(idx)
        has_length = bool(np.all(lengths == _INSTANT_CHARS))
        return has_length and bool(
            np.all(self.signs[ends - 1] == ord("Z")) and np.all(_IS_DIGIT[self.signs[ends - _INSTANT_CHARS]])
        )

    def _lengths(self, idx: int) -> NDArray[np.int64]:
        """Return the bytes of each cell of a column; int64 [n_lines]."""
        ends = self.ends
        before = ends[:, idx - 1] if idx else np.concatenate([np.full(1, -1), ends[:-1, -1]])
        return np.asarray(ends[:, idx] - before - 1)


def plain_cells(block: bytes, n_columns: int, delimiter: str) -> PlainCells | None:
    """Return the cells of a block of whole lines; None where a line has more or fewer, or the delimiter is no ASCII."""
    if not delimiter.isascii() or not block:
        return None
    signs = np.frombuffer(block, dtype=np.uint8)
    is_feed = signs == _LINE_FEED
    is_end = (signs == ord(delimiter)) | is_feed
    ends = np.flatnonzero(is_end)
    n_lines = int(np.count_nonzero(is_feed))
    if len(ends) != n_lines * n_columns or not np.all(is_feed[ends[n_columns - 1 :: n_columns]]):
        return None
    return PlainCells(
        signs,
        ends.reshape(n_lines, n_columns),
        bool(is_end[0] or np.any(is_end[1:] & is_end[:-1])),
        block.isascii() and b"\x7f" not in block and int(np.count_nonzero(signs <= 0x20)) == n_lines,
        _may_have_exponent(signs),
    )


def _may_have_exponent(signs: NDArray[np.uint8]) -> bool:
    """Return whether an E, great or small, follows a digit or a point anywhere; one in a word such as `a1e` counts, too."""
    is_e = (signs[1:] | 0x20) == ord("e")
    # bytes below the point wrap round to large ones
    return bool(np.any(is_e & (signs[:-1] - np.uint8(ord(".")) <= ord("9") - ord("."))))


def is_within(column: Column, values: pa.Array) -> bool:
    """Return whether the values that Arrow read of a column are those that the column takes."""
    if column.kind is Kind.TEXT:
        return True
    filled = values.drop_null() if values.null_count else values
    if column.kind is Kind.TIMESTAMP:
        seconds = flat_numbers(filled.cast(pa.int64()))
        return bool(seconds.min() >= EARLIEST_S and seconds.max() < LATEST_S)
    numbers = flat_numbers(filled)
    least = numbers.min()
    if least <= 0 and column.kind is not Kind.INTEGER and np.any(np.signbit(numbers) & (numbers == 0)):
        return False  # a cell of -0 is a plain 0 to the reader of cells
    positive = numbers[numbers > 0] if least <= 0 else numbers[:0]
    try:
        # of numbers among which one is not finite, the least or the greatest is not, which no column takes
        for end in (least, numbers.max(), *((positive.min(),) if len(positive) else ())):
            check_limits(column, end.item())
    except CellError:
        return False
    return True
