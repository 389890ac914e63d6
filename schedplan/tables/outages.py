"""Rows of `outages` as the model's. It does not know what they mean for a plan."""

from __future__ import annotations

from difflib import get_close_matches

from schedplan.model.cluster import Cluster
from schedplan.model.outage import Outage, OutageKind
from schedplan.tables.faults import Code
from schedplan.tables.table_rows import TableRows


def outages(rows: TableRows, cluster: Cluster) -> tuple[Outage, ...]:
    """Return the outages by start, end and place; places that are not there and ends before starts are noted in `rows.faults`."""
    columns = zip(
        rows.texts("node"),
        rows.texts("domain"),
        rows.instants("start"),
        rows.instants("end"),
        rows.names("kind"),
        rows.texts("note"),
        strict=True,
    )
    places = tuple(dict.fromkeys((*cluster.by_name, *cluster.pool_of_node)))
    domains = tuple(dict.fromkeys(name for pool in cluster.pools for name in (pool.zone, pool.rack, pool.block) if name))
    found = []
    for idx, (node, domain, start_s, end_s, kind, note) in enumerate(columns):
        if start_s is None or end_s is None:
            continue
        if end_s <= start_s:
            rows.fault(idx, Code.CONTRADICTION, "end is not after start", column="end")
        if node is not None and node not in places:
            _refuse_unknown(rows, idx, "node", node, places)
        if domain is not None and domain not in domains:
            _refuse_unknown(rows, idx, "domain", domain, domains)
        found.append(Outage(node or domain or "", start_s, end_s, OutageKind(kind), node is None, note))
    return tuple(sorted(found, key=lambda outage: (outage.start_s, outage.end_s, outage.place, outage.is_domain)))


def _refuse_unknown(rows: TableRows, idx: int, column: str, seen: str, known: tuple[str, ...]) -> None:
    near = get_close_matches(seen, known, n=1)
    expected = "a node or pool of the table nodes" if column == "node" else "a zone, rack or block of the table nodes"
    rows.fault(
        idx,
        Code.REFERENCE,
        f"there is no such {column}",
        column=column,
        seen=seen,
        expected=expected,
        hint=f"Did you mean {near[0]}?" if near else None,
    )
