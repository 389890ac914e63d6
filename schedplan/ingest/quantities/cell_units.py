"""Cells of a table that carry a unit, or whose unit is told by --unit, in the unit of their column. It knows no file.

A plain number is in the unit of the column unless --unit says otherwise; a cell with a unit is converted exactly and counted; what
is neither is left as it is, so that the column refuses it by row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction

import pyarrow as pa

from schedplan.errors import UsageError
from schedplan.ingest.quantities.iso_duration import iso_duration_s
from schedplan.ingest.quantities.memory_size import memory_bytes
from schedplan.ingest.slurm.clock import clock_s
from schedplan.tables.column import Column, Dictionary
from schedplan.tables.raw_file import RawTable
from schedplan.units import QuantityError, exact_duration_s, parse_number

_GIB = 1 << 30
_TIME_UNITS = {"ms": Fraction(1, 1000), "s": Fraction(1), "min": Fraction(60), "h": Fraction(3600), "d": Fraction(86_400)}
_MEMORY_UNITS = {f"{prefix}iB": Fraction(1024**power) for power, prefix in enumerate("KMGT", start=1)}
_MEMORY_UNITS |= {f"{prefix}B": Fraction(1000**power) for power, prefix in enumerate("KMGT", start=1)} | {"B": Fraction(1)}
_CORE_UNITS = {"cores": Fraction(1), "milli": Fraction(1, 1000)}


@dataclass(frozen=True, slots=True)
class _Sort:
    """What a column measures: what its own unit comes to in the base unit, the units that may be told, and cells with one."""

    own: Fraction
    units: dict[str, Fraction]
    parse: Callable[[str], Fraction]


def _duration_s(text: str) -> Fraction:
    for parse in (exact_duration_s, iso_duration_s):
        try:
            return parse(text)
        except QuantityError:
            continue
    if ":" not in text:
        raise QuantityError("a length of time with its unit")
    return clock_s(text)


def _cores(text: str) -> Fraction:
    if not text.endswith("m"):
        raise QuantityError("cores, or thousandths such as 500m")
    return Fraction(str(parse_number(text[:-1]))) / 1000


_SORTS = {
    "min": _Sort(Fraction(60), _TIME_UNITS, _duration_s),
    "ms": _Sort(Fraction(1, 1000), _TIME_UNITS, _duration_s),
    "GiB": _Sort(Fraction(_GIB), _MEMORY_UNITS, memory_bytes),
    "GiB/device": _Sort(Fraction(_GIB), _MEMORY_UNITS, memory_bytes),
    "cores": _Sort(Fraction(1), _CORE_UNITS, _cores),
}


def converted(
    raw: RawTable, dictionary: Dictionary, told: tuple[tuple[str, str], ...]
) -> tuple[RawTable, tuple[tuple[str, int], ...]]:
    """Return the columns in the units of their table, and (what was converted, in how many cells).

    told: (column, unit) of --unit. Raises UsageError for a column without such a unit, or a unit that is none of it.
    """
    units = dict(told)
    for name, unit in units.items():
        _check(name, unit, dictionary)
    columns, phrases = [], []
    for name, values in zip(raw.names, raw.columns, strict=True):
        column = dictionary.find(name)
        sort = _SORTS.get(column.unit) if column is not None else None
        if column is None or sort is None or not pa.types.is_string(values.type):
            columns.append(values)
            continue
        found, count = _column(values, sort, units.get(name))
        columns.append(found)
        if count:
            phrases.append((f"{name} to {column.unit}{f' from {units[name]}' if name in units else ''}", count))
    return RawTable(raw.names, tuple(columns), raw.rows), tuple(phrases)


def _check(name: str, unit: str, dictionary: Dictionary) -> None:
    column = dictionary.find(name)
    sort = _SORTS.get(column.unit) if isinstance(column, Column) else None
    if sort is None:
        measured = [one.name for one in dictionary.columns if one.unit in _SORTS]
        near = get_close_matches(name, measured, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"Columns with a unit: {', '.join(measured) or 'none'}."
        raise UsageError(f"--unit {name}={unit}: the table {dictionary.name} has no such column with a unit", hint=hint)
    if unit not in sort.units:
        raise UsageError(f"--unit {name}={unit}: this is no unit of it", hint=f"Units: {', '.join(sort.units)}.")


def _column(values: pa.Array, sort: _Sort, unit: str | None) -> tuple[pa.Array, int]:
    """Return the cells and how many of them were converted; every distinct text is converted once."""
    encoded = values.dictionary_encode()
    factor = sort.units[unit] / sort.own if unit is not None else None
    texts = encoded.dictionary.to_pylist()
    converted_texts = [_cell(text, sort, factor) for text in texts]
    is_changed = [before != after for before, after in zip(texts, converted_texts, strict=True)]
    if not any(is_changed):
        return values, 0
    indices = encoded.indices
    count = sum(is_changed[idx] for idx in indices.to_pylist() if idx is not None)
    return pa.array(converted_texts, pa.string()).take(indices), count


def _cell(text: str, sort: _Sort, factor: Fraction | None) -> str:
    stripped = text.strip()
    try:
        parse_number(stripped)
    except QuantityError:
        try:
            return _spelled(sort.parse(stripped) / sort.own)
        except QuantityError:
            return text
    return text if factor is None else _spelled(Fraction(stripped) * factor)


def _spelled(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else repr(float(value))
