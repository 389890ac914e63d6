"""The canonical content of a table and its SHA-256. Order of rows and columns, file format and unknown columns leave no trace."""

from __future__ import annotations

import hashlib

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

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
    if not order or table.num_rows == 0:
        return rows
    return rows.take(pc.sort_indices(rows, sort_keys=[(name, "ascending") for name in order]))


def _add_column(digest: hashlib._Hash, column: pa.ChunkedArray) -> None:
    """Add which cells are null, then the others: numbers as 8 little-endian bytes, texts as their lengths and their bytes."""
    is_null = column.is_null().to_numpy()
    digest.update(np.packbits(is_null).tobytes())
    values = column.drop_null()
    if pa.types.is_string(values.type):
        texts = [text.encode() for text in values.to_pylist()]
        digest.update(np.array([len(text) for text in texts], dtype="<i8").tobytes())
        digest.update(b"".join(texts))
    elif pa.types.is_floating(values.type):
        digest.update((values.to_numpy().astype("<f8") + 0.0).tobytes())
    else:
        digest.update(values.cast(pa.int64()).to_numpy().astype("<i8").tobytes())
