"""Pins from their table: every column at its place, names that are not there told with row and column."""

from __future__ import annotations

import pytest

from schedplan.errors import InputError
from schedplan.model.pin import Pin
from schedplan.tables.convert import content
from schedplan.tables.read import read_table

TABLES = {
    "nodes": "node,count\np,2\n",
    "jobs": "job,gpus_per_worker\na,1\nb,1\n",
    "services": "service,slo_ms,service_ms\ns,100,10\n",
}
HEAD = "job,service,node,start,replicas\n"


@pytest.fixture
def pins_of(write_text):
    def convert(text: str) -> tuple[Pin, ...]:
        tables = {**TABLES, "pins": HEAD + text}
        return content(tuple(read_table(write_text(f"{name}.csv", rows), name) for name, rows in tables.items())).pins

    return convert


def test_every_column_arrives(pins_of):
    found = pins_of(",s,p,,2\nb,,p/2,2026-12-01T00:00:00Z,\na,,,2026-12-01T00:00:00Z,\n,s,p/1,,\n")

    assert (
        Pin("a", None, 1796083200),
        Pin("b", "p/2", 1796083200),
        Pin("s", "p", replicas=2, is_service=True),
        Pin("s", "p/1", is_service=True),
    ) == found


@pytest.mark.parametrize(
    ("row", "column", "code", "hint"),
    [
        ("c,,p,,", "job", "SP1017", None),
        (",ss,p,,", "service", "SP1017", "Did you mean s?"),
        ("a,,p/3,,", "node", "SP1017", "Did you mean p/2?"),
        ("a,,,,", "node", "SP1007", None),
        (",s,,,", "node", "SP1007", None),
        ("a,,p,,2", "replicas", "SP1011", None),
        ("a,,p,,\na,,p/1,,", "job", "SP1010", None),
    ],
)
def test_what_can_not_be_is_a_fault(pins_of, row, column, code, hint):
    with pytest.raises(InputError) as refused:
        pins_of(row + "\n")

    fault = refused.value.faults[0]
    assert (column, code, hint) == (fault.column, fault.code, fault.hint)
