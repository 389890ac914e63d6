"""Rows of `pins` as the model's. It does not know what they mean for a plan."""

from __future__ import annotations

from schedplan.model.cluster import Cluster
from schedplan.model.pin import Pin
from schedplan.tables.faults import Code
from schedplan.tables.table_rows import TableRows


def pins(rows: TableRows, cluster: Cluster, jobs: tuple[str, ...], services: tuple[str, ...]) -> tuple[Pin, ...]:
    """Return the pins by job, then service and node; what names nothing or says nothing is noted in `rows.faults`."""
    columns = zip(
        rows.texts("job"),
        rows.texts("service"),
        rows.texts("node"),
        rows.instants("start"),
        rows.integers_or_none("replicas"),
        strict=True,
    )
    places = tuple(dict.fromkeys((*cluster.by_name, *cluster.pool_of_node)))
    found: dict[tuple[bool, str, str], Pin] = {}
    for idx, (job, service, node, start_s, replicas) in enumerate(columns):
        work, known, column = (job, jobs, "job") if service is None else (service, services, "service")
        if work is None:
            continue
        if work not in known:
            rows.unknown(idx, column, work, known, f"a name in {column}s")
        if node is not None and node not in places:
            rows.unknown(idx, "node", node, places, "a node or pool of the table nodes")
        _refuse_senseless(rows, idx, column, node, start_s, replicas)
        pin = Pin(work, node, start_s, 1 if replicas is None else replicas, service is not None)
        key = (pin.is_service, work, (node or "") if pin.is_service else "")
        if key in found:
            rows.fault(idx, Code.DUPLICATE, f"{pin.subject} is pinned in another row already", column=column, seen=work)
        found[key] = pin
    return tuple(found[key] for key in sorted(found))


def _refuse_senseless(rows: TableRows, idx: int, column: str, node: str | None, start_s: int | None, replicas: int | None) -> None:
    if column == "service" and node is None:
        rows.fault(idx, Code.EMPTY_CELL, "a pin of a service needs a place", column="node", expected="a node or pool")
    if column == "job" and node is None and start_s is None:
        rows.fault(idx, Code.EMPTY_CELL, "the pin says neither where nor when", column="node", expected="node or start")
    if column == "job" and replicas is not None:
        rows.fault(idx, Code.CONTRADICTION, "a job has no replicas", column="replicas", seen=replicas, expected="an empty cell")
