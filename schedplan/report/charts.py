"""The charts of a document, as blocks of data: what is drawn, not how. They know no table and no text around them.

Instants are seconds UTC, shares 0 to 1. Floats are finite; a NaN or infinity is refused where it enters.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import isfinite
from typing import ClassVar

from schedplan.report.block_id import check_block_id


class LineRole(Enum):
    """What a line stands for, which decides how it is drawn."""

    ACTUAL = "actual"
    EXPECTED = "expected"
    PLANNED_FOR = "planned_for"
    PROVIDED = "provided"
    LIMIT = "limit"


@dataclass(frozen=True, slots=True)
class Line:
    """Values at instants; None = gap. A step holds each value until the next instant."""

    name: str
    role: LineRole
    instants_s: tuple[int, ...]
    values: tuple[float | None, ...]
    is_step: bool = False

    def __post_init__(self) -> None:
        _check_series(self.name, len(self.instants_s), self.values)


@dataclass(frozen=True, slots=True)
class Band:
    """A range per instant. `level` is the percentage of the outcomes it is meant to hold."""

    name: str
    level: float
    instants_s: tuple[int, ...]
    lower: tuple[float | None, ...]
    upper: tuple[float | None, ...]

    def __post_init__(self) -> None:
        _check_series(self.name, len(self.instants_s), self.lower)
        _check_series(self.name, len(self.instants_s), self.upper)


@dataclass(frozen=True, slots=True)
class LineChart:
    """Lines over time with bands behind them, widest band first."""

    block_type: ClassVar[str] = "line_chart"

    block_id: str
    title: str
    caption: str
    unit: str
    lines: tuple[Line, ...]
    bands: tuple[Band, ...] = ()

    def __post_init__(self) -> None:
        check_block_id(self.block_id)


@dataclass(frozen=True, slots=True)
class SlotSeries:
    """One stack of bars: a value per slot."""

    name: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SlotChart:
    """Stacked bars per slot, `edges_s` one longer than every series, with lines over them in the same unit."""

    block_type: ClassVar[str] = "slot_chart"

    block_id: str
    title: str
    caption: str
    unit: str
    edges_s: tuple[int, ...]
    series: tuple[SlotSeries, ...]
    lines: tuple[Line, ...] = ()

    def __post_init__(self) -> None:
        check_block_id(self.block_id)
        for series in self.series:
            _check_series(series.name, len(self.edges_s) - 1, series.values)


@dataclass(frozen=True, slots=True)
class Step:
    """A bar of a waterfall: a total, or an amount that leads from the running total to the next."""

    name: str
    amount: float
    is_total: bool = False
    description: str = ""

    def __post_init__(self) -> None:
        _check_number(self.amount)


@dataclass(frozen=True, slots=True)
class Waterfall:
    """From one total to another, step by step. `unit` is the currency."""

    block_type: ClassVar[str] = "waterfall"

    block_id: str
    title: str
    caption: str
    unit: str
    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        check_block_id(self.block_id)


@dataclass(frozen=True, slots=True)
class Bar:
    """What stands in one row of a Gantt chart from start to end. Bars of a group look alike; `share` 0 to 1 is how full."""

    row_idx: int
    start_s: int
    end_s: int
    group: str
    label: str
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Gantt:
    """Rows (nodes, or pools) over time. Time without a bar is time not paid for. `groups` in the order of the legend."""

    block_type: ClassVar[str] = "gantt"

    block_id: str
    title: str
    caption: str
    row_title: str
    rows: tuple[str, ...]
    groups: tuple[str, ...]
    start_s: int
    end_s: int
    bars: tuple[Bar, ...]

    def __post_init__(self) -> None:
        check_block_id(self.block_id)


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """A point of a plane, with a few words on it."""

    x: float
    y: float
    label: str

    def __post_init__(self) -> None:
        _check_number(self.x)
        _check_number(self.y)


@dataclass(frozen=True, slots=True)
class PointChart:
    """Points by two quantities, joined in their order, and others beside them that are marked (`marked_name` in the legend)."""

    block_type: ClassVar[str] = "point_chart"

    block_id: str
    title: str
    caption: str
    x_title: str
    y_title: str
    name: str
    points: tuple[ChartPoint, ...]
    marked_name: str = ""
    marked: tuple[ChartPoint, ...] = ()

    def __post_init__(self) -> None:
        check_block_id(self.block_id)


Chart = LineChart | SlotChart | Waterfall | Gantt | PointChart


def _check_number(value: float | None) -> None:
    if value is not None and not isfinite(value):
        raise ValueError(f"{value} stands where a number or None should")


def _check_series(name: str, length: int, values: tuple[float | None, ...]) -> None:
    if len(values) != length:
        raise ValueError(f"{name}: {len(values)} values where {length} belong")
    for value in values:
        _check_number(value)
