"""A document as GitHub-flavoured Markdown. Text from files stays text: no cell, link or tag can come of it.

Charts stand as tables. Tables are shown to a number of rows that people read, and say how many are left.
"""

from __future__ import annotations

import re
from datetime import tzinfo
from zoneinfo import ZoneInfo

from schedplan.model.findings import Severity
from schedplan.report.chart_table import chart_table
from schedplan.report.document import Block, Document, KeyValues, Notice, Paragraph, Section, Table
from schedplan.report.figures import cell_text, column_digits, head_text, written, written_parts
from schedplan.report.verbatim import visible

ROWS_SHOWN = 200

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;", "@": "&#64;"}
_ESCAPED = frozenset("\\`*_[]#~$")
_WWW = re.compile("www[.]", re.IGNORECASE)
_BLOCK_STARTS = ("-", "+", "=")
_MARKS = {Severity.ERROR: "Error", Severity.WARNING: "Warning", Severity.NOTE: "Note"}


def markdown_text(document: Document, rows_shown: int = ROWS_SHOWN) -> str:
    """Return the document as Markdown with a newline at its end; tables cut to `rows_shown` rows, saying so."""
    zone = ZoneInfo(document.timezone)
    lines = [f"# {escaped(document.title)}", "", *_subtitle(document, zone)]
    for section in document.sections:
        lines += _section(section, zone, rows_shown)
    return "\n".join(lines).rstrip("\n") + "\n"


def escaped(text: str) -> str:
    """Return one line of text so that Markdown, and the HTML made of it, shows its characters and does nothing else."""
    inline = "".join(_escaped_character(character) for character in visible(text).strip())
    return _WWW.sub("www&#46;", inline.replace("://", "&#58;//"))


def _escaped_character(character: str) -> str:
    return f"\\{character}" if character in _ESCAPED else _ENTITIES.get(character, character)


def _line(text: str) -> str:
    """Return a line of its own: escaped text that begins no list, rule or heading."""
    line = escaped(text)
    if line.startswith(_BLOCK_STARTS):
        return f"\\{line}"
    digits = len(line) - len(line.lstrip("0123456789"))
    return f"{line[:digits]}\\{line[digits:]}" if digits and line[digits : digits + 1] in (".", ")") else line


def _subtitle(document: Document, zone: tzinfo) -> list[str]:
    badge = f"**{escaped(document.badge)}**" if document.badge else ""
    line = " ".join(part for part in (badge, _line(written_parts(document.subtitle, zone))) if part)
    return [line, ""] if line else []


def _section(section: Section, zone: tzinfo, rows_shown: int) -> list[str]:
    lines = [f"## {escaped(section.title)}", ""] if section.title else []
    for block in section.blocks:
        lines += _block(block, zone, rows_shown)
    return lines


def _block(block: Block, zone: tzinfo, rows_shown: int) -> list[str]:
    match block:
        case Paragraph():
            text = written_parts(block.parts, zone)
            return [f"**{escaped(text)}**" if block.is_headline else _line(text), ""]
        case Notice():
            return [_notice(block), ""]
        case KeyValues():
            return _key_values(block, zone)
        case Table():
            return _table(block, zone, rows_shown)
        case _:
            return _table(chart_table(block), zone, rows_shown)


def _notice(notice: Notice) -> str:
    code = f" {escaped(notice.code)}" if notice.code else ""
    hint = f" {escaped(notice.hint)}" if notice.hint else ""
    return f"> **{_MARKS[notice.severity]}{code}:** {escaped(notice.text)}{hint}"


def _key_values(block: KeyValues, zone: tzinfo) -> list[str]:
    rows = [
        f"| {escaped(entry.label)} | {escaped(written(entry.quantity, zone))} | {escaped(entry.note)} |" for entry in block.entries
    ]
    return [*_title(block.title), "| | | |", "|:--|--:|:--|", *rows, ""]


def _table(table: Table, zone: tzinfo, rows_shown: int) -> list[str]:
    if not table.rows:
        return [*_title(table.title), f"*{escaped(table.empty_text)}*", ""]
    digits = [column_digits(column, cells) for column, cells in zip(table.columns, zip(*table.rows, strict=True), strict=True)]
    lines = _title(table.title) + ([_line(table.caption), ""] if table.caption else [])
    lines.append("| " + " | ".join(escaped(head_text(column)) for column in table.columns) + " |")
    lines.append("|" + "|".join("--:" if column.kind.is_numeric else ":--" for column in table.columns) + "|")
    for row in table.rows[:rows_shown]:
        cells = zip(row, table.columns, digits, strict=True)
        lines.append("| " + " | ".join(escaped(cell_text(cell, column, digit, zone)) for cell, column, digit in cells) + " |")
    left = len(table.rows) - rows_shown
    return [*lines, "", *([f"and {left:,} more rows", ""] if left > 0 else [])]


def _title(title: str) -> list[str]:
    return [f"### {escaped(title)}", ""] if title else []
