"""Columns of a result as Parquet bytes, and back. It knows writer settings and checksums, not what the columns mean.

The same columns give the same bytes: one row group, no pandas metadata, fixed settings; the file names the pyarrow that wrote
it. Every page carries a checksum, which is verified on reading.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from schedplan.errors import InputError
from schedplan.tables.artefact_record import DAMAGED, MALFORMED

MAX_CELLS = 100_000_000

INSTANT = pa.timestamp("ms", tz="UTC")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a result: Arrow type, and whether a cell may be empty."""

    name: str
    type: pa.DataType
    is_optional: bool = False

    @property
    def field(self) -> pa.Field:
        return pa.field(self.name, self.type, nullable=self.is_optional)


def schema_of(columns: tuple[Column, ...]) -> pa.Schema:
    """Return the Arrow schema of columns."""
    return pa.schema([column.field for column in columns])


def parquet_bytes(table: pa.Table) -> bytes:
    """Return the table as Parquet with page checksums; ValueError where a column that must be full has an empty cell."""
    for field, column in zip(table.schema, table.columns, strict=True):
        if not field.nullable and column.null_count:
            raise ValueError(f"the column {field.name} has empty cells and may have none")
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
        store_schema=False,
    )
    return bytes(sink.getvalue())


def parquet_table(content: bytes, file: str) -> pa.Table:
    """Return the table in Parquet `content`, its page checksums verified; InputError where it is none or too large."""
    try:
        source = pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True)
        if source.metadata.num_rows * max(source.metadata.num_columns, 1) > MAX_CELLS:
            raise InputError(f"{file}: {source.metadata.num_rows} rows are more than {MAX_CELLS} cells", code=MALFORMED)
        table = source.read(use_threads=False)
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError) as problem:
        reason = str(problem).splitlines()[0][:200] if str(problem) else type(problem).__name__
        raise InputError(f"{file}: not a Parquet file that can be read: {reason}", code=DAMAGED) from None
    return table


def refuse_other_columns(table: pa.Table, columns: tuple[Column, ...], file: str) -> None:
    """Raise InputError unless the table has exactly `columns`, in their order and of their types."""
    expected = schema_of(columns)
    if not table.schema.remove_metadata().equals(expected):
        seen = ", ".join(f"{field.name} {field.type}" for field in table.schema)
        wanted = ", ".join(f"{field.name} {field.type}" for field in expected)
        raise InputError(f"{file}: its columns are not those of this result; seen {seen}; expected {wanted}", code=MALFORMED)
