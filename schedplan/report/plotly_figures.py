"""Charts as figures of plotly.js: data and layout as JSON. Colours are names of the page's theme, put in by the page.

Names from files go in as text that plotly shows verbatim: its small markup is escaped. Time axes show the offset that is in
force at the start of the chart.
"""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from schedplan.report.charts import Band, Chart, ChartPoint, Gantt, Line, LineChart, LineRole, PointChart, SlotChart, Waterfall
from schedplan.report.figures import written_money
from schedplan.report.json import Json
from schedplan.report.occupancy import BUSY_POOL, IDLE, MIXED, SERVICES
from schedplan.report.verbatim import visible

Figure = dict[str, Json]

COLOURS = ("c1", "c2", "c3", "c4", "c5", "c6")
LONGEST_LABEL = 28
LINE_WIDTH = 24
ROW_HEIGHT, GANTT_MARGIN = 22, 96
STEP_HEIGHT, WATERFALL_MARGIN = 46, 60
CHART_HEIGHT = 320
BAR_WIDTH = 0.62
LEAST_OPACITY = 0.4
MS_PER_S = 1000

_JOINT: dict[str, Json] = {"color": "line", "width": 1}
_SERVICE_COLOURS = ("c1", "c4", "c1@0.62", "c4@0.62", "c1@0.4", "c4@0.4")
_GROUP_COLOURS = {
    SERVICES: "c1",
    BUSY_POOL: "c1",
    MIXED: "c5",
    IDLE: "idle",
    "training jobs": "c2",
    "batch jobs": "c3",
    "tuning jobs": "c7",
    "preprocess jobs": "c8",
    "other jobs": "c6",
    "jobs": "c6",
}
_LINE_STYLES: dict[LineRole, tuple[str, str, float]] = {
    LineRole.ACTUAL: ("muted", "solid", 1.5),
    LineRole.EXPECTED: ("c1", "solid", 2.5),
    LineRole.PLANNED_FOR: ("c3", "dash", 2.0),
    LineRole.PROVIDED: ("c2", "solid", 2.5),
    LineRole.LIMIT: ("c5", "dot", 2.0),
}


def figure(chart: Chart, zone: tzinfo) -> Figure:
    """Return `{"data": [...], "layout": {...}}` of a chart."""
    match chart:
        case LineChart():
            return _of_lines(chart, zone)
        case SlotChart():
            return _of_slots(chart, zone)
        case Waterfall():
            return _of_waterfall(chart)
        case Gantt():
            return _of_gantt(chart, zone)
        case PointChart():
            return _of_points(chart)


def plain(text: str) -> str:
    """Return text that plotly shows as it is: no tags, no entities, no control characters."""
    return visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _of_lines(chart: LineChart, zone: tzinfo) -> Figure:
    runs = [line.instants_s for line in chart.lines] + [band.instants_s for band in chart.bands]
    start_s = min((instant for run in runs for instant in run), default=0)
    axis = _TimeAxis(start_s, zone)
    data: list[Json] = []
    for band, fill in zip(chart.bands, ("c1@0.14", "c1@0.22", "c1@0.30"), strict=False):
        data += _band(band, fill, axis)
    data += [_line(line, axis) for line in chart.lines]
    return {
        "data": data,
        "layout": _layout(CHART_HEIGHT, xaxis=axis.layout(), yaxis=_value_axis(chart.unit), hovermode="x unified"),
    }


def _band(band: Band, fill: str, axis: _TimeAxis) -> list[Json]:
    shared: dict[str, Json] = {
        "type": "scatter",
        "mode": "lines",
        "x": axis.at(band.instants_s),
        "line": {"width": 0, "color": fill},
        "legendgroup": f"band {band.level}",
    }
    lower: Json = {**shared, "y": list(band.lower), "showlegend": False, "hoverinfo": "skip"}
    upper: Json = {
        **shared,
        "y": list(band.upper),
        "customdata": list(band.lower),
        "hovertemplate": "%{customdata:,.5~r} to %{y:,.5~r}",
        "name": plain(band.name),
        "fill": "tonexty",
        "fillcolor": fill,
    }
    return [lower, upper]


