"""Rows of one table that several files tell in part, put together: what one leaves empty another may fill. It reads no file."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schedplan.tables.arrow_form import arrow_type
from schedplan.tables.canonical import canonical_sha256
from schedplan.tables.catalog import dictionary as dictionary_of
from schedplan.tables.column import Dictionary
from schedplan.tables.read import TableFile

MERGED = "its values fill empty cells of a row of an earlier file"
Row = dict[str, object]
Key = tuple[object, ...]


def merged(files: tuple[TableFile, ...]) -> tuple[TableFile, ...]:
    """Return the files, in their order, with every row that a later file tells in part added to the row it speaks of.

    Rows that contradict each other, or say the same, are left as they are: what to do with them is decided where tables are joined.
    """
    found = list(files)
    for table in dict.fromkeys(file.table for file in files):
        own = [idx for idx, file in enumerate(files) if file.table == table]
        if len(own) > 1 and dictionary_of(table).key:
            for idx, file in zip(own, _merged_table(dictionary_of(table), [files[one] for one in own]), strict=True):
                found[idx] = file
    return tuple(found)


def _merged_table(dictionary: Dictionary, files: list[TableFile]) -> list[TableFile]:
    first: dict[Key, tuple[int, int]] = {}
    rows = [file.arrow.to_pylist() for file in files]
    is_kept = [np.ones(file.n_rows, dtype=np.bool_) for file in files]
    changed: set[int] = set()
    for file_idx, own in enumerate(rows):
        for row_idx, row in enumerate(own):
            place = first.setdefault(tuple(row.get(name) for name in dictionary.key), (file_idx, row_idx))
            if place[0] != file_idx and _fills(dictionary, rows[place[0]][place[1]], row):
                is_kept[file_idx][row_idx] = False
                changed |= {place[0], file_idx}
    return [_rebuilt(dictionary, file, rows[idx], is_kept[idx]) if idx in changed else file for idx, file in enumerate(files)]


def _fills(dictionary: Dictionary, earlier: Row, later: Row) -> bool:
    """Fill the empty cells of a row from a later one; return whether the later one is spent: no contradiction, and some news."""
    pairs = [(name, earlier.get(name), later.get(name)) for name in dictionary.column_names]
    if any(one is not None and other is not None and one != other for _, one, other in pairs):
        return False
    if all(one == other for _, one, other in pairs):
        return False
    earlier.update({name: other for name, one, other in pairs if one is None and other is not None})
    return True


def _rebuilt(dictionary: Dictionary, file: TableFile, rows: list[Row], is_kept: NDArray[np.bool_]) -> TableFile:
    kept = [row for row, stays in zip(rows, is_kept.tolist(), strict=True) if stays]
    schema = {field.name: field.type for field in file.arrow.schema}
    schema |= {name: _type(dictionary, name) for row in kept for name in row if name not in schema}
    order = [name for name in dictionary.column_names if name in schema] + [
        name for name in schema if dictionary.find(name) is None
    ]
    arrow = pa.table({name: pa.array([row.get(name) for row in kept], schema[name]) for name in order})
    n_merged = len(np.unique(file.rows)) - len(np.unique(file.rows[is_kept]))
    dropped = (*file.dropped, (MERGED, n_merged)) if n_merged else file.dropped
    return replace(file, arrow=arrow, rows=file.rows[is_kept], sha256=canonical_sha256(arrow, dictionary), dropped=dropped)


def _type(dictionary: Dictionary, name: str) -> pa.DataType:
    return arrow_type(dictionary.column(name).kind)
