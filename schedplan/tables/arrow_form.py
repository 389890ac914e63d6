"""The Arrow form of a table: one strict type per kind of column. Lists and quantities stay text in their canonical spelling."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

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


def flat_numbers(values: pa.Array) -> NDArray[np.float64] | NDArray[np.int64] | NDArray[np.int32]:
    """Return the numbers of a float64, int64 or int32 array without null, not copied. (to_numpy would import pandas first.)"""
    dtype = np.dtype(str(values.type).replace("double", "float64"))
    data = values.buffers()[1]
    if data is None or not len(values):
        return np.zeros(0, dtype=dtype)
    return np.frombuffer(data, dtype=dtype)[values.offset : values.offset + len(values)]
