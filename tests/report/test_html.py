"""One HTML file that needs nothing else and makes nothing of the names it shows."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

from schedplan.report.document import Column, Document, Kind, Paragraph, Quantity, Section, Table
from schedplan.report.html import html_text

VOID = {"meta", "img", "br", "link", "input", "hr", "rect"}


class Page(HTMLParser):
    """Elements as (tag, attribute names) in order, scripts by their type, and all shown text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.values: list[tuple[str, str, str]] = []
        self.scripts: list[tuple[str, str]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self._script: str | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(name for name, _ in attrs)))
        self.values += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self._script = dict(attrs).get("type") or "code"

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in VOID
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self._script = None

    def handle_data(self, data: str) -> None:
        if self._script is not None:
            self.scripts.append((self._script, data))
        elif self.open[-1:] != ["style"]:
            self.text.append(data)


def test_hostile_names_make_no_new_element_or_attribute(document: Document, hostile_document: Document) -> None:
    plain, hostile = Page(html_text(document)), Page(html_text(hostile_document))

    assert plain.elements == hostile.elements
    assert [] == plain.open == hostile.open
    assert not any(name.startswith("on") for _, names in hostile.elements for name in names)
    assert "</script><script>alert(1)</script>" in "".join(hostile.text)


def test_hostile_names_reach_charts_as_data(hostile_document: Document) -> None:
    figures = [text for kind, text in Page(html_text(hostile_document)).scripts if kind == "application/json"]

    assert len(figures) == 7  # waterfall, nodes over time, nodes on, cost, load, replicas, forecast
    for text in figures:
        assert not set("<>&") & set(text)
        assert text.isascii()
        json.loads(text)
    assert any("&lt;/script&gt;" in str(json.loads(text)) for text in figures)


def test_nothing_is_loaded_and_only_our_scripts_may_run(document: Document) -> None:
    page = Page(html_text(document))
    policy = next(value for tag, name, value in page.values if (tag, name) == ("meta", "content") and "default-src" in value)
    code = [text for kind, text in page.scripts if kind == "code"]
    hashes = [f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in code]

    assert len(code) == 2
    assert f"script-src {' '.join(hashes)};" in policy
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe-eval" not in policy
    assert not [value for _, name, value in page.values if name in ("src", "action", "srcset")]
    assert all(value.startswith("#") for _, name, value in page.values if name == "href")


def test_no_address_stands_outside_the_drawing_library(document: Document) -> None:
    text = html_text(document)
    library = max((text for _, text in Page(text).scripts), key=len)

    assert not re.search(r"https?://|//[a-z]+[.]", text.replace(library, ""))


def test_every_chart_has_its_numbers_beside_it(document: Document) -> None:
    page = Page(html_text(document))
    charts = [value for tag, name, value in page.values if tag == "div" and name == "id" and value.endswith("-chart")]

    assert len(charts) == 7
    assert sum("Show the numbers" in text for text in page.text) == len(charts)
    assert all(value for tag, name, value in page.values if name == "aria-label")


def test_the_answer_comes_first(document: Document) -> None:
    text = " ".join("".join(Page(html_text(document)).text).split())

    assert text.index("37,900") < text.index("Proven optimal:") < text.index("no slack") < text.index("Nodes over time")


def test_a_document_without_charts_needs_no_script() -> None:
    document = Document("k", "t", (Section("s", "S", (Paragraph(("a ", Quantity(0.5, Kind.SHARE))),)),))
    text = html_text(document)

    assert "<script" not in text
    assert "script-src 'none'" in text.replace("&#39;", "'")
    assert len(text) < 20_000


def test_long_tables_say_what_is_left() -> None:
    table = Table("t", "", (Column("a", "A"),), (("x",),) * 503)
    text = html_text(Document("k", "t", (Section("s", "S", (table,)),)))

    assert text.count('<td class="short">x</td>') == 500
    assert "and 3 more rows" in text


def test_control_characters_are_spelled_out() -> None:
    text = html_text(Document("k", "a\x00b\x1b\u202e", (Section("s", "S", ()),)))

    assert "a\\x00b\\x1b\\u202e" in text
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", text)


def test_short_words_stay_whole_and_sentences_get_room() -> None:
    columns = (Column("a", "Where"), Column("b", "Why"), Column("c", "Gap", Kind.SHARE))
    table = Table("t", "", columns, (("od", "no node of this pool has room for it", 4e-12),))
    text = html_text(Document("k", "t", (Section("s", "S", (table,)),)))

    cells = '<td class="short">od</td><td class="prose">no node of this pool has room for it</td><td class="num">&lt; 0.0001 %</td>'
    assert cells in text
    assert "th, td { overflow-wrap: normal; }" in text


def test_the_longer_the_text_the_more_room_has_its_column() -> None:
    columns = tuple(Column(name, name) for name in "abc")
    texts = ("x" * 90, "x" * 260, "x" * 261)
    text = html_text(Document("k", "t", (Section("s", "S", (Table("t", "", columns, (texts,)),)),)))
    few = html_text(Document("k", "t", (Section("s", "S", (Table("t", "", columns[:2], (texts[:2],)),)),)))

    assert ["prose", "long", "essay"] == re.findall(r'<td class="(\w+)">', text)
    assert ["words", "words"] == re.findall(r'<td class="(\w+)">', few)
