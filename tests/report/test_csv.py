"""What spreadsheets and scripts read."""

import csv
import io

import pytest

from schedplan.report.csv import csv_text, table_csv
from schedplan.report.document import Cell, Column, Document, Kind, Section, Table

COLUMNS = (Column("name", "Name"), Column("n", "N", Kind.NUMBER), Column("at", "At", Kind.INSTANT), Column("ok", "Ok", Kind.FLAG))


def one_row(*cells: Cell) -> Table:
    return Table("t", "", COLUMNS, (cells,))


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", '"=1+1', "'=1+1", " =1+1", "\n=1+1", "＝1", "=cmd|' /C calc'!A0"]
)
def test_text_that_a_spreadsheet_would_run_is_quoted(text: str) -> None:
    read = list(csv.reader(io.StringIO(table_csv(one_row(text, 1.0, 0, True)), newline="")))

    assert read[1][0] == f"'{text}"


@pytest.mark.parametrize("text", ["a=b", "007", "1e5", "NA", "x-y", "", "a,b", 'say "x"', "two\nlines"])
def test_other_text_is_untouched(text: str) -> None:
    read = list(csv.reader(io.StringIO(table_csv(one_row(text, 1.0, 0, True)), newline="")))

    assert read[1][0] == text


def test_numbers_stay_numbers() -> None:
    assert table_csv(one_row("a", -5.0, 0, True)) == "name,n,at,ok\na,-5,1970-01-01T00:00:00Z,true\n"
    assert table_csv(one_row(None, 0.1 + 0.2, None, False)) == "name,n,at,ok\n,0.3,,false\n"


def test_the_guard_can_be_left_off_for_a_round_trip() -> None:
    assert table_csv(one_row("=1", 1, 0, True), guards_formulas=False).splitlines()[1].startswith("=1,")


def test_escape_codes_are_spelled_out() -> None:
    assert table_csv(one_row("\x1b[2J", 1, 0, True)).splitlines()[1].startswith("\\x1b[2J,")


def test_the_main_table_is_the_one_named(document: Document) -> None:
    assert csv_text(document).startswith("job,worker_first,worker_last,node,start,end,run_end,devices,")


def test_a_document_without_a_table_has_no_lines() -> None:
    assert csv_text(Document("k", "t", (Section("s", "", ()),))) == ""
