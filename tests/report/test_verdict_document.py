"""A verdict in words."""

from schedplan.check.rules import parse_rules
from schedplan.check.verdict import judge
from schedplan.model.findings import Measure
from schedplan.report.document import Document, Notice, Paragraph
from schedplan.report.verdict_document import verdict_document


def document_of(*rules: str) -> Document:
    return verdict_document(judge(parse_rules(rules), (Measure("cost", 100.0, "CNY"),)))


def headline(document: Document) -> str:
    first = next(document.blocks())
    assert isinstance(first, Paragraph)
    return str(first.parts[0])


def test_a_passed_gate() -> None:
    document = document_of("cost <= 100", "cost >= 1")

    assert (document.badge, headline(document)) == ("Passed", "The gate is passed: 2 rules of 2 met.")


def test_a_broken_gate_names_its_rules_first() -> None:
    document = document_of("cost <= 100", "cost <= 99", "cost <= 98 warn")
    notices = [(block.severity.value, block.text) for block in document.blocks() if isinstance(block, Notice)]

    assert (document.badge, headline(document)) == ("Failed", "1 of 3 rules is broken, 1 warning.")
    assert notices == [
        ("error", "cost <= 99: cost = 100 CNY; <= 99 CNY is broken"),
        ("warning", "cost <= 98 warn: cost = 100 CNY; <= 98 CNY is broken"),
    ]


def test_no_rules() -> None:
    assert headline(document_of()) == "There is no rule to hold the plan against."
