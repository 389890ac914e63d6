"""Ingest: files as people have them, turned into canonical tables with an account of every row."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

from schedplan.errors import UsageError
from schedplan.ingest.account import Account
from schedplan.ingest.ingest import ingest
from schedplan.ingest.reader import ReadOptions
from schedplan.model.findings import Severity
from schedplan.report.document import Column, Document, Kind, Notice, Paragraph, Section, SectionRole, Table

DEFAULT_FOLDER = Path("data")


def ingest_files(
    paths: tuple[Path, ...], out: Path, *, timezone: str, renames: tuple[tuple[str, str], ...], reader: str, force: bool
) -> tuple[Account, Document]:
    """Write what files hold as canonical Parquet, and return the account with its document. Raises InputError, OutputError."""
    account = ingest(paths, out, ReadOptions(ZoneInfo(timezone), renames, None), reader=reader, force=force)
    return account, account_document(account, out)


def parse_renames(texts: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return (column of the file, column of the table) of each `COL=COL`; UsageError for another form."""
    pairs = [tuple(part.strip() for part in text.split("=")) for text in texts]
    for text, pair in zip(texts, pairs, strict=True):
        if len(pair) != 2 or not all(pair):
            raise UsageError(f"--map {text!r} is no COL=COL", hint="Give it as --map their_name=our_name.")
    return tuple((pair[0], pair[1]) for pair in pairs)


def account_document(account: Account, out: Path) -> Document:
    """Return the account as a document: every file with its rows, every table written, and what was noted."""
    total = sum(table.rows for table in account.tables)
    headline = Paragraph((f"{total} rows in {len(account.tables)} tables written to {out}.",), is_headline=True)
    files = Table(
        "files",
        "",
        (
            Column("file", "File"),
            Column("reader", "Reader"),
            Column("table", "Table"),
            Column("rows_read", "Rows read", Kind.COUNT),
            Column("rows_kept", "Rows kept", Kind.COUNT),
            Column("dropped", "Dropped"),
        ),
        tuple(
            (
                file.path,
                file.reader,
                file.table,
                file.rows_read,
                file.rows_kept,
                "; ".join(f"{dropped.rows}: {dropped.reason}" for dropped in file.dropped),
            )
            for file in account.files
        ),
    )
    notes = tuple(Notice(Severity.NOTE, note) for file in account.files for note in file.notes)
    sections = [Section("answer", "", (headline, files), SectionRole.ANSWER)]
    if notes:
        sections.append(Section("notes", "What was noted", notes))
    return Document(kind="ingest", title="Ingest", sections=tuple(sections))
