"""Columns of a result as Parquet bytes, and back. It knows writer settings and checksums, not what the columns mean.

The same columns give the same bytes: one row group, no pandas metadata, fixed settings; the file names the pyarrow that wrote
it. Every page carries a checksum, which is verified on reading.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from schedplan.errors import InputError
from schedplan.tables.arrow_form import arrow_schema
from schedplan.tables.artefact_record import DAMAGED, MALFORMED
from schedplan.tables.column import Dictionary

MAX_CELLS = 100_000_000

# Parquet has no unit of seconds; its smallest step is the millisecond.
INSTANT = pa.timestamp("ms", tz="UTC")

Cells = Sequence[object] | NDArray[np.generic]


def result_schema(dictionary: Dictionary) -> pa.Schema:
    """Return the Arrow schema of a result's table as Parquet holds it: instants in ms."""
    return pa.schema(
        [field.with_type(INSTANT) if pa.types.is_timestamp(field.type) else field for field in arrow_schema(dictionary)]
    )


def columns_bytes(columns: Mapping[str, Cells], dictionary: Dictionary) -> bytes:
    """Return columns, instants in seconds, as Parquet with page checksums.

    Raises ValueError where a required cell is empty or a number is not finite.
    """
    schema = result_schema(dictionary)
    arrays = [_array(columns[field.name], field) for field in schema]
    return parquet_bytes(pa.Table.from_arrays(arrays, schema=schema))


def columns_in(content: bytes, dictionary: Dictionary, file: str) -> pa.Table:
    """Return the table in Parquet `content`; InputError unless it has exactly the columns of the dictionary, numbers all finite."""
    table = parquet_table(content, file)
    expected = result_schema(dictionary)
    if not table.schema.remove_metadata().equals(expected):
        seen = ", ".join(f"{field.name} {field.type}" for field in table.schema)
        wanted = ", ".join(f"{field.name} {field.type}" for field in expected)
        raise InputError(f"{file}: its columns are not those of {dictionary.name}; seen {seen}; expected {wanted}", code=MALFORMED)
    for field, column in zip(expected, table.columns, strict=True):
        if column.null_count and not field.nullable:
            raise InputError(f"{file}: the column {field.name} has empty cells", code=MALFORMED)
        if pa.types.is_floating(field.type) and not _is_finite(column):
            raise InputError(f"{file}: the column {field.name} has a number that is not finite", code=MALFORMED)
    return table


def seconds_of(column: pa.ChunkedArray) -> list[int | None]:
    """Return a column of instants as seconds, None for an empty cell; fractions of a second are cut."""
    cells: list[int | None] = column.cast(pa.timestamp("s", tz="UTC"), safe=False).cast(pa.int64()).to_pylist()
    return cells


def parquet_bytes(table: pa.Table) -> bytes:
    """Return the table as Parquet with page checksums; ValueError where a required cell is empty or a number is not finite."""
    for field, column in zip(table.schema, table.columns, strict=True):
        if column.null_count and not field.nullable:
            raise ValueError(f"the column {field.name} has empty cells and may have none")
        if pa.types.is_floating(field.type) and not _is_finite(column):
            raise ValueError(f"the column {field.name} has a number that is not finite")
    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        row_group_size=max(table.num_rows, 1),
        version="2.6",
        data_page_version="1.0",
        compression="zstd",
        use_dictionary=True,
        write_statistics=True,
        write_page_checksum=True,
    )
    return bytes(sink.getvalue())


def parquet_table(content: bytes, file: str) -> pa.Table:
    """Return the table in Parquet `content`, its page checksums verified; InputError where it is none or too large."""
    try:
        source = pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True)
        rows, columns = source.metadata.num_rows, source.metadata.num_columns
        if rows * max(columns, 1) > MAX_CELLS:
            raise InputError(
                f"{file}: {rows} rows x {columns} columns are more than the limit of {MAX_CELLS} cells", code=MALFORMED
            )
        table = source.read(use_threads=False)
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError) as problem:
        reason = str(problem).splitlines()[0][:200] if str(problem) else type(problem).__name__
        raise InputError(f"{file}: not a Parquet file that can be read: {reason}", code=DAMAGED) from None
    return table


def _array(cells: Cells, field: pa.Field) -> pa.Array:
    """Return cells as an Arrow array; seconds become instants."""
    if pa.types.is_timestamp(field.type):
        return pa.array(cells, pa.int64()).cast(pa.timestamp("s", tz="UTC")).cast(field.type)
    return pa.array(cells, field.type)


def _is_finite(column: pa.ChunkedArray) -> bool:
    return bool(pc.all(pc.is_finite(column.drop_null()), min_count=0).as_py())
