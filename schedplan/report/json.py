"""A document as JSON: sorted keys, twelve figures of every float, instants as UTC ISO 8601. The same bytes on every machine.

`facts` of the document stand at the top level, beside `kind`, `schema_version`, `title` and the sections.
"""

from __future__ import annotations

import json
from math import isfinite

from schedplan.report.charts import Band, Bar, Chart, ChartPoint, Gantt, Line, LineChart, PointChart, SlotChart, Step, Waterfall
from schedplan.report.document import (
    Block,
    Cell,
    Document,
    Entry,
    Facts,
    FactValue,
    Inline,
    KeyValues,
    Kind,
    Notice,
    Paragraph,
    Quantity,
    Section,
    Table,
)
from schedplan.timegrid import format_instant

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

FIGURES = 12


def json_text(document: Document) -> str:
    """Return the document as JSON with a newline at its end."""
    return serialized(json_form(document))


def json_form(document: Document) -> dict[str, Json]:
    """Return the document as plain JSON values."""
    form: dict[str, Json] = {
        "kind": document.kind,
        "schema_version": document.schema_version,
        "title": document.title,
        "timezone": document.timezone,
        "sections": [_section(section) for section in document.sections],
    }
    for name, value in document.facts.items:
        if name in form:
            raise ValueError(f"the fact {name} would hide the {name} of the document")
        form[name] = _fact(value)
    return form


def serialized(value: Json) -> str:
    """Return a JSON value as text: keys sorted, floats to twelve figures; ValueError for a float that is not finite."""
    return json.dumps(_fixed(value), sort_keys=True, indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def packed(value: Json) -> str:
    """Return the same in one line without blanks, for programs alone."""
    return json.dumps(_fixed(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def _fixed(value: Json) -> Json:
    if isinstance(value, float):
        if not isfinite(value):
            raise ValueError(f"{value} has no JSON form")
        return float(f"{value:.{FIGURES}g}") + 0.0
    if isinstance(value, list):
        return [_fixed(item) for item in value]
    if isinstance(value, dict):
        return {name: _fixed(item) for name, item in value.items()}
    return value


def _fact(value: FactValue) -> Json:
    if isinstance(value, Quantity):
        return _cell(value.value, value.kind)
    if isinstance(value, Facts):
        return {name: _fact(item) for name, item in value.items}
    if isinstance(value, tuple):
        return [_fact(item) for item in value]
    return value


def _cell(value: Cell, kind: Kind) -> Json:
    return format_instant(int(value)) if kind is Kind.INSTANT and value is not None else value


def _section(section: Section) -> Json:
    return {
        "id": section.block_id,
        "title": section.title,
        "role": section.role.value,
        "blocks": [_block(block) for block in section.blocks],
    }


def _block(block: Block) -> Json:
    return {"type": block.block_type, **_content(block)}


def _content(block: Block) -> dict[str, Json]:  # noqa: PLR0911 a table of blocks
    match block:
        case Paragraph():
            return {"is_headline": block.is_headline, "parts": [_inline(part) for part in block.parts]}
        case Notice():
            return {"severity": block.severity.value, "text": block.text, "code": block.code, "hint": block.hint}
        case KeyValues():
            return {"id": block.block_id, "title": block.title, "entries": [_entry(entry) for entry in block.entries]}
        case Table():
            return _table(block)
        case LineChart():
            return {
                **_chart_head(block),
                "unit": block.unit,
                "lines": [_line(line) for line in block.lines],
                "bands": [_band(band) for band in block.bands],
            }
        case SlotChart():
            return {
                **_chart_head(block),
                "unit": block.unit,
                "edges": _instants(block.edges_s),
                "series": [{"name": series.name, "values": list(series.values)} for series in block.series],
                "lines": [_line(line) for line in block.lines],
            }
        case Waterfall():
            return {**_chart_head(block), "unit": block.unit, "steps": [_step(step) for step in block.steps]}
        case Gantt():
            return {
                **_chart_head(block),
                "row_title": block.row_title,
                "start": format_instant(block.start_s),
                "end": format_instant(block.end_s),
                "rows": list(block.rows),
                "groups": list(block.groups),
                "bars": [_bar(bar, block) for bar in block.bars],
            }
        case PointChart():
            return {
                **_chart_head(block),
                "x_title": block.x_title,
                "y_title": block.y_title,
                "points": [_point(point) for point in block.points],
                "marked": [_point(point) for point in block.marked],
            }


def _inline(part: Inline) -> Json:
    if isinstance(part, str):
        return part
    return {"value": _cell(part.value, part.kind), "kind": part.kind.value, "unit": part.unit or None}


def _entry(entry: Entry) -> Json:
    quantity = entry.quantity
    return {
        "label": entry.label,
        "value": _cell(quantity.value, quantity.kind),
        "kind": quantity.kind.value,
        "unit": quantity.unit or None,
        "note": entry.note or None,
        "tone": entry.tone.value,
    }


def _table(table: Table) -> dict[str, Json]:
    return {
        "id": table.block_id,
        "title": table.title,
        "caption": table.caption or None,
        "columns": [
            {"key": column.key, "title": column.title, "kind": column.kind.value, "unit": column.unit or None}
            for column in table.columns
        ],
        "rows": [
            {column.key: _cell(cell, column.kind) for cell, column in zip(row, table.columns, strict=True)} for row in table.rows
        ],
    }


def _chart_head(chart: Chart) -> dict[str, Json]:
    return {"id": chart.block_id, "title": chart.title, "caption": chart.caption}


def _instants(instants_s: tuple[int, ...]) -> Json:
    return [format_instant(instant_s) for instant_s in instants_s]


def _line(line: Line) -> Json:
    return {
        "name": line.name,
        "role": line.role.value,
        "is_step": line.is_step,
        "instants": _instants(line.instants_s),
        "values": list(line.values),
    }


def _band(band: Band) -> Json:
    return {
        "name": band.name,
        "level": band.level,
        "instants": _instants(band.instants_s),
        "lower": list(band.lower),
        "upper": list(band.upper),
    }


def _point(point: ChartPoint) -> Json:
    return {"x": point.x, "y": point.y, "label": point.label}


def _step(step: Step) -> Json:
    return {"name": step.name, "amount": step.amount, "is_total": step.is_total, "description": step.description or None}


def _bar(bar: Bar, gantt: Gantt) -> Json:
    return {
        "row": gantt.rows[bar.row_idx],
        "start": format_instant(bar.start_s),
        "end": format_instant(bar.end_s),
        "group": bar.group,
        "label": bar.label,
        "share": bar.share,
    }
