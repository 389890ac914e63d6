"""How a quantity is written for people: digits, thousands, units, durations, local times. It knows no markup."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import tzinfo

from schedplan.report.document import Cell, Column, Inline, Kind, Quantity
from schedplan.report.verbatim import visible
from schedplan.timegrid import format_local

NO_ANSWER = "–"
MINUS = "-"
_MOST_DIGITS = 4
LEAST_SHARE = 1e-6
"""The least share that is written as a figure: a ten-thousandth of a percent."""

_DAY_S, _HOUR_S, _MINUTE_S = 86400, 3600, 60
_DAYS_FROM_S = 2 * _DAY_S


def written(quantity: Quantity, zone: tzinfo) -> str:
    """Return a quantity with its unit, e.g. `36,100 CNY`, `82.4 %`, `4 h`, `2026-12-01 02:00+08:00`; a dash for None."""
    figure = _figure(quantity.value, quantity.kind, quantity.digits, zone)
    if quantity.value is None or quantity.kind not in (Kind.COUNT, Kind.NUMBER, Kind.MONEY) or not quantity.unit:
        return figure
    return f"{figure} {visible(quantity.unit)}"


def written_parts(parts: Iterable[Inline], zone: tzinfo) -> str:
    """Return running text as one line."""
    return "".join(visible(part) if isinstance(part, str) else written(part, zone) for part in parts)


def cell_text(cell: Cell, column: Column, digits: int | None, zone: tzinfo) -> str:
    """Return a cell without its unit, which stands in the head of its column; `digits` is that of the whole column."""
    return _figure(cell, column.kind, digits, zone)


def head_text(column: Column) -> str:
    """Return the head of a column: its title, and the unit where cells don't carry it."""
    return visible(f"{column.title}, {column.unit}" if column.unit else column.title)


def column_digits(column: Column, cells: Iterable[Cell]) -> int | None:
    """Return the digits after the point that all cells of a column are written with; None where each has its own."""
    if column.digits is not None or column.is_mixed or column.kind not in (Kind.NUMBER, Kind.MONEY):
        return column.digits
    values = [float(cell) for cell in cells if cell is not None]
    fractional = [value for value in values if not value.is_integer()]
    return _digits(max(fractional, key=abs), column.kind) if fractional else 0


def counted(number: int, noun: str) -> str:
    """Return `1 node`, `20 nodes`, `no nodes`."""
    plural = noun if number == 1 else f"{noun}s"
    return f"{number:,} {plural}" if number else f"no {plural}"


def number_text(value: float) -> str:
    """Return a number without unit, its digits by its size."""
    return _number_text(value, _digits(value, Kind.NUMBER))


def written_money(amount: float) -> str:
    """Return an amount without its currency."""
    return _number_text(amount, _digits(amount, Kind.MONEY))


def duration_text(seconds: float) -> str:
    """Return `45 s`, `30 min`, `1 h 30 min`, `3 d 4 h`: the two largest parts, from two days on in days."""
    if seconds < 0:
        return MINUS + duration_text(-seconds)
    if seconds == 0:
        return "0 min"
    if seconds < _MINUTE_S:
        return f"{seconds:.3g} s"
    whole = round(seconds)
    if whole >= _DAYS_FROM_S:
        return _two_parts(whole, (_DAY_S, "d"), (_HOUR_S, "h"))
    if whole >= _HOUR_S:
        return _two_parts(whole, (_HOUR_S, "h"), (_MINUTE_S, "min"))
    return _two_parts(whole, (_MINUTE_S, "min"), (1, "s"))


def _two_parts(whole_s: int, large: tuple[int, str], small: tuple[int, str]) -> str:
    number_of_small = round(whole_s / small[0])
    number_of_large, rest = divmod(number_of_small, large[0] // small[0])
    return f"{number_of_large} {large[1]} {rest} {small[1]}" if rest else f"{number_of_large} {large[1]}"


def _figure(value: Cell, kind: Kind, digits: int | None, zone: tzinfo) -> str:  # noqa: PLR0911 a table of kinds
    if value is None:
        return NO_ANSWER
    if isinstance(value, str):
        return visible(value)
    match kind:
        case Kind.FLAG:
            return "yes" if value else "no"
        case Kind.INSTANT:
            return format_local(int(value), zone)
        case Kind.DURATION:
            return duration_text(value)
        case Kind.SHARE:
            return _share_text(value, 1 if digits is None else digits)
        case Kind.COUNT:
            return f"{round(value):,}"
        case _:
            return _number_text(value, _digits(value, kind) if digits is None else digits)


def _share_text(share: float, digits: int) -> str:
    """Return a percentage; one that isn't 0 or 100 never reads as if it were, be it by a word on how near it is."""
    if share in (0.0, 1.0):
        return f"{share * 100:.0f} %"
    if abs(share) < LEAST_SHARE:
        return "< 0.0001 %" if share > 0 else "> -0.0001 %"
    if abs(share - 1.0) < LEAST_SHARE:
        return "> 99.9999 %" if share < 1 else "100 %"
    text = f"{share * 100:.{digits}f}"
    while float(text) in (0.0, 100.0) and digits < _MOST_DIGITS:
        digits += 1
        text = f"{share * 100:.{digits}f}"
    return f"{text} %"


def _number_text(value: float, digits: int) -> str:
    text = f"{value:,.{digits}f}"
    if value != 0 and float(text.replace(",", "")) == 0:
        return f"{value:.1g}"
    return text


def _digits(value: float, kind: Kind) -> int:
    """Return the digits after the point that tell three or four figures of a value; money has none or two."""
    if float(value).is_integer():
        return 0
    if kind is Kind.MONEY:
        return 0 if abs(value) >= 10_000 else 2
    for limit, digits in ((1000, 0), (100, 1), (1, 2)):
        if abs(value) >= limit:
            return digits
    return 3
