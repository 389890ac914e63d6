"""Text on a screen: verbatim, fitting, and whole where there is no screen."""

import re
from datetime import UTC

import pytest

from schedplan.model.findings import Severity
from schedplan.report.charts import SlotChart, SlotSeries
from schedplan.report.document import Column, Document, Kind, Notice, Paragraph, Section, SectionRole, Table
from schedplan.report.terminal import TerminalOptions, terminal_text
from schedplan.report.text_charts import columns_of, slot_lines

CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202e]")


def with_text(text: str) -> Document:
    table = Table("t", text, (Column("a", text),), ((text,),), caption=text)
    return Document(text, text, (Section("s", text, (Paragraph((text,)), Notice(Severity.ERROR, text, text, text), table)),))


@pytest.mark.parametrize("text", ["job [/etc/passwd]", "hosts [a100] node[gpu]", "queue:smile:prod", "[bold]x[/bold]", "\\[x]"])
def test_names_are_no_markup(text: str) -> None:
    shown = terminal_text(with_text(text))

    # title, section, paragraph, notice with code, text and hint, title, head, cell and caption of the table
    assert shown.count(text) == 10
    assert "☺" not in shown


@pytest.mark.parametrize("width", [None, 60, 100])
@pytest.mark.parametrize("is_unicode", [True, False])
def test_no_control_character_reaches_the_screen(hostile_document: Document, width: int | None, is_unicode: bool) -> None:
    shown = terminal_text(hostile_document, TerminalOptions(width=width, is_wide=True, is_unicode=is_unicode))

    assert not CONTROL.search(shown)
    assert "\\x1b[2J" in shown
    assert is_unicode or shown.isascii()


def test_colour_is_written_only_where_it_may(hostile_document: Document) -> None:
    coloured = terminal_text(hostile_document, TerminalOptions(width=100, color=True))
    escapes = re.findall("\x1b(.{2})", coloured)

    assert escapes
    assert all(re.match(r"\[\d", code) for code in escapes)  # colours alone; none of the names' codes
    assert "\x1b[2J" not in coloured
    assert "\x1b" not in terminal_text(hostile_document, TerminalOptions(width=100))


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140])
def test_everything_fits_the_terminal(document: Document, hostile_document: Document, width: int) -> None:
    for one in (document, hostile_document):
        for line in terminal_text(one, TerminalOptions(width=width)).splitlines():
            assert columns_of(line) <= width, line


def test_names_stay_whole_beside_text_that_can_break() -> None:
    name, text = "half-idle-half-queued", "a word and another " * 10
    table = Table("t", "", (Column("name", "Name"), Column("text", "Text")), ((name, text),))
    shown = terminal_text(Document("k", "t", (Section("s", "s", (table,)),)), TerminalOptions(width=80))

    # 21 of 80 columns; two columns of text of one length would share the width
    assert name in shown


def test_two_long_texts_share_the_width() -> None:
    text = "a word and another " * 10
    table = Table("t", "", (Column("one", "One"), Column("two", "Two")), ((text, text),))
    lines = terminal_text(Document("k", "t", (Section("s", "s", (table,)),)), TerminalOptions(width=80)).splitlines()

    # 190 characters in 39 columns each: at least 5 lines, few more where words end early
    assert 6 >= sum("word" in line or "another" in line for line in lines)


def test_tables_lose_no_cell_on_a_narrow_terminal(document: Document) -> None:
    shown = terminal_text(document, TerminalOptions(width=40))

    assert "nightly-training" in shown
    assert "2026-12-01 06:00" in shown
    assert "4,042.00" in shown


def test_off_a_terminal_nothing_is_cut(document: Document) -> None:
    name = "n" * 300
    table = Table("t", "", (Column("a", "A"), Column("b", "B", Kind.COUNT, is_detail=True)), ((name, 1),) * 500)
    shown = terminal_text(Document("k", "t", (Section("s", "S", (table,), SectionRole.DETAIL),)))

    assert shown.count(f"{name}  1") == 500
    assert not any(line.endswith(" ") for line in shown.splitlines())


def test_a_terminal_shows_the_first_rows_and_says_how_to_see_all() -> None:
    table = Table("t", "", (Column("a", "A"),), (("x",),) * 35)
    document = Document("k", "t", (Section("s", "S", (table,)),))

    assert "and 5 more rows; all of them with -o wide" in terminal_text(document, TerminalOptions(width=80))
    assert terminal_text(document, TerminalOptions(width=80, is_wide=True)).count("\nx") == 35


def test_detail_waits_for_wide(document: Document) -> None:
    brief = terminal_text(document, TerminalOptions(width=100))

    assert "What one goal is worth" not in brief
    assert "With -o wide also: Load and capacity, The forecast, What was weighed," in brief
    assert "What one goal is worth" in terminal_text(document, TerminalOptions(width=100, is_wide=True))


def test_the_gantt_shows_each_node_hour(document: Document) -> None:
    # 100 columns leave room for 72 cells, three an hour: 2 h of nothing, 4 h of training, 18 h of nothing
    shown = terminal_text(document, TerminalOptions(width=100))

    assert f"spot-a100/01  {'·' * 6}{'▓' * 12}{'·' * 54}" in shown
    assert f"od-a100/01    {'█' * 72}" in shown


def test_wide_characters_take_two_columns() -> None:
    assert (2, 4, 1) == (columns_of("ab"), columns_of("训练"), columns_of("e\u0301"))


def test_a_range_of_one_value_is_that_value() -> None:
    chart = SlotChart("c", "t", "", "nodes", (0, 3600, 7200), (SlotSeries("od", (4.0, 4.0)), SlotSeries("spot", (1.0, 3.0))))
    constant, varying, _ = ("".join(piece for piece, _ in line) for line in slot_lines(chart, UTC, 60))

    assert constant.endswith("  4 nodes")
    assert varying.endswith("  1 to 3 nodes")