def _line(line: Line, axis: _TimeAxis) -> Json:
    colour, dash, width = _LINE_STYLES[line.role]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": plain(line.name),
        "x": axis.at(line.instants_s),
        "y": list(line.values),
        "hovertemplate": "%{y:,.5~r}",
        "line": {"color": colour, "dash": dash, "width": width, "shape": "hv" if line.is_step else "linear"},
    }


def _of_slots(chart: SlotChart, zone: tzinfo) -> Figure:
    axis = _TimeAxis(chart.edges_s[0], zone)
    widths: list[Json] = [(end - start) * MS_PER_S for start, end in zip(chart.edges_s, chart.edges_s[1:], strict=False)]
    data: list[Json] = [
        {
            "type": "bar",
            "name": plain(series.name),
            "x": axis.at(chart.edges_s[:-1]),
            "y": list(series.values),
            "width": widths,
            "offset": 0,
            "hovertemplate": "%{y:,.5~r}",
            "marker": {"color": COLOURS[idx % len(COLOURS)], "line": {"color": "surface", "width": 1}},
        }
        for idx, series in enumerate(chart.series)
    ]
    data += [_line(line, axis) for line in chart.lines]
    time_axis = {**axis.layout(), "range": axis.at((chart.edges_s[0], chart.edges_s[-1]))}
    layout = _layout(CHART_HEIGHT, xaxis=time_axis, yaxis=_value_axis(chart.unit), hovermode="x unified")
    return {"data": data, "layout": {**layout, "barmode": "stack", "showlegend": True, "barcornerradius": 2}}


def _of_waterfall(chart: Waterfall) -> Figure:
    """Bars that begin where the one before ended; thin lines join them."""
    rows = list(range(len(chart.steps)))
    ends: list[float] = []
    starts: list[float] = []
    for step in chart.steps:
        starts.append(0.0 if step.is_total or not ends else ends[-1])
        ends.append(starts[-1] + step.amount)
    data: Json = {
        "type": "bar",
        "orientation": "h",
        "y": list(rows),
        "base": list(starts),
        "x": [step.amount for step in chart.steps],
        "text": [_signed(step.amount, step.is_total) for step in chart.steps],
        "customdata": [_wrapped(step.description) for step in chart.steps],
        "hovertemplate": "%{text}<br>%{customdata}<extra></extra>",
        "textposition": "auto",
        "insidetextanchor": "middle",
        "insidetextfont": {"color": "on-fill"},
        "cliponaxis": False,
        "marker": {"color": ["c1" if step.is_total else "good" if step.amount < 0 else "bad" for step in chart.steps]},
        "width": BAR_WIDTH,
    }
    joints: list[Json] = [
        {"type": "line", "x0": end, "x1": end, "y0": row + BAR_WIDTH / 2, "y1": row + 1 - BAR_WIDTH / 2, "line": dict(_JOINT)}
        for row, end in zip(rows, ends[:-1], strict=False)
    ]
    rows_axis: dict[str, Json] = {
        "tickvals": list(rows),
        "ticktext": [_wrapped(step.name) for step in chart.steps],
        "autorange": "reversed",
        "automargin": True,
        "zeroline": False,
        "showgrid": False,
    }
    height = WATERFALL_MARGIN + STEP_HEIGHT * len(rows)
    layout = _layout(height, xaxis={**_value_axis(chart.unit), "zeroline": True}, yaxis=rows_axis, hovermode="closest")
    return {"data": [data], "layout": {**layout, "showlegend": False, "barcornerradius": 4, "shapes": joints}}


