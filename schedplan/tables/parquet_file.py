"""A Parquet file as the columns it holds. It knows sizes, checksums and physical types, and turns no cell into anything."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from schedplan.tables.faults import Code, FaultList
from schedplan.tables.raw_file import MAX_BYTES, MAX_CELLS, MAX_COLUMNS, RawTable, reason_of, refuse

DAMAGE = (pa.ArrowException, OSError, ValueError, KeyError, OverflowError, MemoryError)


def read_parquet(path: Path, faults: FaultList) -> RawTable:
    """Return the flat columns of a Parquet file, each as one array; raises UnreadableError with a fault where it can't be read.

    Sizes are refused before a page is read: rows x columns, unpacked bytes, and the bytes of its texts when written out. Page
    checksums are verified where the file has them.
    """
    try:
        with pq.ParquetFile(path) as file:
            text_columns = _flat_columns(file, faults)
        with pq.ParquetFile(path, page_checksum_verification=True, read_dictionary=list(text_columns)) as file:
            table = file.read(use_threads=False)
            table.validate(full=True)
    except DAMAGE as problem:
        refuse(faults, Code.UNREADABLE, f"the Parquet file is damaged: {reason_of(problem)}")
    columns = tuple(_one_array(column) for column in table.columns)
    names = tuple(name.strip() for name in table.column_names)
    _refuse_long_texts(names, columns, faults)
    return RawTable(names, columns, np.arange(1, table.num_rows + 1, dtype=np.int64))


def _flat_columns(file: pq.ParquetFile, faults: FaultList) -> tuple[str, ...]:
    """Return the names of the text columns once the sizes and types of the file allow it to be read."""
    n_rows, n_columns = file.metadata.num_rows, file.metadata.num_columns
    if n_rows < 0 or n_rows * max(n_columns, 1) > MAX_CELLS:
        refuse(faults, Code.TOO_LARGE, f"{n_rows} rows x {n_columns} columns are more than {MAX_CELLS} cells")
    if n_columns > MAX_COLUMNS:
        refuse(faults, Code.TOO_LARGE, f"{n_columns} columns are more than {MAX_COLUMNS}")
    n_bytes = sum(file.metadata.row_group(group).total_byte_size for group in range(file.metadata.num_row_groups))
    if not 0 <= n_bytes <= MAX_BYTES:
        refuse(faults, Code.TOO_LARGE, f"the file unpacks to {n_bytes} bytes, more than {MAX_BYTES}")
    schema = file.schema_arrow
    nested = [field.name for field in schema if pa.types.is_nested(field.type)]
    if nested:
        faults.add(
            Code.COLUMN_TYPE,
            "the column is nested",
            column=nested[0],
            seen=str(schema.field(nested[0]).type),
            expected="flat columns",
        )
        refuse(faults, Code.COLUMN_TYPE, "tables are flat; write lists as text, e.g. a;b")
    return tuple(field.name for field in schema if pa.types.is_string(field.type) or pa.types.is_large_string(field.type))


def _one_array(column: pa.ChunkedArray) -> pa.Array:
    if pa.types.is_dictionary(column.type):
        column = column.unify_dictionaries()
    combined = column.combine_chunks()
    return combined.chunk(0) if isinstance(combined, pa.ChunkedArray) else combined


def _refuse_long_texts(names: tuple[str, ...], columns: tuple[pa.Array, ...], faults: FaultList) -> None:
    """Refuse texts that are small only while each distinct one is kept once."""
    n_bytes = 0
    for name, column in zip(names, columns, strict=True):
        if pa.types.is_dictionary(column.type) and len(column):
            lengths = pc.binary_length(column.dictionary).take(column.indices)
            n_bytes += int(pc.sum(pc.cast(lengths, pa.int64())).as_py() or 0)
        if n_bytes > MAX_BYTES:
            refuse(faults, Code.TOO_LARGE, f"the texts up to column {name} are {n_bytes} bytes, more than {MAX_BYTES}")
