"""Every chart as a table: what stands in for it where nothing can be drawn or seen."""

from __future__ import annotations

from schedplan.report.charts import Chart, Gantt, Line, LineChart, PointChart, SlotChart, Waterfall
from schedplan.report.document import Cell, Column, Kind, Table


def chart_table(chart: Chart) -> Table:
    """Return the data of a chart as a table under the same title; its id is that of the chart and `-data`."""
    match chart:
        case LineChart():
            return _of_lines(chart)
        case SlotChart():
            return _of_slots(chart)
        case Waterfall():
            return _of_waterfall(chart)
        case Gantt():
            return _of_gantt(chart)
        case PointChart():
            return _of_points(chart)


def _of_lines(chart: LineChart) -> Table:
    """A chart with bands is about the time that the bands cover: what was seen before it is left to the eye."""
    columns = [Column("at", "Time", Kind.INSTANT)]
    series = [_values(line) for line in chart.lines]
    covered = {instant for band in chart.bands for instant in band.instants_s}
    instants = sorted(covered or {instant for values in series for instant in values})
    kept = [idx for idx, values in enumerate(series) if any(instant in values for instant in instants)]
    columns += [Column(f"line_{idx}", chart.lines[idx].name, Kind.NUMBER, chart.unit) for idx in kept]
    series = [series[idx] for idx in kept]
    for idx, band in enumerate(chart.bands):
        for edge, values in (("from", band.lower), ("to", band.upper)):
            columns.append(Column(f"band_{idx}_{edge}", f"{band.name}, {edge}", Kind.NUMBER, chart.unit))
            series.append(dict(zip(band.instants_s, values, strict=True)))
    rows = tuple((instant, *(values.get(instant) for values in series)) for instant in instants)
    return Table(f"{chart.block_id}-data", chart.title, tuple(columns), rows, chart.caption)


def _values(line: Line) -> dict[int, float | None]:
    """Return the values by instant; the last of a step only closes it."""
    pairs = list(zip(line.instants_s, line.values, strict=True))
    return dict(pairs[:-1] if line.is_step else pairs)


def _of_slots(chart: SlotChart) -> Table:
    columns = (
        Column("start", "From", Kind.INSTANT),
        *(Column(f"series_{idx}", series.name, Kind.NUMBER, chart.unit) for idx, series in enumerate(chart.series)),
        *(Column(f"line_{idx}", line.name, Kind.NUMBER, chart.unit) for idx, line in enumerate(chart.lines)),
    )
    lines = [_values(line) for line in chart.lines]
    rows: list[tuple[Cell, ...]] = []
    for slot, start_s in enumerate(chart.edges_s[:-1]):
        rows.append((start_s, *(series.values[slot] for series in chart.series), *(line.get(start_s) for line in lines)))
    return Table(f"{chart.block_id}-data", chart.title, columns, tuple(rows), chart.caption)


def _of_waterfall(chart: Waterfall) -> Table:
    columns = (
        Column("step", "Step"),
        Column("amount", "Amount", Kind.MONEY, chart.unit),
        Column("total", "Running total", Kind.MONEY, chart.unit),
        Column("description", "What it is"),
    )
    rows: list[tuple[Cell, ...]] = []
    total = 0.0
    for step in chart.steps:
        total = step.amount if step.is_total else total + step.amount
        rows.append((step.name, step.amount, total, step.description))
    return Table(f"{chart.block_id}-data", chart.title, columns, tuple(rows), chart.caption)


def _of_gantt(chart: Gantt) -> Table:
    columns = (
        Column("row", chart.row_title),
        Column("start", "From", Kind.INSTANT),
        Column("end", "To", Kind.INSTANT),
        Column("label", "What runs"),
        Column("share", "In use", Kind.SHARE, digits=0),
    )
    rows = tuple((chart.rows[bar.row_idx], bar.start_s, bar.end_s, bar.label, bar.share) for bar in chart.bars)
    return Table(f"{chart.block_id}-data", chart.title, columns, rows, chart.caption)


def _of_points(chart: PointChart) -> Table:
    columns = (
        Column("x", chart.x_title, Kind.NUMBER),
        Column("y", chart.y_title, Kind.NUMBER),
        Column("what", "What it is"),
    )
    rows = tuple((point.x, point.y, point.label) for point in (*chart.points, *chart.marked))
    return Table(f"{chart.block_id}-data", chart.title, columns, rows, chart.caption)
