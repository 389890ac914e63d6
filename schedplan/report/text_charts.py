"""Charts as lines of characters. A line is pieces of text, each with the number of its group (for colour) or None.

It knows widths and characters, not terminals.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from unicodedata import combining, east_asian_width

from schedplan.report.charts import Band, Gantt, Line, LineChart, PointChart, SlotChart, Waterfall
from schedplan.report.figures import number_text, written_money
from schedplan.report.occupancy import IDLE
from schedplan.report.verbatim import visible

Piece = tuple[str, int | None]
DrawnLine = list[Piece]

_LEVELS = " ▁▂▃▄▅▆▇█"
_FULL, _IDLE = "█", "░"
LONGEST_NAME = 28
LEAST_CELLS, MOST_CELLS = 10, 96
PLANE_ROWS, PLANE_COLUMNS = 9, 56
HOUR_S, DAY_S = 3600, 86400
AXIS_STEPS_S = (900, 3600, 7200, 10800, 21600, 43200, DAY_S, 2 * DAY_S, 7 * DAY_S, 28 * DAY_S)
AXIS_LABEL_ROOM = 8


def sparklines(chart: LineChart, zone: tzinfo, width: int) -> list[DrawnLine]:
    """Return one line per line and band edge of the chart: its name, its course and its range."""
    courses = [_of_line(line) for line in chart.lines]
    for band in chart.bands:
        courses += _of_band(band)
    courses = [course for course in courses if course.known]
    if not courses:
        return []
    span_s = (min(course.instants_s[0] for course in courses), max(course.end_s for course in courses))
    extents = [_extent(course.known, chart.unit) for course in courses]
    frame = _Frame.fitting(tuple(course.name for course in courses), extents, span_s, width)
    peak = max(max(course.known) for course in courses)
    lines: list[DrawnLine] = [
        [(frame.name(course.name), None), (_course(course, frame, peak), number), (f"  {extent}", None)]
        for number, (course, extent) in enumerate(zip(courses, extents, strict=True))
    ]
    return [*lines, frame.axis(zone)]


def slot_lines(chart: SlotChart, zone: tzinfo, width: int) -> list[DrawnLine]:
    """Return one line per series of the chart: its name, its value in each slot as a bar, its range."""
    peak = max((max(series.values) for series in chart.series), default=0.0)
    extents = [_extent(series.values, chart.unit) for series in chart.series]
    frame = _Frame.fitting(tuple(series.name for series in chart.series), extents, (chart.edges_s[0], chart.edges_s[-1]), width)
    lines: list[DrawnLine] = []
    for number, (series, extent) in enumerate(zip(chart.series, extents, strict=True)):
        slots = (bisect_right(chart.edges_s, frame.instant_s(cell)) - 1 for cell in range(frame.cells))
        bars = "".join(_level(series.values[slot], peak) for slot in slots)
        lines.append([(frame.name(series.name), None), (bars, number), (f"  {extent}", None)])
    return [*lines, frame.axis(zone)]


def waterfall_lines(chart: Waterfall, width: int) -> list[DrawnLine]:
    """Return one line per step: its name, its bar between the totals before and after it, its amount."""
    spans: list[tuple[float, float]] = []
    total = 0.0
    for step in chart.steps:
        before, total = (0.0, step.amount) if step.is_total else (total, total + step.amount)
        spans.append((min(before, total), max(before, total)))
    largest = max((high for _, high in spans), default=0.0)
    name_width = _name_width(tuple(step.name for step in chart.steps))
    amounts = [written_money(step.amount) for step in chart.steps]
    amount_width = max((len(amount) for amount in amounts), default=0)
    cells = min(max(width - name_width - amount_width - len(chart.unit) - 6, 10), 60)
    scale = cells / largest if largest > 0 else 0.0
    lines: list[DrawnLine] = []
    for step, (low, high), amount in zip(chart.steps, spans, amounts, strict=True):
        first, last = round(max(low, 0.0) * scale), round(max(high, 0.0) * scale)
        last = max(last, first + 1) if step.amount else last
        group = 0 if step.is_total else 3 if step.amount <= 0 else 5
        bar = " " * first + _FULL * (last - first)
        lines.append(
            [
                (f"{_padded(step.name, name_width)}  {amount:>{amount_width}} {visible(chart.unit)}  ", None),
                (bar, group),
            ]
        )
    return lines


def point_lines(chart: PointChart, width: int) -> list[DrawnLine]:
    """Return the plane as lines of characters: points as full, marked ones as open circles, the ends of the axes at its edges."""
    everything = (*chart.points, *chart.marked)
    if not everything:
        return []
    low_x, high_x = min(point.x for point in everything), max(point.x for point in everything)
    low_y, high_y = min(point.y for point in everything), max(point.y for point in everything)
    ends = [number_text(high_y), number_text(low_y)]
    indent = max(len(end) for end in ends) + 1
    cells = max(min(width - indent - 1, PLANE_COLUMNS), LEAST_CELLS)
    rows: list[list[tuple[str, int | None]]] = [[(" ", None)] * cells for _ in range(PLANE_ROWS)]
    for points, sign, number in ((chart.points, "●", 0), (chart.marked, "○", 1)):
        for point in points:
            column = round((point.x - low_x) / (high_x - low_x) * (cells - 1)) if high_x > low_x else 0
            row = round((high_y - point.y) / (high_y - low_y) * (PLANE_ROWS - 1)) if high_y > low_y else 0
            rows[row][column] = (sign, number)
    labels = [ends[0], *([""] * (PLANE_ROWS - 2)), ends[1]]
    lines: list[DrawnLine] = [[(visible(chart.y_title), None)]]
    lines += [[(f"{label:>{indent - 1}} │", None), *row] for label, row in zip(labels, rows, strict=True)]
    left, right = number_text(low_x), number_text(high_x)
    axis = f"{left}{right:>{max(cells - len(left), len(right) + 1)}}"
    below = [f"{axis}  {visible(chart.x_title)}"]
    if indent + 1 + columns_of(below[0]) > width:
        below = [axis, f"{visible(chart.x_title):>{cells}}"]
    lines.append([(f"{'':>{indent - 1}} └{'─' * cells}", None)])
    for line in below:
        lines.append([(f"{'':>{indent + 1}}{line}", None)])
    return lines


def gantt_lines(chart: Gantt, zone: tzinfo, width: int) -> list[DrawnLine]:
    """Return one line per row: its name and, per stretch of time, the group that fills it; then the time and the legend."""
    frame = _Frame.fitting(chart.rows, [], (chart.start_s, chart.end_s), width)
    number_of = {group: number for number, group in enumerate(chart.groups)}
    rows: list[list[str | None]] = [[None] * frame.cells for _ in chart.rows]
    length_s = chart.end_s - chart.start_s
    for bar in chart.bars:
        first = (bar.start_s - chart.start_s) * frame.cells // length_s
        last = max(-(-(bar.end_s - chart.start_s) * frame.cells // length_s), first + 1)
        for cell in range(first, min(last, frame.cells)):
            rows[bar.row_idx][cell] = bar.group
    lines: list[DrawnLine] = [
        [(frame.name(name), None), *_runs(row, number_of)] for name, row in zip(chart.rows, rows, strict=True)
    ]
    legend: DrawnLine = [(" " * frame.indent, None)]
    for group in chart.groups:
        legend += [(_sign(group, number_of), None if group == IDLE else number_of[group]), (f" {visible(group)}   ", None)]
    return [*lines, frame.axis(zone), legend]


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where names end, how many cells a course has, and the time they stand for."""

    name_width: int
    cells: int
    start_s: int
    end_s: int

    @classmethod
    def fitting(cls, names: tuple[str, ...], extents: list[str], span_s: tuple[int, int], width: int) -> _Frame:
        """Return the frame for a width; where there is room, every hour has the same whole number of cells."""
        name_width = _name_width(names)
        room = width - name_width - 4 - max((columns_of(extent) for extent in extents), default=AXIS_LABEL_ROOM)
        cells = min(max(room, LEAST_CELLS), MOST_CELLS)
        hours = (span_s[1] - span_s[0]) // HOUR_S
        if 0 < hours <= cells:
            cells -= cells % hours
        return cls(name_width, cells, *span_s)

    @property
    def indent(self) -> int:
        return self.name_width + 2

    def name(self, name: str) -> str:
        return _padded(name, self.name_width) + "  "

    def instant_s(self, cell: int) -> int:
        """Return the instant at which a cell begins."""
        return self.start_s + (self.end_s - self.start_s) * cell // self.cells

    def axis(self, zone: tzinfo) -> DrawnLine:
        """Return round times under their cells, then the offset they are told with."""
        first = datetime.fromtimestamp(self.start_s, zone)
        offset_s = round((first.utcoffset() or timedelta()).total_seconds())
        step_s = next((step for step in AXIS_STEPS_S if self._cells_of(step) >= AXIS_LABEL_ROOM), AXIS_STEPS_S[-1])
        line = list(" " * (self.cells + AXIS_LABEL_ROOM))
        moment_s = -(-(self.start_s + offset_s) // step_s) * step_s - offset_s
        while moment_s < self.end_s:
            cell = round((moment_s - self.start_s) * self.cells / (self.end_s - self.start_s))
            words = datetime.fromtimestamp(moment_s + offset_s, UTC).strftime("%H:%M" if step_s < DAY_S else "%d.%m")
            line[cell : cell + len(words)] = words
            moment_s += step_s
        return [(f"{' ' * self.indent}{''.join(line).rstrip()}  {first.strftime('%z')[:3]}:{first.strftime('%z')[3:]}", None)]

    def _cells_of(self, seconds: int) -> float:
        return seconds * self.cells / (self.end_s - self.start_s)


@dataclass(frozen=True, slots=True)
class _Course:
    """A named run of values; the last holds until `end_s`."""

    name: str
    instants_s: tuple[int, ...]
    values: tuple[float | None, ...]
    end_s: int

    @property
    def known(self) -> tuple[float, ...]:
        return tuple(value for value in self.values if value is not None)


def _runs(row: list[str | None], number_of: dict[str, int]) -> list[Piece]:
    pieces: list[Piece] = []
    start = 0
    for cell in range(1, len(row) + 1):
        if cell < len(row) and row[cell] == row[start]:
            continue
        group = row[start]
        sign = "·" if group is None else _sign(group, number_of)
        pieces.append((sign * (cell - start), None if group in (None, IDLE) else number_of[group or ""]))
        start = cell
    return pieces


def _sign(group: str, number_of: dict[str, int]) -> str:
    """Groups differ by sign too, so that they can be told apart without colour."""
    return _IDLE if group == IDLE else "█▓▒▚▞▤"[number_of[group] % 6]


def _of_line(line: Line) -> _Course:
    return _Course(line.name, line.instants_s, line.values, line.instants_s[-1] if line.is_step else _end_s(line.instants_s))


def _of_band(band: Band) -> list[_Course]:
    end_s = _end_s(band.instants_s)
    return [
        _Course(f"{band.name}, from", band.instants_s, band.lower, end_s),
        _Course(f"{band.name}, to", band.instants_s, band.upper, end_s),
    ]


def _end_s(instants_s: tuple[int, ...]) -> int:
    """Return where the last interval ends, which is as long as the one before it."""
    return instants_s[-1] + (instants_s[-1] - instants_s[-2] if len(instants_s) > 1 else 1)


def _extent(values: Sequence[float], unit: str) -> str:
    low, high = (number_text(bound) for bound in (min(values), max(values)))
    if low == high == "1" and unit.isalpha():
        unit = unit.removesuffix("s")
    return f"{low if low == high else f'{low} to {high}'} {visible(unit)}".rstrip()


def _course(course: _Course, frame: _Frame, peak: float) -> str:
    """Return one character per cell: the largest value that begins in it, else the one that still holds, blank outside."""
    characters: list[str] = []
    for cell in range(frame.cells):
        begin_s, end_s = frame.instant_s(cell), frame.instant_s(cell + 1)
        first, last = bisect_left(course.instants_s, begin_s), bisect_left(course.instants_s, end_s)
        inside = [value for value in course.values[first:last] if value is not None]
        held = course.values[first - 1] if first > 0 else None
        value = max(inside) if inside else held
        is_outside = end_s <= course.instants_s[0] or begin_s >= course.end_s
        characters.append(" " if value is None or is_outside else _level(value, peak))
    return "".join(characters)


def _level(value: float, peak: float) -> str:
    if value <= 0 or peak <= 0:
        return _LEVELS[0]
    return _LEVELS[max(1, min(8, round(value / peak * 8)))]


def columns_of(text: str) -> int:
    """Return how many columns of a terminal a text takes: two for wide characters, none for marks on others."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(character) else 1 + (east_asian_width(character) in "WF") for character in text)


def _name_width(names: tuple[str, ...]) -> int:
    return min(max((columns_of(visible(name)) for name in names), default=0), LONGEST_NAME)


def _padded(name: str, width: int) -> str:
    shown = visible(name)
    if columns_of(shown) > width:
        half = (width - 1) // 2
        shown = f"{_first_columns(shown, width - 1 - half)}…{_first_columns(shown[::-1], half)[::-1]}"
    return shown + " " * (width - columns_of(shown))


def _first_columns(text: str, width: int) -> str:
    taken = 0
    for idx, character in enumerate(text):
        taken += columns_of(character)
        if taken > width:
            return text[:idx]
    return text
