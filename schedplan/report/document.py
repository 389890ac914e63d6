"""The document: what a result says, as blocks of data. It knows nothing of how any form of it looks.

Every renderer reads these records and nothing else, so that HTML, Markdown, JSON, CSV and terminal can't disagree.
Instants are seconds UTC, shares are 0 to 1, durations are seconds, money has its currency as unit. None = no answer.
Floats are finite; a NaN or infinity is refused where it enters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from math import isfinite, isnan
from typing import ClassVar

from schedplan.model.findings import Severity
from schedplan.report.block_id import check_block_id
from schedplan.report.charts import Gantt, LineChart, PointChart, SlotChart, Waterfall


class Kind(Enum):
    """What a value is, which decides how it is written and aligned."""

    TEXT = "text"
    COUNT = "count"
    NUMBER = "number"
    MONEY = "money"
    SHARE = "share"
    INSTANT = "instant"
    DURATION = "duration"
    FLAG = "flag"

    @property
    def is_numeric(self) -> bool:
        return self not in (Kind.TEXT, Kind.INSTANT, Kind.FLAG)


class Tone(Enum):
    """Whether a statement is good news. Never the only carrier of a meaning."""

    NEUTRAL = "neutral"
    GOOD = "good"
    CAUTION = "caution"
    BAD = "bad"


Cell = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value with what it is. `unit`: the currency of money, the unit of a number; `digits` after the point, None = by size."""

    value: Cell
    kind: Kind = Kind.TEXT
    unit: str = ""
    digits: int | None = None

    def __post_init__(self) -> None:
        _check_cell(self.value, self.kind)


Inline = str | Quantity


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text: plain text and quantities. A headline is the sentence to read if only one is read."""

    block_type: ClassVar[str] = "paragraph"

    parts: tuple[Inline, ...]
    is_headline: bool = False


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing to mind. `hint` is the next step."""

    block_type: ClassVar[str] = "notice"

    severity: Severity
    text: str
    code: str | None = None
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A labelled value, with a few words on it."""

    label: str
    quantity: Quantity
    note: str = ""
    tone: Tone = Tone.NEUTRAL


@dataclass(frozen=True, slots=True)
class KeyValues:
    """Labelled values. `is_key` marks the numbers of the first screen."""

    block_type: ClassVar[str] = "key_values"

    block_id: str
    title: str
    entries: tuple[Entry, ...]
    is_key: bool = False

    def __post_init__(self) -> None:
        check_block_id(self.block_id)


@dataclass(frozen=True, slots=True)
class Column:
    """`key` names it for machines, `title` for people. A detail column is left out where room is short.

    is_mixed: its numbers are of different units, so that each has its own digits.
    """

    key: str
    title: str
    kind: Kind = Kind.TEXT
    unit: str = ""
    digits: int | None = None
    is_detail: bool = False
    is_mixed: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under typed columns. `caption` says what a row is; `empty_text` stands where there are none."""

    block_type: ClassVar[str] = "table"

    block_id: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    empty_text: str = "none"

    def __post_init__(self) -> None:
        check_block_id(self.block_id)
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"table {self.block_id}: a row of {len(row)} cells under {len(self.columns)} columns")
            for cell, column in zip(row, self.columns, strict=True):
                _check_cell(cell, column.kind)


Block = Paragraph | Notice | KeyValues | Table | LineChart | SlotChart | Waterfall | Gantt | PointChart


class SectionRole(Enum):
    """ANSWER is the first screen, PLAIN what follows it; MORE waits where lines are few, DETAIL also where there is a fold."""

    ANSWER = "answer"
    PLAIN = "plain"
    MORE = "more"
    DETAIL = "detail"


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a heading."""

    block_id: str
    title: str
    blocks: tuple[Block, ...]
    role: SectionRole = SectionRole.PLAIN

    def __post_init__(self) -> None:
        check_block_id(self.block_id)


@dataclass(frozen=True, slots=True)
class Facts:
    """An object for machines: names and values, each name once."""

    items: tuple[tuple[str, FactValue], ...] = ()

    def __post_init__(self) -> None:
        names = [name for name, _ in self.items]
        if len(set(names)) != len(names):
            raise ValueError(f"a name occurs twice among {names}")


FactValue = None | bool | int | float | str | Quantity | Facts | tuple["FactValue", ...]


@dataclass(frozen=True, slots=True)
class Document:
    """One result. `facts` are its top-level values for machines; `timezone` is where people read its times.

    main_table: block_id of the table that stands for the whole where only one can be had (CSV); None = the first.
    spare_table: what stands for the whole there where no table is shown, so that its columns are told.
    """

    kind: str
    title: str
    sections: tuple[Section, ...]
    subtitle: tuple[Inline, ...] = ()
    badge: str = ""
    badge_tone: Tone = Tone.NEUTRAL
    timezone: str = "UTC"
    facts: Facts = Facts()
    main_table: str | None = None
    spare_table: Table | None = None
    schema_version: str = "1.0"

    def __post_init__(self) -> None:
        ids = [section.block_id for section in self.sections] + [block_id for block_id in map(id_of, self.blocks()) if block_id]
        if len(set(ids)) != len(ids):
            raise ValueError(f"a block id occurs twice among {ids}")

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks of all sections in their order."""
        for section in self.sections:
            yield from section.blocks

    def tables(self) -> tuple[Table, ...]:
        """Return all tables in their order."""
        return tuple(block for block in self.blocks() if isinstance(block, Table))


def id_of(block: Block) -> str | None:
    """Return the stable id of a block, None for running text and notices."""
    return None if isinstance(block, Paragraph | Notice) else block.block_id


def finite(value: float | None) -> float | None:
    """Return `value`, or None where it is None or NaN (a gap); ValueError for an infinity."""
    if value is None or isnan(value):
        return None
    _check_cell(value, Kind.NUMBER)
    return float(value)


def _check_cell(value: Cell, kind: Kind) -> None:
    if isinstance(value, float) and not isfinite(value):
        raise ValueError(f"{value} stands where a {kind.value} or None should")
    if value is not None and isinstance(value, str) != (kind is Kind.TEXT):
        raise ValueError(f"{value!r} is no {kind.value}")
