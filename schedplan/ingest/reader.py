"""What a reader is: it tells by a file's beginning whether it can read it, and reads it as tables. It knows no source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Protocol

from schedplan.tables.raw_file import TextForm
from schedplan.tables.read import TableFile


def untold(path: Path, n_rows: int) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """zone: of times without an offset. renames: (column of the file, column of the table) pairs. table: None = recognised.

    form: delimiter and encoding, where they are told. units: (column of the table, unit) pairs, where they are told.
    tell: is called with a large file and how many of its rows are read.
    """

    zone: tzinfo = UTC
    renames: tuple[tuple[str, str], ...] = ()
    table: str | None = None
    form: TextForm = TextForm()  # noqa: RUF009 - a frozen record
    units: tuple[tuple[str, str], ...] = ()
    tell: Callable[[Path, int], None] = untold


class Reader(Protocol):
    """Turns files of one source into canonical tables. The properties are what `schedplan readers` prints.

    tables: those it can give; empty: any. recognised_by: what `sniff` looks at, in words.
    """

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def tables(self) -> tuple[str, ...]: ...

    @property
    def recognised_by(self) -> str: ...

    def sniff(self, path: Path) -> bool:
        """Return whether the file looks like this source; never raises for its content."""
        ...

    def read(self, path: Path, options: ReadOptions) -> tuple[TableFile, ...]:
        """Return the tables in the file; InputError with all its faults."""
        ...
