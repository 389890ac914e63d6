"""The dictionaries: complete, consistent, and readable as rows and as Markdown."""

from __future__ import annotations

from datetime import UTC

import pytest

from schedplan.errors import UsageError
from schedplan.tables.arrow_form import arrow_schema
from schedplan.tables.catalog import ALL_TABLES, dictionary, markdown, schema_rows
from schedplan.tables.cells import stored
from schedplan.tables.column import Kind

TABLES = [
    *("nodes", "jobs", "services", "load", "speeds", "quotas", "prices", "carbon", "outages", "pins", "events"),
    *("latency_samples", "links", "offers", "forecast", "placements", "replicas", "plan_nodes", "unplaced", "timeline", "jobs_out"),
    "services_out",
    "replicas_out",
]


def test_every_table_has_a_dictionary():
    assert TABLES == [table.name for table in ALL_TABLES]


@pytest.mark.parametrize("table", ALL_TABLES, ids=lambda table: table.name)
def test_a_dictionary_is_consistent(table):
    names = table.column_names

    assert len(set(names)) == len(names)
    assert set(table.key) <= set(names)
    assert set(table.either or ()) <= set(names)
    assert list(names) == arrow_schema(table).names
    for column in table.columns:
        assert column.description
        assert not (column.required and column.default is not None)
        assert set(column.inert_values) <= set(column.choices)
        assert (column.kind in (Kind.CHOICE, Kind.CHOICES)) == bool(column.choices)
        if column.default is not None:
            text = column.default_text
            stored(column, text, UTC)


def test_the_schema_tells_type_unit_and_default():
    rows = {row.name: row for row in schema_rows("nodes")}

    assert ("int >= 0, <= 1000000", "nodes", "1", True) == (
        rows["count"].type,
        rows["count"].unit,
        rows["count"].default,
        rows["count"].honoured,
    )
    assert "required" == rows["node"].default
    assert "count if owned or reserved, else 0" == rows["min_count"].default
    assert not rows["billing_minutes"].honoured


def test_markdown_has_one_line_per_column_whatever_the_cells_hold():
    lines = markdown("jobs").splitlines()

    assert len(dictionary("jobs").columns) + 2 == len(lines)
    assert {6} == {line.replace("\\|", "").count("|") for line in lines}


def test_an_unknown_table_gets_the_nearest_name():
    with pytest.raises(UsageError) as refused:
        schema_rows("node")

    assert "Did you mean nodes?" == refused.value.hint