def _of_gantt(chart: Gantt, zone: tzinfo) -> Figure:
    """Rows and bars by number, for the page to draw those that are asked for; labels and instants stand once each."""
    axis = _TimeAxis(chart.start_s, zone)
    instants = sorted({instant for bar in chart.bars for instant in (bar.start_s, bar.end_s)} | {chart.start_s, chart.end_s})
    labels = list(dict.fromkeys(bar.label for bar in chart.bars))
    instant_idx = {instant: idx for idx, instant in enumerate(instants)}
    label_idx = {label: idx for idx, label in enumerate(labels)}
    group_idx = {group: idx for idx, group in enumerate(chart.groups)}
    bars: list[Json] = [
        [
            bar.row_idx,
            instant_idx[bar.start_s],
            instant_idx[bar.end_s],
            group_idx[bar.group],
            label_idx[bar.label],
            round((LEAST_OPACITY + (1 - LEAST_OPACITY) * bar.share) * 100) if bar.group != IDLE else 100,
        ]
        for bar in sorted(chart.bars, key=lambda bar: (bar.row_idx, bar.start_s))
    ]
    gantt: dict[str, Json] = {
        "row_title": plain(chart.row_title),
        "rows": [plain(row) for row in chart.rows],
        "ticks": [_unless(plain(_short(row)), plain(row)) for row in chart.rows],
        "labels": [_wrapped(label) for label in labels],
        "texts": [_unless(plain(_short(label)), _wrapped(label)) for label in labels],
        "groups": [{"name": plain(group), "color": colour, "text_color": _on(group)} for group, colour in tints(chart.groups)],
        "at": axis.at(tuple(instants)),
        "clock": [axis.clock(instant) for instant in instants],
        "start_s": list(instants),
        "bars": bars,
        "row_height": ROW_HEIGHT,
        "margin": GANTT_MARGIN,
    }
    rows_axis: dict[str, Json] = {"automargin": True, "zeroline": False, "showgrid": False, "fixedrange": True}
    time_axis = {**axis.layout(), "range": axis.at((chart.start_s, chart.end_s))}
    layout = _layout(GANTT_MARGIN + ROW_HEIGHT * len(chart.rows), xaxis=time_axis, yaxis=rows_axis, hovermode="closest")
    more: dict[str, Json] = {
        "barmode": "overlay",
        "showlegend": True,
        "barcornerradius": 4,
        "uniformtext": {"mode": "hide", "minsize": 9},
    }
    return {"data": [], "layout": {**layout, **more}, "gantt": gantt}


def _unless(text: str, other: str) -> Json:
    """Return a text, or 0 where it is the other: names stand in a page once, where they can."""
    return 0 if text == other else text


