"""One table of a document as CSV that no spreadsheet takes for formulas. Numbers stay numbers, instants are UTC ISO 8601."""

from __future__ import annotations

from schedplan.report.document import Cell, Document, Kind, Table
from schedplan.report.verbatim import visible
from schedplan.timegrid import format_instant

_FORMULA_STARTS = tuple("=+-@\t\r\n＝＋－＠")
_SPLITTING = frozenset(',"\r\n')
_SKIPPED_BEFORE_FORMULAS = "\"' \t\r\n"


def csv_text(document: Document, *, guards_formulas: bool = True) -> str:
    """Return the main table of a document as CSV, one line of column keys first; empty where it has no table.

    A text that a spreadsheet would run is prefixed with `'`, unless `guards_formulas` is off for an exact round trip.
    Line breaks inside a text stay, quoted; other control characters are spelled out.
    """
    table = main_table(document)
    return "" if table is None else table_csv(table, guards_formulas=guards_formulas)


def main_table(document: Document) -> Table | None:
    """Return the table that stands for the document: the one it names, else its first, else the spare one."""
    tables = document.tables()
    if document.main_table is None:
        return tables[0] if tables else document.spare_table
    return next(table for table in tables if table.block_id == document.main_table)


def table_csv(table: Table, *, guards_formulas: bool = True) -> str:
    """Return one table as CSV with lines ending in a newline."""
    lines = [[_quoted(_text(column.key, guards_formulas)) for column in table.columns]]
    for row in table.rows:
        lines.append([_field(cell, column.kind, guards_formulas) for cell, column in zip(row, table.columns, strict=True)])
    return "".join(",".join(line) + "\n" for line in lines)


def _field(cell: Cell, kind: Kind, guards_formulas: bool) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return _quoted(_text(cell, guards_formulas))
    if kind is Kind.INSTANT:
        return format_instant(int(cell))
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return f"{cell:.12g}" if isinstance(cell, float) else str(cell)


def _text(text: str, guards_formulas: bool) -> str:
    shown = "".join(character if character in "\t\r\n" else visible(character) for character in text)
    return f"'{shown}" if guards_formulas and _may_run(text) else shown


def _quoted(text: str) -> str:
    """Quote what a reader might split, a lone carriage return too, which the standard writer leaves bare."""
    if not text or _SPLITTING.isdisjoint(text):
        return text
    return '"' + text.replace('"', '""') + '"'


def _may_run(text: str) -> bool:
    return text.startswith(_FORMULA_STARTS) or text.lstrip(_SKIPPED_BEFORE_FORMULAS).startswith(_FORMULA_STARTS)
