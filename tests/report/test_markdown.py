"""Markdown keeps its shape: read by a Markdown parser, hostile names make no element that plain ones don't."""

from collections import Counter
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from schedplan.model.findings import Severity
from schedplan.report.document import Column, Document, Kind, Notice, Paragraph, Section, Table
from schedplan.report.markdown import escaped, markdown_text


class Elements(HTMLParser):
    """Counts start tags and collects text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def rendered(markdown: str) -> Elements:
    elements = Elements()
    elements.feed(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(markdown))
    return elements


def with_cell(text: str) -> Document:
    table = Table("t", "", (Column("a", "A"), Column("b", "B", Kind.COUNT)), ((text, 1), ("x", 2)))
    return Document("k", "title", (Section("s", "Section", (table,)),))


def test_hostile_names_make_no_new_element(document: Document, hostile_document: Document) -> None:
    assert rendered(markdown_text(document)).tags == rendered(markdown_text(hostile_document)).tags


@pytest.mark.parametrize(
    "text",
    [
        "a|b",
        "\\|x|",
        "`x | y`",
        "``",
        "a\nb",
        "a\r\n\r\n# b",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "![x](y)",
        "<javascript:alert(1)>",
        "*a* _b_ ~~c~~ **d**",
        "&lt;b&gt; &#124;",
        "\\",
        "$x$",
        "\u2028|",
        "<!-- x",
        "](",
    ],
)
def test_a_cell_is_shown_as_it_is(text: str) -> None:
    elements = rendered(markdown_text(with_cell(text)))
    shape = {"h1": 1, "h2": 1, "table": 1, "thead": 1, "tbody": 1, "tr": 3, "th": 2, "td": 4}

    assert shape == dict(elements.tags)
    assert visible_form(text) in "".join(elements.text)


def visible_form(text: str) -> str:
    return text.replace("\r", "\\r").replace("\n", "\\n").replace("\u2028", "\\u2028")


@pytest.mark.parametrize(
    "text", ["- x", "1. x", "12) x", "+ x", "> x", "# x", "===", "---", "```", "    x", "<b>x</b>", "| a | b |"]
)
def test_a_line_begins_no_block(text: str) -> None:
    document = Document("k", "t", (Section("s", "S", (Paragraph((text,)),)),))

    assert dict(rendered(markdown_text(document)).tags) == {"h1": 1, "h2": 1, "p": 1}


def test_addresses_and_mentions_are_text() -> None:
    assert escaped("https://x.y www.x.y a@b") == "https&#58;//x.y www&#46;x.y a&#64;b"


def test_numbers_read_as_numbers() -> None:
    assert escaped("82.4 %") == "82.4 %"


def test_a_notice_stands_out() -> None:
    document = Document("k", "t", (Section("s", "S", (Notice(Severity.WARNING, "x has no slack", "SP1", "Do y."),)),))

    assert "> **Warning SP1:** x has no slack Do y." in markdown_text(document)


def test_long_tables_say_what_is_left() -> None:
    table = Table("t", "", (Column("a", "A"),), (("x",),) * 203)
    text = markdown_text(Document("k", "t", (Section("s", "S", (table,)),)))

    assert text.count("| x |") == 200
    assert "and 3 more rows" in text


def test_an_empty_table_says_so() -> None:
    table = Table("t", "", (Column("a", "A"),), (), empty_text="nothing left out")

    assert "*nothing left out*" in markdown_text(Document("k", "t", (Section("s", "S", (table,)),)))
