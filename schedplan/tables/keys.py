"""Keys of many rows as numbers: equal keys, empty parts too, have equal numbers. It knows no table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schedplan.tables.canonical import is_rising


def key_numbers(tables: Sequence[pa.Table], names: Sequence[str]) -> NDArray[np.int64]:
    """Return a number per row of all tables in turn, int64 [n_rows]; a column that a table lacks is empty in it."""
    n_rows = sum(table.num_rows for table in tables)
    numbers = np.zeros(n_rows, dtype=np.int64)
    for name in names:
        parts = [table.column(name) if name in table.column_names else None for table in tables]
        type_ = next((part.type for part in parts if part is not None), pa.null())
        whole = pa.chunked_array(
            [
                chunk
                for part, table in zip(parts, tables, strict=True)
                for chunk in ([pa.nulls(table.num_rows, type_)] if part is None else part.chunks)
            ],
            type_,
        )
        part_numbers = _numbers(whole)
        size = int(part_numbers.max(initial=0)) + 1
        numbers = _dense(numbers * size + part_numbers)
    return numbers


def none_repeats(tables: Sequence[pa.Table], names: Sequence[str]) -> bool:
    """Return whether surely no key stands twice: each table rises, and so do the tables in the order of their first rows."""
    filled = [table.select(list(names)) for table in tables if table.num_rows and set(names) <= set(table.column_names)]
    if len(filled) < sum(table.num_rows > 0 for table in tables):
        return False
    firsts = [table.slice(0, 1).to_pylist()[0] for table in filled]
    if any(value is None for first in firsts for value in first.values()):
        return False
    order = sorted(range(len(filled)), key=lambda idx: tuple(firsts[idx].values()))
    return not filled or is_rising(pa.concat_tables([filled[idx] for idx in order]), names)


def in_several(numbers: NDArray[np.int64], groups: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which rows have a number that stands in more than one group; bool [n_rows]. groups: int64 [n_rows], from 0."""
    if not len(numbers):
        return np.zeros(0, dtype=np.bool_)
    size = int(groups.max()) + 1
    pairs = np.unique(numbers * size + groups) // size
    n_groups = np.bincount(pairs, minlength=int(numbers.max()) + 1)
    return np.asarray(n_groups[numbers] > 1)


def _numbers(column: pa.ChunkedArray) -> NDArray[np.int64]:
    """Return a number from 0 on per value of a column, the empty ones among them."""
    if pa.types.is_null(column.type):
        return np.zeros(len(column), dtype=np.int64)
    encoded = column.combine_chunks().dictionary_encode()
    indices = encoded.indices.fill_null(len(encoded.dictionary))
    return np.asarray(np.frombuffer(indices.buffers()[1], dtype=np.int32)[: len(column)], dtype=np.int64)


def _dense(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return numbers from 0 on that are equal where the given ones are."""
    return np.asarray(np.unique(numbers, return_inverse=True)[1], dtype=np.int64).reshape(-1)
