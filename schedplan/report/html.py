"""A document as one HTML file that needs nothing else: no network, no other file. Text from files is escaped everywhere.

The drawing library stands in the file once; charts are JSON that it is fed, and each has its numbers as a table beside it.
A content security policy allows the two scripts of the file by their hashes and nothing else to run or load. Styles must be
allowed inline, since the drawing library sets them on what it draws; `unsafe-eval` isn't needed by the charts used here.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from dataclasses import dataclass
from datetime import tzinfo
from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from schedplan.report.chart_table import chart_table
from schedplan.report.charts import Chart, LineChart, SlotChart
from schedplan.report.document import Block, Document, Inline, Quantity, Table
from schedplan.report.figures import cell_text, column_digits, head_text, written
from schedplan.report.json import Json, packed
from schedplan.report.plotly_figures import figure
from schedplan.report.verbatim import visible

ROWS_SHOWN = 500
CHART_ROWS_SHOWN = 200
ROWS_FILTERED = 12
"""From so many rows on a table can be filtered."""

LONGEST_SHORT, LONGEST_PROSE, LONGEST_LONG = 26, 90, 260
WRAPPING_COLUMNS = 2
NO_BREAK_SPACE = "\u00a0"


@dataclass(frozen=True, slots=True)
class _Cell:
    """look: `num`; or of text `short`, which stands on one line, and `prose`, `long` and `essay`, whose columns get ever more room.

    `words` is that of a table of few columns, which need no such room.
    """

    text: str
    look: str


@dataclass(frozen=True, slots=True)
class _Grid:
    """A table as text: heads, rows of cells, and how many rows are left out."""

    heads: tuple[_Cell, ...]
    rows: tuple[tuple[_Cell, ...], ...]
    left: int


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A chart for the drawing library: its figure as JSON, its height in pixels."""

    json: Markup
    height: Json


def html_text(document: Document) -> str:
    """Return the document as HTML with a newline at its end; tables show their first 500 rows and say how many
    are left, the numbers of a chart 200."""
    has_charts = any(isinstance(block, Chart) for block in document.blocks())
    has_long_tables = any(len(table.rows) >= ROWS_FILTERED for table in document.tables())
    drawing = _drawing_library() if has_charts else ""
    names = (("gantt.js", "charts.js") if has_charts else ()) + (("tables.js",) if has_long_tables else ())
    page_script = "\n".join(_asset(name) for name in names)
    zone = ZoneInfo(document.timezone)
    environment = _environment(zone)
    page = environment.get_template("page.html.j2").render(
        document=document,
        style=Markup(_asset("page.css")),
        drawing=Markup(drawing),
        page_script=Markup(page_script),
        policy=_policy(tuple(script for script in (drawing, page_script) if script)),
    )
    return page.rstrip("\n") + "\n"


def _environment(zone: tzinfo) -> Environment:
    environment = Environment(
        loader=PackageLoader("schedplan.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalized,
    )
    environment.globals.update(
        kind_of=_kind_of,
        zip=zip,
        written=lambda quantity: written(quantity, zone),
        running=lambda parts: _running(parts, zone),
        grid=lambda table, most: _grid(table, zone, most),
        rows_shown=ROWS_SHOWN,
        chart_rows_shown=CHART_ROWS_SHOWN,
        rows_filtered=ROWS_FILTERED,
        chart_table=chart_table,
        drawn=lambda chart: _drawn(chart, zone),
        figure_parts=lambda quantity: _figure_parts(quantity, zone),
        widths=_widths,
    )
    return environment


def _finalized(value: object) -> object:
    """Spell out control characters of every text on its way into the page."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _kind_of(block: Block) -> str:
    return "chart" if isinstance(block, Chart) else block.block_type


def _running(parts: tuple[Inline, ...], zone: tzinfo) -> str:
    """Return running text whose quantities don't break over lines."""
    return "".join(visible(part) if isinstance(part, str) else written(part, zone).replace(" ", NO_BREAK_SPACE) for part in parts)


def _figure_parts(quantity: Quantity, zone: tzinfo) -> tuple[str, str]:
    """Return a quantity as its figure and its unit, which is set smaller."""
    text = written(quantity, zone)
    ending = f" {visible(quantity.unit)}"
    return (text.removesuffix(ending), ending) if quantity.unit and text.endswith(ending) else (text, "")


def _widths(blocks: tuple[Block, ...]) -> list[str]:
    """Return `half` for small charts that follow one another in pairs, else `wide`."""
    widths: list[str] = []
    following_blocks: tuple[Block | None, ...] = (*blocks[1:], None)
    for block, following in zip(blocks, following_blocks, strict=False):
        if widths and widths[-1] == "first half":
            widths.append("half")
        elif _is_small(block) and _is_small(following):
            widths.append("first half")
        else:
            widths.append("wide")
    return [width.removeprefix("first ") for width in widths]


def _is_small(block: Block | None) -> bool:
    return isinstance(block, SlotChart) or (isinstance(block, LineChart) and not block.bands)


def _grid(table: Table, zone: tzinfo, most: int) -> _Grid:
    digits = _digits_of_columns(table)
    texts = [
        [cell_text(cell, column, digit, zone) for cell, column, digit in zip(row, table.columns, digits, strict=True)]
        for row in table.rows[:most]
    ]
    looks = [_look(table, idx, max((len(row[idx]) for row in texts), default=0)) for idx in range(len(table.columns))]
    heads = tuple(_Cell(head_text(column), look) for column, look in zip(table.columns, looks, strict=True))
    rows = tuple(tuple(_Cell(text, look) for text, look in zip(row, looks, strict=True)) for row in texts)
    return _Grid(heads, rows, max(len(table.rows) - most, 0))


def _look(table: Table, idx: int, longest: int) -> str:
    if table.columns[idx].kind.is_numeric:
        return "num"
    if longest <= LONGEST_SHORT:
        return "short"
    if len(table.columns) <= WRAPPING_COLUMNS:
        return "words"
    return "prose" if longest <= LONGEST_PROSE else "long" if longest <= LONGEST_LONG else "essay"


def _digits_of_columns(table: Table) -> list[int | None]:
    return [column_digits(column, [row[idx] for row in table.rows]) for idx, column in enumerate(table.columns)]


def _drawn(chart: Chart, zone: tzinfo) -> _Drawn:
    """Return a figure as JSON that can't end its script element: `<`, `>` and `&` are spelled as escapes, the rest is ASCII."""
    form = figure(chart, zone)
    text = packed(form).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    layout = form["layout"]
    return _Drawn(Markup(text), layout.get("height") if isinstance(layout, dict) else None)


def _policy(scripts: tuple[str, ...]) -> str:
    hashes = " ".join(f"'sha256-{b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" for script in scripts) or "'none'"
    return f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


@cache
def _drawing_library() -> str:
    """Return plotly.js 4.1.1, the bundle of its basic charts: npm package plotly.js-basic-dist-min, MIT licence."""
    return _asset("plotly-basic.min.js").replace("\r", "\n")


@cache
def _asset(name: str) -> str:
    return (files("schedplan.report") / "templates" / name).read_text("utf-8").replace("\r\n", "\n")
