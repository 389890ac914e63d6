"""The account of an ingestion: what became of every row, default and column, and its JSON. It reads and writes no file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

KIND = "ingest"
SCHEMA_VERSION = "1.1"


@dataclass(frozen=True, slots=True)
class Dropped:
    """Rows that were left out, and why."""

    reason: str
    rows: int


@dataclass(frozen=True, slots=True)
class Repeat:
    """A row that says what an earlier row of its file says, and was kept all the same. Rows as a person counts them."""

    row: int
    of_row: int


@dataclass(frozen=True, slots=True)
class FileAccount:
    """One table out of one source file. rows_read = rows_kept + all dropped; repeats are among the kept.

    A row of the source may give several rows of the table (the tasks of an array): rows_written counts those. conversions: what
    became of values, and of how many.
    """

    path: str
    reader: str
    table: str
    sha256: str
    rows_read: int
    rows_kept: int
    dropped: tuple[Dropped, ...]
    columns_ignored: tuple[str, ...]
    notes: tuple[str, ...]
    repeats: tuple[Repeat, ...] = ()
    warnings: tuple[str, ...] = ()
    rows_written: int = 0
    conversions: tuple[str, ...] = ()
    currency: str | None = None


@dataclass(frozen=True, slots=True)
class DefaultApplied:
    """A column whose empty cells mean its default: in how many rows, and what."""

    column: str
    default: str
    rows: int


@dataclass(frozen=True, slots=True)
class TableAccount:
    """One table that was written. sha256: over its canonical content, the same for the file and for its sources."""

    table: str
    file: str
    rows: int
    sha256: str
    defaults: tuple[DefaultApplied, ...]


@dataclass(frozen=True, slots=True)
class Account:
    """The whole of one ingestion, files in the order in which they were given, tables in that of their dictionaries."""

    files: tuple[FileAccount, ...]
    tables: tuple[TableAccount, ...]

    def json_text(self) -> str:
        """Return the account as JSON with sorted keys, the content of ingest.json."""
        document = {"kind": KIND, "schema_version": SCHEMA_VERSION, **asdict(self)}
        return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
