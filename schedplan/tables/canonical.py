"""The canonical content of a table and its SHA-256. Order of rows and columns, file format and unknown columns leave no trace."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schedplan.tables.arrow_form import flat_numbers
from schedplan.tables.column import Dictionary


def canonical_sha256(table: pa.Table, dictionary: Dictionary) -> str:
    """Return the SHA-256, in hex, of the known columns of a table in their strict types.

    Rows are sorted by key, then by the other columns; columns by name; a column without any value counts as absent.
    """
    rows = canonical_rows(table, dictionary)
    digest = hashlib.sha256(f"{dictionary.name}\n{rows.num_rows}\n".encode())
    for name in rows.column_names:
        digest.update(f"{name}\n".encode())
        _add_column(digest, rows.column(name))
    return digest.hexdigest()


def canonical_rows(table: pa.Table, dictionary: Dictionary) -> pa.Table:
    """Return the known, not wholly empty columns by name, rows sorted by key and then by the other columns."""
    known = [
        name for name in dictionary.column_names if name in table.column_names and table.column(name).null_count < table.num_rows
    ]
    keys = [name for name in dictionary.key if name in known]
    order = keys + [name for name in sorted(known) if name not in keys]
    rows = table.select(sorted(known))
    if not order or table.num_rows == 0 or is_rising(rows, keys):
        return rows
    return rows.take(pc.sort_indices(rows, sort_keys=[(name, "ascending") for name in order]))


def is_rising(table: pa.Table, keys: Sequence[str]) -> bool:
    """Return whether every row is above the one before by its key, so that rows are in order and no key stands there twice.

    A key with an empty part is not compared: the answer is False.
    """
    if not keys or any(table.column(name).null_count for name in keys):
        return False
    is_tied: pa.Array = None
    is_above: pa.Array = None
    for name in keys:
        column = table.column(name)
        before, after = column.slice(0, max(len(column) - 1, 0)), column.slice(1)
        above = pc.greater(after, before)
        is_above = above if is_above is None else pc.or_(is_above, pc.and_(is_tied, above))
        tied = pc.equal(after, before)
        is_tied = tied if is_tied is None else pc.and_(is_tied, tied)
    return bool(pc.all(is_above, min_count=0).as_py())


def _add_column(digest: hashlib._Hash, column: pa.ChunkedArray) -> None:
    """Add which cells are null, then the others: numbers as 8 little-endian bytes, texts as their lengths and their bytes."""
    is_null = column.is_null().to_numpy() if column.null_count else np.zeros(len(column), dtype=np.bool_)
    digest.update(np.packbits(is_null).data)
    values = column.drop_null() if column.null_count else column
    if pa.types.is_string(values.type):
        for part in values.chunks:
            digest.update(flat_numbers(pc.binary_length(part)).astype("<i8").data)
        for part in values.chunks:
            digest.update(_text_bytes(part))
    else:
        for part in values.chunks:
            digest.update(_number_bytes(part).data)


def _number_bytes(numbers: pa.Array) -> NDArray[np.float64] | NDArray[np.int64]:
    """Return numbers, none of them null, as 8 little-endian bytes each; -0 is 0."""
    if pa.types.is_floating(numbers.type):
        return np.ascontiguousarray(flat_numbers(numbers.cast(pa.float64())).astype("<f8", copy=False) + 0.0)
    return np.ascontiguousarray(flat_numbers(numbers.cast(pa.int64())), dtype="<i8")


def _text_bytes(texts: pa.StringArray) -> pa.Buffer | bytes:
    """Return the bytes of texts without null, one after another."""
    _, offsets, data = texts.buffers()
    if data is None or offsets is None or not len(texts):
        return b""
    ends = np.frombuffer(offsets, dtype=np.int32)[[texts.offset, texts.offset + len(texts)]]
    return data.slice(int(ends[0]), int(ends[1] - ends[0]))