def tints(groups: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the groups with their colours: of a kind of work always the same, of services by their order."""
    services = [group for group in groups if group not in _GROUP_COLOURS]
    tints = {group: _SERVICE_COLOURS[idx % len(_SERVICE_COLOURS)] for idx, group in enumerate(services)}
    return [(group, _GROUP_COLOURS.get(group) or tints[group]) for group in groups]


def _on(group: str) -> str:
    return "muted" if group == IDLE else "on-fill"


def _of_points(chart: PointChart) -> Figure:
    """Points joined by a line, the marked ones as rings beside or around them. Axes fit the points; they need not begin at 0."""
    line: Json = {"color": "c1", "width": 2}
    dots: Json = {"color": "c1", "size": 9}
    front: Json = {**_points(chart.name, chart.points), "mode": "lines+markers", "line": line, "marker": dots}
    data: list[Json] = [front]
    if chart.marked:
        ring: Json = {"color": "c2", "size": 17, "symbol": "circle-open", "line": {"width": 3}}
        data.append({**_points(chart.marked_name, chart.marked), "mode": "markers", "marker": ring})
    axes = [{**_value_axis(title), "rangemode": "normal", "zeroline": False} for title in (chart.x_title, chart.y_title)]
    layout = _layout(CHART_HEIGHT, xaxis=axes[0], yaxis=axes[1], hovermode="closest")
    return {"data": data, "layout": {**layout, "showlegend": True}}


def _points(name: str, points: tuple[ChartPoint, ...]) -> dict[str, Json]:
    return {
        "type": "scatter",
        "name": plain(name),
        "x": [point.x for point in points],
        "y": [point.y for point in points],
        "customdata": [_wrapped(point.label) for point in points],
        "hovertemplate": "%{customdata}<extra></extra>",
    }


class _TimeAxis:
    """Local wall-clock times by one offset, so that the axis has neither gap nor overlap."""

    def __init__(self, start_s: int, zone: tzinfo) -> None:
        offset = datetime.fromtimestamp(start_s, zone).utcoffset()
        self._offset_s = round(offset.total_seconds()) if offset is not None else 0

    def at(self, instants_s: tuple[int, ...]) -> list[Json]:
        return [self._wall(instant_s).strftime("%Y-%m-%d %H:%M:%S") for instant_s in instants_s]

    def clock(self, instant_s: int) -> str:
        return self._wall(instant_s).strftime("%d %b %H:%M")

    def layout(self) -> dict[str, Json]:
        sign = "-" if self._offset_s < 0 else "+"
        hours, rest_s = divmod(abs(self._offset_s), 3600)
        title = f"UTC{sign}{hours:02d}:{rest_s // 60:02d}" if self._offset_s else "UTC"
        return {
            "type": "date",
            "title": {"text": title, "font": {"size": 11, "color": "muted"}, "standoff": 6},
            "tickformatstops": [
                {"dtickrange": [None, 43200000], "value": "%H:%M\n%d %b"},
                {"dtickrange": [43200000, None], "value": "%d %b"},
            ],
            "hoverformat": "%d %b %H:%M",
            "gridcolor": "line",
            "linecolor": "line",
            "zeroline": False,
            "automargin": True,
        }

    def _wall(self, instant_s: int) -> datetime:
        return datetime.fromtimestamp(instant_s + self._offset_s, UTC)


def _layout(height: int, *, xaxis: dict[str, Json], yaxis: dict[str, Json], hovermode: str) -> dict[str, Json]:
    return {
        "height": height,
        "xaxis": xaxis,
        "yaxis": yaxis,
        "hovermode": hovermode,
        "dragmode": False,
        "margin": {"l": 8, "r": 16, "t": 8, "b": 8, "pad": 6},
        "paper_bgcolor": "transparent",
        "plot_bgcolor": "transparent",
        "font": {"color": "ink", "size": 12},
        "hoverlabel": {"bgcolor": "surface", "bordercolor": "line", "font": {"color": "ink", "size": 12}, "align": "left"},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"color": "ink"}, "traceorder": "normal"},
    }


def _value_axis(unit: str) -> dict[str, Json]:
    return {
        "title": {"text": plain(unit), "font": {"size": 11, "color": "muted"}, "standoff": 8},
        "gridcolor": "line",
        "zerolinecolor": "line",
        "tickformat": ",~r",
        "rangemode": "tozero",
        "automargin": True,
    }


def _signed(amount: float, is_total: bool) -> str:
    text = written_money(amount)
    return text if is_total or amount <= 0 else f"+{text}"


def _short(label: str) -> str:
    """Return a label of bounded length; the middle gives way, since names differ at their ends."""
    if len(label) <= LONGEST_LABEL:
        return label
    half = (LONGEST_LABEL - 1) // 2
    return f"{label[:half]}…{label[-half:]}"


def _wrapped(text: str) -> str:
    """Return text in lines of about 24 characters, broken at blanks, as plotly breaks lines."""
    lines: list[str] = []
    for word in text.split(" "):
        if lines and len(lines[-1]) + 1 + len(word) <= LINE_WIDTH:
            lines[-1] = f"{lines[-1]} {word}"
        else:
            lines.append(word)
    return "<br>".join(plain(_short(line)) for line in lines)
