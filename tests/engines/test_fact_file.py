"""Files of facts are read strictly: nothing without source and day, nothing unknown, nothing twice, and every fault at once."""

from __future__ import annotations

import re

import pytest

from schedplan.engines.atom import ATOM_NAMES
from schedplan.engines.fact import Confidence, Value
from schedplan.engines.fact_file import engine_of
from schedplan.errors import InputError

HEAD = """\
name = "one"
title = "One"
role = "placer"
summary = "A scheduler made up for tests."
licence = "none"
governance = "nobody"
version = "1"
source = "https://example.org/one"
checked_on = 2026-11-30
"""


def fact_text(atom: str, **other: str) -> str:
    values = {
        "value": '"yes"',
        "note": '"It has it."',
        "version": '"1"',
        "source": '"https://example.org/page"',
        "checked_on": "2026-11-30",
        "confidence": '"cited"',
    }
    lines = [f"{key} = {value}" for key, value in {**values, **other}.items() if value]
    return "\n".join(["[[fact]]", f'atom = "{atom}"', *lines, ""])


def file_text(*, head: str = HEAD, gang: str | None = None, rest: str = "") -> str:
    own = fact_text("gang") if gang is None else gang
    return head + rest + own + "".join(fact_text(name) for name in ATOM_NAMES if name != "gang")


def faults_of(text: str) -> list[str]:
    with pytest.raises(InputError) as refused:
        engine_of(text, "one.toml")
    return [fault.sentence() for fault in refused.value.faults]


def test_a_whole_file_is_read() -> None:
    one = engine_of(file_text(), "one.toml")

    assert (one.name, len(one.facts)) == ("one", len(ATOM_NAMES))
    assert one.fact_of["gang"].value is Value.YES
    assert one.fact_of["gang"].confidence is Confidence.CITED


@pytest.mark.parametrize(("key", "column"), [("source", "fact 1 (gang): source"), ("checked_on", "fact 1 (gang): checked_on")])
def test_a_fact_without_source_or_day_is_refused(key: str, column: str) -> None:
    (fault,) = faults_of(file_text(gang=fact_text("gang", **{key: ""})))

    assert fault.startswith(f"one.toml, column {column}: is missing")


@pytest.mark.parametrize("source", ['"http://example.org"', '"docs/gang.md"', '"https://a page"', '"  "'])
def test_a_source_is_an_https_address(source: str) -> None:
    assert faults_of(file_text(gang=fact_text("gang", source=source)))


@pytest.mark.parametrize("day", ['"2026-11-30"', "2026-11-30T00:00:00Z", "20261130"])
def test_a_day_is_a_date_and_nothing_else(day: str) -> None:
    (fault,) = faults_of(file_text(gang=fact_text("gang", checked_on=day)))

    assert "is no date" in fault


def test_an_unknown_atom_value_and_key_are_told_with_the_nearest() -> None:
    faults = faults_of(file_text(gang=fact_text("gangs", value='"yess"', nots='"x"')))

    assert any("Did you mean gang?" in fault for fault in faults)
    assert any("Did you mean yes?" in fault for fault in faults)
    assert any("Did you mean note?" in fault or "Did you mean notes?" in fault for fault in faults)


def test_an_atom_that_is_missing_or_twice_is_a_fault_each() -> None:
    faults = faults_of(file_text(gang=fact_text("numa")))

    assert faults == [
        "one.toml, column fact: the atom gang is answered 0 times, expected once",
        "one.toml, column fact: the atom numa is answered 2 times, expected once",
    ]


@pytest.mark.parametrize(("value", "confidence"), [('"yes"', '"unverified"'), ('"not-verified"', '"cited"')])
def test_what_was_not_looked_up_is_marked_so_in_both_columns(value: str, confidence: str) -> None:
    (fault,) = faults_of(file_text(gang=fact_text("gang", value=value, confidence=confidence)))

    assert "exactly where its confidence is unverified" in fault


def test_a_note_of_several_lines_is_refused() -> None:
    (fault,) = faults_of(file_text(gang=fact_text("gang", note='"a\\nb"')))

    assert "is no line of text" in fault


def test_a_size_limit_is_a_positive_number_with_its_source() -> None:
    limit = '[[size_limit]]\nmeasure = "nodes"\nmost = 0\nnote = "Small."\nchecked_on = 2026-11-30\n'

    faults = faults_of(file_text(rest=limit))

    assert [re.sub(r"^.*column ", "", fault) for fault in faults] == [
        "size_limit 1 (nodes): most: is no positive whole number; seen '0'",
        "size_limit 1 (nodes): source: is missing",
    ]


def test_a_file_that_is_no_toml_is_an_input_error() -> None:
    (fault,) = faults_of("name = ")

    assert fault.startswith("one.toml: no TOML")
