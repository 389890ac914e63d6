"""Ingest: files as people have them, turned into canonical tables with an account of every row. And the readers there are."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from pathlib import Path
from zoneinfo import ZoneInfo

from schedplan.config.zone import find_zone, nearest_zone
from schedplan.errors import UsageError
from schedplan.ingest.account import Account, FileAccount
from schedplan.ingest.ingest import ingest
from schedplan.ingest.live.live import LiveSource
from schedplan.ingest.reader import ReadOptions, untold
from schedplan.ingest.readers import READERS
from schedplan.ingest.source_paths import ACCOUNT_FILE
from schedplan.model.findings import Severity
from schedplan.report.document import Column, Document, Kind, Notice, Paragraph, Section, SectionRole, Table
from schedplan.report.figures import counted
from schedplan.tables.raw_file import ENCODINGS, TextForm

DEFAULT_FOLDER = Path("data")


def ingest_files(
    paths: tuple[Path, ...],
    out: Path,
    *,
    timezone: str,
    renames: tuple[tuple[str, str], ...],
    reader: str,
    force: bool,
    form: TextForm = TextForm(),  # noqa: B008 - a frozen record
    units: tuple[tuple[str, str], ...] = (),
    tell: Callable[[Path, int], None] = untold,
    live: LiveSource | None = None,
) -> tuple[Account, Document]:
    """Write what files and a live server hold as canonical Parquet, and return the account with its document.

    tell: is called with a large file and how many of its rows are read.

    Raises UsageError for an unknown time zone or reader, InputError, OutputError.
    """
    options = ReadOptions(zone_of(timezone), renames, None, form, units, tell)
    account = ingest(paths, out, options, reader=reader, force=force, live=live)
    return account, account_document(account, out)


def parse_form(delimiter: str | None, encoding: str) -> TextForm:
    """Return how a text is written, as --delimiter and --encoding tell; UsageError for what is neither."""
    sign = {"tab": "\t", "\\t": "\t"}.get(delimiter or "", delimiter)
    if sign is not None and (len(sign) != 1 or sign in '"\r\n' or sign.isalnum()):
        raise UsageError(f"--delimiter {delimiter!r} is no delimiter", hint="Give a single sign such as ';', '|' or tab.")
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        name = ""
    known = next((one for one in ENCODINGS if codecs.lookup(one).name == name), None)
    if known is None:
        raise UsageError(f"--encoding {encoding!r} is not read", hint=f"Encodings: {', '.join(ENCODINGS)}.")
    return TextForm(sign, known)


def parse_units(texts: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return (column of the table, unit) of each `COL=UNIT`; UsageError for another form."""
    return _pairs(texts, "--unit", "COL=UNIT", "--unit runtime_minutes=s")


def parse_renames(texts: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return (column of the file, column of the table) of each `COL=COL`; UsageError for another form."""
    return _pairs(texts, "--map", "COL=COL", "--map their_name=our_name")


def _pairs(texts: tuple[str, ...], flag: str, expected: str, example: str) -> tuple[tuple[str, str], ...]:
    pairs = [tuple(part.strip() for part in text.split("=")) for text in texts]
    for text, pair in zip(texts, pairs, strict=True):
        if len(pair) != 2 or not all(pair):
            raise UsageError(f"{flag} {text!r} is no {expected}", hint=f"Give it as {example}.")
    return tuple((pair[0], pair[1]) for pair in pairs)


def account_document(account: Account, out: Path) -> Document:
    """Return the account as a document: every file with its rows, every table written, and what was noted of each file."""
    rows = counted(sum(table.rows for table in account.tables), "row")
    headline = Paragraph((f"{rows} in {counted(len(account.tables), 'table')} written to {out}.",), is_headline=True)
    whole = Paragraph((f"The whole account stands in {out / ACCOUNT_FILE}.",))
    answer = Section("answer", "", (headline, _files_table(account), _tables_table(account), whole), SectionRole.ANSWER)
    noted = (_noted(number, file) for number, file in enumerate(account.files, start=1) if file.notes or file.warnings)
    return Document(kind="ingest", title="Ingest", sections=(answer, *noted), main_table="files")


def readers_document() -> Document:
    """Return every reader: what it reads, the tables it gives, and what it recognises a file by."""
    columns = (
        Column("reader", "Reader"),
        Column("reads", "Reads"),
        Column("tables", "Gives"),
        Column("recognised_by", "Recognised by"),
    )
    rows = tuple(
        (reader.name, reader.description, ", ".join(reader.tables) or "any table", reader.recognised_by) for reader in READERS
    )
    table = Table(
        "readers", "", columns, rows, "The first that recognises a file reads it; `schedplan ingest --from NAME` chooses one."
    )
    return Document(kind="readers", title="Readers", sections=(Section("answer", "", (table,), SectionRole.ANSWER),))


def zone_of(name: str) -> ZoneInfo:
    """Return the zone that --tz names; UsageError with the nearest name where there is none."""
    zone = find_zone(name)
    if zone is None:
        near = nearest_zone(name)
        hint = f"Did you mean {near}?" if near else "Give a name of the time zone database, such as UTC or Asia/Shanghai."
        raise UsageError(f"--tz: there is no time zone {name!r}", hint=hint)
    return zone


def _files_table(account: Account) -> Table:
    columns = (
        Column("file", "File"),
        Column("reader", "Reader"),
        Column("table", "Table"),
        Column("rows_read", "Rows read", Kind.COUNT),
        Column("rows_kept", "Rows kept", Kind.COUNT),
        Column("rows_written", "Rows written", Kind.COUNT),
        Column("repeats", "Repeats kept", Kind.COUNT),
        Column("dropped", "Dropped"),
        Column("columns_ignored", "Columns ignored", is_detail=True),
    )
    rows = tuple(
        (
            file.path,
            file.reader,
            file.table,
            file.rows_read,
            file.rows_kept,
            file.rows_written,
            len(file.repeats),
            "; ".join(f"{dropped.rows}: {dropped.reason}" for dropped in file.dropped),
            ", ".join(file.columns_ignored),
        )
        for file in account.files
    )
    return Table("files", "", columns, rows)


def _tables_table(account: Account) -> Table:
    columns = (Column("table", "Table"), Column("file", "Written as"), Column("rows", "Rows", Kind.COUNT))
    return Table("tables", "", columns, tuple((table.table, table.file, table.rows) for table in account.tables))


def _noted(number: int, file: FileAccount) -> Section:
    """Return what was noted of one file; its path, with which every note begins, is said once."""
    said = [(Severity.WARNING, text) for text in file.warnings] + [(Severity.NOTE, text) for text in file.notes]
    notices = tuple(Notice(severity, text.removeprefix(f"{file.path}: ")) for severity, text in said)
    return Section(f"notes-{number}", f"Noted of {file.path}", notices)
