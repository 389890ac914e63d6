"""Which table a file is: by its name, else by its columns. It reads nothing."""

from __future__ import annotations

from pathlib import Path

from schedplan.tables.catalog import ALL_TABLES, find_dictionary
from schedplan.tables.column import Dictionary
from schedplan.tables.raw_file import JSON_LINES_SUFFIXES, PACKED_SUFFIXES, TAB_SUFFIXES

_TEXT_SUFFIXES = (".csv", *TAB_SUFFIXES, *JSON_LINES_SUFFIXES)
SUFFIXES = (*(f"{text}{packed}" for text in _TEXT_SUFFIXES for packed in ("", *PACKED_SUFFIXES)), ".parquet")
SINGLE_SERIES = frozenset({"timestamp", "utilization"})


def stem_of(path: Path) -> str:
    """Return the name of a file without the suffixes of a table."""
    for suffix in SUFFIXES:
        if path.name.lower().endswith(suffix):
            return path.name[: -len(suffix)]
    return path.name


def has_table_suffix(path: Path) -> bool:
    """Return whether a file's name ends as that of a table."""
    return path.name.lower().endswith(SUFFIXES)


def by_name(path: Path) -> Dictionary | None:
    """Return the table that a file is named after, None where it is named otherwise."""
    return find_dictionary(stem_of(path).lower())


def by_columns(names: tuple[str, ...]) -> tuple[Dictionary, ...]:
    """Return the tables that columns may be: all required columns are there, and no other such table knows more of them.

    One entry is an answer, several are a tie, none is no table.
    """
    if set(names) == SINGLE_SERIES:
        return tuple(table for table in ALL_TABLES if table.name == "load")
    able = [table for table in ALL_TABLES if set(table.required_names) <= set(names) and _has_either(table, names)]
    known = [len(set(table.column_names) & set(names)) for table in able]
    most = max(known, default=0)
    return tuple(table for table, count in zip(able, known, strict=True) if count == most)


def _has_either(table: Dictionary, names: tuple[str, ...]) -> bool:
    return table.either is None or bool(set(table.either) & set(names))
