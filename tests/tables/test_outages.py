"""Outages from their table: every column at its place, places that are not there told with row and column."""

from __future__ import annotations

import pytest

from schedplan.errors import InputError
from schedplan.model.outage import Outage, OutageKind
from schedplan.tables.convert import content
from schedplan.tables.read import read_table

NODES = "node,count,rack\np,2,r1\nq,1,\n"
HEAD = "node,domain,start,end,kind,note\n"
T0, T1, T2 = 1796083200, 1796086800, 1796090400


@pytest.fixture
def outages_of(write_text):
    def convert(text: str) -> tuple[Outage, ...]:
        files = (read_table(write_text("nodes.csv", NODES), "nodes"), read_table(write_text("outages.csv", HEAD + text), "outages"))
        return content(files).outages

    return convert


def test_every_column_arrives_by_time(outages_of):
    found = outages_of(
        ",r1,2026-12-01T01:00:00Z,2026-12-01T02:00:00Z,failure,fan\np/2,,2026-12-01T00:00:00Z,2026-12-01T01:00:00Z,,\n"
    )

    assert (
        Outage("p/2", T0, T1),
        Outage("r1", T1, T2, OutageKind.FAILURE, is_domain=True, note="fan"),
    ) == found


@pytest.mark.parametrize(
    ("row", "column", "code", "hint"),
    [
        ("p/3,,2026-12-01T00:00:00Z,2026-12-01T01:00:00Z,,", "node", "SP1017", "Did you mean p/2?"),
        (",r2,2026-12-01T00:00:00Z,2026-12-01T01:00:00Z,,", "domain", "SP1017", None),
        ("p,,2026-12-01T01:00:00Z,2026-12-01T01:00:00Z,,", "end", "SP1011", None),
    ],
)
def test_what_can_not_be_is_a_fault(outages_of, row, column, code, hint):
    with pytest.raises(InputError) as refused:
        outages_of(row + "\n")

    fault = refused.value.faults[0]
    assert (2, column, code, hint) == (fault.row, fault.column, fault.code, fault.hint)
