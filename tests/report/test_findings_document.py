"""Findings in words."""

from schedplan.model.findings import Finding, Severity
from schedplan.report.document import Paragraph
from schedplan.report.findings_document import findings_document

NOTE = Finding("SP1", Severity.NOTE, "job a", "has no price", None)
ERROR = Finding("SP2", Severity.ERROR, "job b", "fits nowhere", "Add a node.", "jobs.csv", 7, "workers")


def test_errors_come_first() -> None:
    document = findings_document((NOTE, ERROR))
    (table,) = document.tables()

    assert [row[1] for row in table.rows] == ["SP2", "SP1"]
    assert table.rows[0] == ("error", "SP2", "job b", "fits nowhere", "Add a node.", "jobs.csv", 7, "workers")
    assert document.badge == "Errors"
    assert next(document.blocks()) == Paragraph(("1 error, 1 note.",), is_headline=True)


def test_columns_without_a_value_give_a_terminal_their_room() -> None:
    (bare,) = findings_document((NOTE,)).tables()
    (full,) = findings_document((NOTE, ERROR)).tables()

    assert ["hint", "file", "row", "column"] == [column.key for column in bare.columns if column.is_detail]
    assert [] == [column.key for column in full.columns if column.is_detail]


def test_nothing_found() -> None:
    document = findings_document((), all_clear="The plan keeps every rule.")

    assert next(document.blocks()) == Paragraph(("The plan keeps every rule.",), is_headline=True)
    assert document.tables() == ()
