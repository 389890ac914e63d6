"""How quantities read, at the sizes where the writing changes."""

from datetime import UTC
from zoneinfo import ZoneInfo

import pytest

from schedplan.report.document import Column, Kind, Quantity
from schedplan.report.figures import cell_text, column_digits, counted, duration_text, written


@pytest.mark.parametrize(
    ("quantity", "text"),
    [
        (Quantity(36100.0, Kind.MONEY, "CNY"), "36,100 CNY"),
        (Quantity(404.2, Kind.MONEY, "CNY"), "404.20 CNY"),
        (Quantity(-1234.5, Kind.MONEY, "CNY"), "-1,234.50 CNY"),
        (Quantity(0.001, Kind.MONEY, "CNY"), "0.001 CNY"),
        (Quantity(0.824, Kind.SHARE), "82.4 %"),
        (Quantity(1.0, Kind.SHARE), "100 %"),
        (Quantity(0.99996, Kind.SHARE), "99.996 %"),  # one digit would read 100.0 %
        (Quantity(0.00004, Kind.SHARE), "0.004 %"),
        (Quantity(0.000001, Kind.SHARE, digits=2), "0.0001 %"),
        (Quantity(0.00000099, Kind.SHARE, digits=2), "< 0.0001 %"),
        (Quantity(4e-12, Kind.SHARE), "< 0.0001 %"),
        (Quantity(-4e-12, Kind.SHARE), "> -0.0001 %"),
        (Quantity(1 - 4e-12, Kind.SHARE), "> 99.9999 %"),
        (Quantity(12345.678, Kind.NUMBER, "requests/s"), "12,346 requests/s"),
        (Quantity(0.5, Kind.NUMBER), "0.500"),
        (Quantity(1234567, Kind.COUNT), "1,234,567"),
        (Quantity(None, Kind.MONEY, "CNY"), "–"),
        (Quantity(True, Kind.FLAG), "yes"),
        (Quantity(14400, Kind.DURATION), "4 h"),
        (Quantity("a\x1bb"), "a\\x1bb"),
    ],
)
def test_quantities(quantity: Quantity, text: str) -> None:
    assert text == written(quantity, UTC)


def test_instants_are_told_in_the_zone_with_its_offset() -> None:
    # 2026-11-30T18:00:00Z is 1796061600 s; Shanghai is eight hours ahead.
    assert written(Quantity(1796061600, Kind.INSTANT), ZoneInfo("Asia/Shanghai")) == "2026-12-01 02:00+08:00"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 min"),
        (0.25, "0.25 s"),
        (59, "59 s"),
        (60, "1 min"),
        (90, "1 min 30 s"),
        (5400, "1 h 30 min"),
        (86400, "24 h"),
        (2 * 86400, "2 d"),
        (273600, "3 d 4 h"),  # 3 x 86,400 + 4 x 3,600
        (-5400, "-1 h 30 min"),
        (7199, "2 h"),  # 1 h 59.98 min is 2 h in minutes
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert text == duration_text(seconds)


def test_a_column_has_one_number_of_digits_by_its_largest_broken_value() -> None:
    column = Column("x", "X", Kind.NUMBER)
    digits = column_digits(column, (0.5, 2.25, 10, None))

    assert ["0.50", "2.25", "10.00", "–"] == [cell_text(cell, column, digits, UTC) for cell in (0.5, 2.25, 10, None)]


def test_a_value_that_is_not_zero_never_reads_zero() -> None:
    column = Column("x", "X", Kind.NUMBER)
    digits = column_digits(column, (5000.5, 0.004))

    assert cell_text(0.004, column, digits, UTC) == "0.004"


def test_counted() -> None:
    assert ("no jobs", "1 job", "2,000 jobs") == (counted(0, "job"), counted(1, "job"), counted(2000, "job"))
