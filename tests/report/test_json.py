"""What machines read."""

import json
from math import nan

import pytest

from schedplan.report.document import Column, Document, Facts, Kind, Quantity, Section, Table
from schedplan.report.json import json_text, serialized


def test_the_plan_has_its_values_at_the_top(document: Document) -> None:
    form = json.loads(json_text(document))
    names = {"kind", "schema_version", "status", "objective", "bound", "gap", "gap_avoidable", "terms", "measures", "unplaced"}

    assert names | {"warnings", "inputs", "versions", "seed"} <= set(form)
    assert (form["kind"], form["status"], form["gap"], form["seed"]) == ("plan", "optimal", 0.0, 0)
    assert form["measures"][1]["labels"] == {"pool": "od-a100"}
    assert form["inputs"][0] == {"path": "nodes.csv", "sha256": "ab" * 32}


def test_instants_are_utc(document: Document) -> None:
    form = json.loads(json_text(document))
    tables = {block["id"]: block for section in form["sections"] for block in section["blocks"] if block["type"] == "table"}

    # 02:00 in Shanghai is 18:00 of the day before in UTC
    assert tables["placements"]["rows"][0]["start"] == "2026-11-30T18:00:00Z"


def test_keys_are_sorted_floats_are_fixed_and_all_is_ascii() -> None:
    assert serialized({"b": 0.1 + 0.2, "a": -0.0, "ü": "\u2028"}) == '{\n "a": 0.0,\n "b": 0.3,\n "\\u00fc": "\\u2028"\n}\n'


def test_what_is_not_finite_has_no_form() -> None:
    with pytest.raises(ValueError, match="nan has no JSON form"):
        serialized([nan])


def test_a_fact_may_not_hide_a_name_of_the_document() -> None:
    with pytest.raises(ValueError, match="the fact title would hide"):
        json_text(Document("k", "t", (), facts=Facts((("title", 1),))))


def test_quantities_among_facts_are_plain_values() -> None:
    facts = Facts((("at", Quantity(0, Kind.INSTANT)), ("cost", Quantity(5.0, Kind.MONEY, "EUR")), ("none", Quantity(None))))
    form = json.loads(json_text(Document("k", "t", (), facts=facts)))

    assert (form["at"], form["cost"], form["none"]) == ("1970-01-01T00:00:00Z", 5.0, None)


def test_rows_are_objects_by_column_key() -> None:
    table = Table("t", "", (Column("a", "A"), Column("n", "N", Kind.COUNT)), (("x", 1), (None, None)))
    form = json.loads(json_text(Document("k", "t", (Section("s", "", (table,)),))))

    assert form["sections"][0]["blocks"][0]["rows"] == [{"a": "x", "n": 1}, {"a": None, "n": None}]
