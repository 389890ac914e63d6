"""The Arrow form of a table: one strict type per kind of column. Lists and quantities stay text in their canonical spelling."""

from __future__ import annotations

import pyarrow as pa

from schedplan.tables.column import Dictionary, Kind

INSTANT = pa.timestamp("s", "UTC")
_TYPES = {
    Kind.INTEGER: pa.int64(),
    Kind.FLOAT: pa.float64(),
    Kind.SHARE: pa.float64(),
    Kind.BOOLEAN: pa.bool_(),
    Kind.TIMESTAMP: INSTANT,
}


def arrow_type(kind: Kind) -> pa.DataType:
    """Return the Arrow type of a kind: int64, float64, bool, timestamp[s, UTC], else string."""
    return _TYPES.get(kind, pa.string())


def arrow_schema(dictionary: Dictionary) -> pa.Schema:
    """Return the schema of a table with every column of its dictionary, in its order; required columns are not nullable."""
    return pa.schema(
        [
            pa.field(column.name, arrow_type(column.kind), nullable=column.null_ok or not column.required)
            for column in dictionary.columns
        ]
    )
