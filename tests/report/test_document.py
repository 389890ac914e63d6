"""What a document refuses, so that no renderer need think of it."""

from math import inf, nan

import pytest

from schedplan.report.charts import Line as Course
from schedplan.report.charts import LineRole, SlotChart, SlotSeries
from schedplan.report.document import Column, Document, Facts, Kind, Quantity, Section, Table, finite


@pytest.mark.parametrize("value", [nan, inf, -inf])
def test_numbers_are_finite(value: float) -> None:
    with pytest.raises(ValueError, match="stands where a money or None should"):
        Quantity(value, Kind.MONEY, "EUR")


def test_text_is_no_number_and_a_number_no_text() -> None:
    with pytest.raises(ValueError, match="'5' is no number"):
        Quantity("5", Kind.NUMBER)
    with pytest.raises(ValueError, match="5 is no text"):
        Quantity(5)


def test_rows_are_as_wide_as_their_heads() -> None:
    with pytest.raises(ValueError, match="a row of 1 cells under 2 columns"):
        Table("t", "", (Column("a", "A"), Column("b", "B")), (("x",),))


def test_series_are_as_long_as_their_axis() -> None:
    with pytest.raises(ValueError, match="s: 3 values where 2 belong"):
        SlotChart("c", "", "", "", (0, 1, 2), (SlotSeries("s", (1.0, 2.0, 3.0)),))
    with pytest.raises(ValueError, match="l: 1 values where 2 belong"):
        Course("l", LineRole.ACTUAL, (0, 1), (1.0,))


def test_ids_are_plain_and_occur_once() -> None:
    with pytest.raises(ValueError, match="is no block id"):
        Section('"><img>', "", ())
    table = Table("t", "", (Column("a", "A"),), ())
    with pytest.raises(ValueError, match="a block id occurs twice"):
        Document("k", "t", (Section("s", "", (table, table)),))


def test_a_fact_has_one_value() -> None:
    with pytest.raises(ValueError, match="a name occurs twice"):
        Facts((("a", 1), ("a", 2)))


def test_a_gap_is_none_and_an_infinity_an_error() -> None:
    assert (None, None, 2.0) == (finite(None), finite(nan), finite(2))
    with pytest.raises(ValueError, match="inf"):
        finite(inf)
