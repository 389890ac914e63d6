"""Rows of `outages` as the model's. It does not know what they mean for a plan."""

from __future__ import annotations

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
            rows.unknown(idx, "node", node, places, "a node or pool of the table nodes")
        if domain is not None and domain not in domains:
            rows.unknown(idx, "domain", domain, domains, "a zone, rack or block of the table nodes")
        found.append(Outage(node or domain or "", start_s, end_s, OutageKind(kind), node is None, note))
    return tuple(sorted(found, key=lambda outage: (outage.start_s, outage.end_s, outage.place, outage.is_domain)))
