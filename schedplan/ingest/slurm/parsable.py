"""Rows that a command of Slurm separates by bars: with or without header, a bar at the end, and bars inside free text.

Slurm does not quote. A row with too many bars is put right only where exactly one reading of its other columns is possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement

from schedplan.tables.faults import Code, FaultList

BAR = "|"
_MOST_EXTRA = 6
_MOST_FREE = 6


@dataclass(frozen=True, slots=True)
class BarRow:
    """One row: its line in the file, and its cells in the order of the columns."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BarTable:
    """Columns and rows. mended: lines whose bars inside a text were told from those between columns."""

    names: tuple[str, ...]
    rows: tuple[BarRow, ...]
    mended: tuple[int, ...]


def bar_table(
    lines: list[str],
    names: tuple[str, ...],
    has_header: bool,
    free: tuple[str, ...],
    is_right: Callable[[dict[str, str]], bool],
    used: tuple[str, ...],
    faults: FaultList,
) -> BarTable:
    """Return the rows of a file; a fault for each line that has too few or too many fields.

    free: columns that may hold a bar. is_right: whether the cells of a row can be what their columns say. used: the columns that
    matter; readings that agree on them are one.
    """
    rows: list[BarRow] = []
    mended: list[int] = []
    first = 1 if has_header else 0
    width = len(names)
    for number, line in enumerate(lines[first:], start=first + 1):
        if not line.strip():
            continue
        fields = line.split(BAR)
        if len(fields) == width + 1 and fields[-1].strip() == "":
            fields = fields[:-1]
        if len(fields) > width:
            found = _mended(fields, names, free, is_right, used)
            if found is not None:
                mended.append(number)
                fields = found
        if len(fields) == width:
            rows.append(BarRow(number, tuple(fields)))
        else:
            _ragged(faults, number, len(fields), width)
    return BarTable(names, tuple(rows), tuple(mended))


def header_of(line: str) -> tuple[str, ...]:
    """Return the fields of a header, without the empty one after a bar at the end."""
    names = [name.strip() for name in line.split(BAR)]
    return tuple(names[:-1] if names and names[-1] == "" else names)


def _mended(
    fields: list[str],
    names: tuple[str, ...],
    free: tuple[str, ...],
    is_right: Callable[[dict[str, str]], bool],
    used: tuple[str, ...],
) -> list[str] | None:
    """Return the one reading of a row with too many fields, None where there is none or more than one."""
    found: dict[tuple[str, ...], list[str]] = {}
    for reading in _readings(fields, names, free):
        cells = dict(zip(names, reading, strict=True))
        if is_right(cells):
            found.setdefault(tuple(cells.get(name, "") for name in used), reading)
    return next(iter(found.values())) if len(found) == 1 else None


def _readings(fields: list[str], names: tuple[str, ...], free: tuple[str, ...]) -> Iterator[list[str]]:
    """Yield every way to give the extra fields to the columns that may hold a bar."""
    places = [idx for idx, name in enumerate(names) if name in free][:_MOST_FREE]
    trimmed = fields[:-1] if fields[-1].strip() == "" else fields
    for whole in (fields, trimmed) if trimmed is not fields else (fields,):
        extra = len(whole) - len(names)
        if 0 <= extra <= _MOST_EXTRA:
            for chosen in combinations_with_replacement(places, extra):
                yield _joined(whole, len(names), {place: chosen.count(place) for place in chosen})


def _joined(fields: list[str], width: int, extra: dict[int, int]) -> list[str]:
    cells, at = [], 0
    for idx in range(width):
        n = 1 + extra.get(idx, 0)
        cells.append(BAR.join(fields[at : at + n]))
        at += n
    return cells


def _ragged(faults: FaultList, line: int, n_fields: int, width: int) -> None:
    is_few = n_fields < width
    hint = None if is_few else "A text with a bar in it can't be told apart here; leave that column out of the command's format."
    faults.add(
        Code.RAGGED,
        f"the line has too {'few' if is_few else 'many'} fields",
        row=line,
        seen=f"{n_fields} fields",
        expected=f"{width}, as in the header",
        hint=hint,
    )
