"""A document on a terminal, or as plain text where there is none. Text from files is shown character by character, never as markup.

On a terminal tables fit its width, long ones are cut with a word on it, and detail is left out unless asked for. Off a terminal
nothing is cut: every table has its full width and all its rows, so that other programs can read it.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Literal
from zoneinfo import ZoneInfo

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table as RichTable
from rich.text import Text

from schedplan.model.findings import Severity
from schedplan.report.chart_table import chart_table
from schedplan.report.charts import Chart, LineChart, PointChart, SlotChart, Waterfall
from schedplan.report.document import Block, Document, KeyValues, Kind, Notice, Paragraph, Section, SectionRole, Table, Tone
from schedplan.report.figures import cell_text, column_digits, head_text, written, written_parts
from schedplan.report.text_charts import columns_of, gantt_lines, point_lines, slot_lines, sparklines, waterfall_lines
from schedplan.report.verbatim import visible

UNBOUNDED = 10_000
ROWS_ON_A_TERMINAL = 30
LEAST_WIDTH = 40
LONGEST_WHOLE_WORD = 18
COLUMN_GAP = 2
CHART_WIDTH_OFF_A_TERMINAL = 100

_OFFSET_AT = len("2026-12-01 00:00")

_WAITING = (SectionRole.MORE, SectionRole.DETAIL)
_TONES = {Tone.NEUTRAL: "bold", Tone.GOOD: "bold green", Tone.CAUTION: "bold yellow", Tone.BAD: "bold red"}
_SEVERITIES = {Severity.ERROR: ("error", "bold red"), Severity.WARNING: ("warning", "bold yellow"), Severity.NOTE: ("note", "dim")}
_PLAIN_SIGNS = str.maketrans(
    {
        **dict.fromkeys("─━", "-"),
        **dict.fromkeys("“”", '"'),
        **dict(zip("▁▂▃▄▅▆▇", "__.:-=+", strict=True)),
        **dict(zip("█▓▒▚▞▤░", "#%+oxz~", strict=True)),
        "│": "|",
        "–": "-",
        "…": "~",
        "·": ".",
        "×": "x",
    }
)
_GROUP_STYLES = ("blue", "cyan", "magenta", "green", "yellow", "red")


@dataclass(frozen=True, slots=True)
class TerminalOptions:
    """width: columns of the terminal, None = no terminal. color: whether escape codes for colour may be written.

    is_wide: show detail columns, detail sections and all rows on a terminal too. is_unicode: whether lines and blocks can be
    shown; plain ASCII otherwise.
    """

    width: int | None = None
    color: bool = False
    is_wide: bool = False
    is_unicode: bool = True

    @property
    def shows_all(self) -> bool:
        return self.is_wide or self.width is None

    @property
    def chart_width(self) -> int:
        return CHART_WIDTH_OFF_A_TERMINAL if self.width is None else max(self.width, LEAST_WIDTH)


def terminal_text(document: Document, options: TerminalOptions = TerminalOptions()) -> str:
    """Return the document as text with a newline at its end; with escape codes only where `options.color` allows them."""
    zone = ZoneInfo(document.timezone)
    parts: list[RenderableType] = [_title(document, zone)]
    waiting = [section for section in document.sections if section.role in _WAITING and not options.shows_all]
    for section in document.sections:
        if section not in waiting:
            parts += _section(section, zone, options)
    if waiting:
        titles = ", ".join(visible(section.title) for section in waiting)
        parts += [Text(""), Text(f"With -o wide also: {titles}.", style="dim")]
    text = _printed(parts, options)
    return text if options.is_unicode else _ascii(text)


def _printed(parts: list[RenderableType], options: TerminalOptions) -> str:
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=max(options.width or UNBOUNDED, LEAST_WIDTH),
        force_terminal=options.color,
        color_system="standard" if options.color else None,
        no_color=not options.color,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
        _environ={},
    )
    for part in parts:
        console.print(part, crop=False)
    return "\n".join(line.rstrip() for line in stream.getvalue().split("\n")).strip("\n") + "\n"


def _title(document: Document, zone: tzinfo) -> Text:
    text = Text(visible(document.title), style="bold")
    if document.badge:
        text.append("  ")
        text.append(visible(document.badge), style=_TONES[document.badge_tone])
    if document.subtitle:
        text.append("\n")
        text.append(written_parts(document.subtitle, zone), style="not bold dim")
    return text


def _section(section: Section, zone: tzinfo, options: TerminalOptions) -> list[RenderableType]:
    head: list[RenderableType] = [Text("")]
    if section.role is not SectionRole.ANSWER:
        head.append(Text(visible(section.title), style="bold underline" if options.color else "bold"))
    blocks: list[RenderableType] = []
    for idx, block in enumerate(section.blocks):
        blocks += [Text("")] if idx and not _follows_closely(section.blocks[idx - 1], block) else []
        blocks.append(_block(block, zone, options))
    return [*head, *blocks]


def _follows_closely(before: Block, block: Block) -> bool:
    return isinstance(before, Notice) and isinstance(block, Notice)


def _block(block: Block, zone: tzinfo, options: TerminalOptions) -> RenderableType:
    match block:
        case Paragraph():
            return Text(written_parts(block.parts, zone), style="bold" if block.is_headline else "")
        case Notice():
            return _notice(block)
        case KeyValues():
            return _key_values(block, zone)
        case Table():
            return _titled(block.title, _table(block, zone, options))
        case _:
            return _chart(block, zone, options)


def _notice(notice: Notice) -> Text:
    word, style = _SEVERITIES[notice.severity]
    text = Text(f"{word}: ", style=style)
    if notice.code:
        text.append(f"{visible(notice.code)} ", style="not bold")
    text.append(visible(notice.text), style="default not bold not dim")
    if notice.hint:
        text.append(f" {visible(notice.hint)}", style="default not bold dim")
    return text


def _key_values(block: KeyValues, zone: tzinfo) -> RenderableType:
    table = RichTable.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(justify="right", overflow="fold")
    table.add_column(overflow="fold")
    for entry in block.entries:
        figure = Text(written(entry.quantity, zone), style=_TONES[entry.tone])
        table.add_row(Text(visible(entry.label)), figure, Text(visible(entry.note), style="dim"))
    return _titled(block.title, table)


def _table(table: Table, zone: tzinfo, options: TerminalOptions) -> RenderableType:
    if not table.rows:
        return Text(visible(table.empty_text), style="dim")
    kept = [idx for idx, column in enumerate(table.columns) if options.shows_all or not column.is_detail]
    rows = len(table.rows) if options.shows_all else min(len(table.rows), ROWS_ON_A_TERMINAL)
    columns = tuple(_column_text(table, idx, rows, zone, options) for idx in kept)
    below = _below(table, len(table.rows) - rows)
    if options.shows_all or options.width is None:
        return Group(_Uncut(columns), *below)
    widths = _fitting_widths(columns, max(options.width, LEAST_WIDTH))
    return Group(_stacked(columns) if widths is None else _aligned(columns, widths), *below)


@dataclass(frozen=True, slots=True)
class _Uncut:
    """A table at its natural width, whatever the width of the terminal; laid out here, since it may have very many rows."""

    columns: tuple[_ColumnText, ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        widths = [column.natural_width for column in self.columns]
        rule = "─" * (sum(widths) + COLUMN_GAP * (len(widths) - 1))
        yield Segment(self._line([column.head for column in self.columns], widths), console.get_style("bold"))
        yield Segment(f"\n{rule}\n")
        for cells in zip(*(column.cells for column in self.columns), strict=True):
            yield Segment(self._line(cells, widths) + "\n")

    def _line(self, cells: Sequence[str], widths: list[int]) -> str:
        padded = []
        for cell, width, column in zip(cells, widths, self.columns, strict=True):
            blanks = " " * (width - columns_of(cell))
            padded.append(blanks + cell if column.is_numeric else cell + blanks)
        return (" " * COLUMN_GAP).join(padded)


def _aligned(columns: tuple[_ColumnText, ...], widths: list[int]) -> RichTable:
    table = RichTable(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for column, width in zip(columns, widths, strict=True):
        side: Literal["left", "right"] = "right" if column.is_numeric else "left"
        table.add_column(Text(column.head), justify=side, overflow="fold", min_width=width, max_width=width)
    for cells in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*(Text(cell) for cell in cells))
    return table


def _stacked(columns: tuple[_ColumnText, ...]) -> RenderableType:
    """Return the rows one below the other, a line per cell: what is left where columns would be too narrow to read."""
    records: list[RenderableType] = []
    for cells in zip(*(column.cells for column in columns), strict=True):
        record = RichTable.grid(padding=(0, 2))
        record.add_column(no_wrap=True)
        record.add_column(overflow="fold")
        for column, cell in zip(columns, cells, strict=True):
            record.add_row(Text(column.head, style="dim"), Text(cell))
        records += [record, Text("")]
    return Group(*records[:-1])


@dataclass(frozen=True, slots=True)
class _ColumnText:
    """A column as text. Numbers and times are never broken over lines, words only where they are long."""

    head: str
    cells: tuple[str, ...]
    is_numeric: bool
    is_rigid: bool

    @property
    def natural_width(self) -> int:
        return max(map(columns_of, (self.head, *self.cells)))

    def least_width(self, longest_whole_word: int) -> int:
        head = max(map(columns_of, self.head.split(" ")))
        if self.is_rigid:
            return max(head, *map(columns_of, self.cells))
        words = (word for cell in self.cells for word in cell.split(" "))
        return max(head, min(longest_whole_word, max(map(columns_of, words), default=0)))


def _fitting_widths(columns: tuple[_ColumnText, ...], width: int) -> list[int] | None:
    """Return the widths of columns that fit, the one that breaks into most lines being given room first; None where none fit."""
    width -= COLUMN_GAP * (len(columns) - 1)
    longest_words = (width // 3, LONGEST_WHOLE_WORD)
    least = ([column.least_width(longest) for column in columns] for longest in longest_words)
    widths = next((found for found in least if sum(found) <= width), None)
    if widths is None:
        return None
    natural = [column.natural_width for column in columns]
    for _ in range(min(width, sum(natural)) - sum(widths)):
        idx = max(range(len(widths)), key=lambda idx: natural[idx] / max(widths[idx], 1))
        widths[idx] += 1
    return widths


def _column_text(table: Table, idx: int, rows: int, zone: tzinfo, options: TerminalOptions) -> _ColumnText:
    """Return a column as text; on a terminal an offset that all its times share stands in the head alone."""
    column = table.columns[idx]
    digits = column_digits(column, [row[idx] for row in table.rows])
    cells = tuple(cell_text(row[idx], column, digits, zone) for row in table.rows[:rows])
    head = head_text(column)
    if column.kind is Kind.INSTANT and options.width is not None:
        offsets = sorted({cell[_OFFSET_AT:] for cell in cells} - {""})
        if len(offsets) == 1:
            head, cells = f"{head}, {offsets[0]}", tuple(cell[:_OFFSET_AT] for cell in cells)
    return _ColumnText(head, cells, column.kind.is_numeric, column.kind.is_numeric or column.kind is Kind.INSTANT)


def _below(table: Table, left: int) -> list[Text]:
    lines = [f"and {left:,} more rows; all of them with -o wide"] if left else []
    return [Text(visible(line), style="dim") for line in (*lines, table.caption) if line]


def _chart(chart: Chart, zone: tzinfo, options: TerminalOptions) -> RenderableType:
    if options.width is None:
        return _titled(chart.title, _table(chart_table(chart), zone, options))
    match chart:
        case LineChart():
            drawn = sparklines(chart, zone, options.chart_width)
        case SlotChart():
            drawn = slot_lines(chart, zone, options.chart_width)
        case Waterfall():
            drawn = waterfall_lines(chart, options.chart_width)
        case PointChart():
            drawn = point_lines(chart, options.chart_width)
        case _:
            drawn = gantt_lines(chart, zone, options.chart_width)
    lines: list[RenderableType] = []
    for line in drawn:
        text = Text(no_wrap=True)
        for words, style in line:
            text.append(words, style=_GROUP_STYLES[style % len(_GROUP_STYLES)] if style is not None else "")
        lines.append(text)
    return _titled(chart.title, Group(*lines, Text(visible(chart.caption), style="dim")))


def _titled(title: str, content: RenderableType) -> RenderableType:
    return Group(Text(visible(title), style="bold"), content) if title else content


def _ascii(text: str) -> str:
    """Return text in ASCII: lines and blocks by their nearest sign, other characters by their escape."""
    return text.translate(_PLAIN_SIGNS).encode("ascii", "backslashreplace").decode("ascii")
