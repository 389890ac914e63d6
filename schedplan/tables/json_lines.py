"""A file of JSON Lines as columns of text: a flat mapping per line, numbers as they are written. It knows no column."""

from __future__ import annotations

from array import array
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from schedplan.tables.csv_file import text_lines
from schedplan.tables.faults import Code, FaultList
from schedplan.tables.raw_file import MAX_CELLS, MAX_COLUMNS, RawTable, refuse
from schedplan.tables.strict_json import JsonError, strict_json


class _LineError(ValueError):
    """What is wrong with one line."""


def read_json_lines(stream: BinaryIO, encoding: str, faults: FaultList) -> RawTable:
    """Return a column per key in the order of first sight; a line without a key has an empty cell there, as has one with null.

    Faults of lines are noted: no mapping, a key twice, a list or a mapping as a value, NaN. Blank lines are passed over.
    """
    rows: list[dict[str, str]] = []
    numbers = array("q")
    names: dict[str, None] = {}
    for number, line in enumerate(text_lines(stream, encoding, faults), start=1):
        if not line.strip():
            continue
        try:
            row = _row(line)
        except _LineError as problem:
            faults.add(Code.CELL, str(problem), row=number, expected="a flat mapping")
            continue
        rows.append(row)
        numbers.append(number)
        names.update(dict.fromkeys(row))
        if len(names) > MAX_COLUMNS:
            refuse(faults, Code.TOO_LARGE, f"more than {MAX_COLUMNS} different keys", number)
        if len(rows) * len(names) > MAX_CELLS:
            refuse(faults, Code.TOO_LARGE, f"more than {MAX_CELLS} cells ({len(rows)} rows and still more)", number)
    if not rows and not faults.faults:
        refuse(faults, Code.UNREADABLE, "the file has no line", hint='Each line is a mapping such as {"job": "a"}.')
    columns = tuple(pa.array([row.get(name, "") for row in rows], pa.string()) for name in names)
    return RawTable(tuple(names), columns, np.array(numbers, dtype=np.int64))


def _row(line: str) -> dict[str, str]:
    try:
        found = strict_json(line, numbers_as_texts=True)
    except JsonError as problem:
        raise _LineError(problem.message) from None
    if not isinstance(found, dict):
        raise _LineError("the line is no mapping")
    return {name.strip(): _text(name, value) for name, value in found.items()}


def _text(name: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    raise _LineError(f"the value of {name} is a list or a mapping")
