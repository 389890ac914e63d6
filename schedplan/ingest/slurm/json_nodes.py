"""Nodes, partitions and reservations in Slurm's JSON (`sinfo --json` of 22.05, `scontrol --json`, slurmrestd)."""

from __future__ import annotations

from schedplan.ingest.draft import Value
from schedplan.ingest.element import Element, shape_error
from schedplan.ingest.slurm.json_value import gres_text, instant, minutes_s, node_names, number, words
from schedplan.ingest.slurm.node_record import SlurmNode
from schedplan.ingest.slurm.reservation import outages_of
from schedplan.ingest.slurm.state import node_status


def controller_node(row: int, node: Element) -> SlurmNode:
    """Return a node; FieldError where a field is not what it should be."""
    name = node.get("name").text()
    if name is None:
        raise shape_error(f"{node.place}.name", "", "the name of a node")
    states = (*words(node.get("state")), *words(node.get("state_flags")))
    status = node_status(states)
    if status is None:
        raise shape_error(f"{node.place}.state", states, "states of a node such as IDLE or MIXED")
    memory, kept = number(node.get("real_memory")), number(node.get("specialized_memory")) or 0
    return SlurmNode(
        row,
        name,
        gres_text(node.get("gres")),
        number(node.get("effective_cpus")) or number(node.get("cpus")),
        None if memory is None else memory - kept,
        status,
        words(node.get("features")),
        words(node.get("partitions")),
    )


def partition_nodes(row: int, partition: Element) -> list[SlurmNode]:
    """Return the nodes of a partition, of which it tells the name, that they are in it, and how long a job may run there."""
    name = partition.get("name").text() or ""
    longest = partition.get("maximums", "time")
    found = minutes_s(longest)
    limits = () if longest.is_absent else ((name, None if found is None else int(found)),)
    return [SlurmNode(row, node, partitions=(name,), limits=limits) for node in node_names(partition.get("nodes", "configured"))]


def reservation_rows(row: int, reservation: Element) -> list[dict[str, Value]]:
    """Return the rows of `outages` of a reservation: one per node."""
    del row
    return outages_of(
        reservation.get("name").text() or "",
        node_names(reservation.get("node_list")),
        instant(reservation.get("start_time")),
        instant(reservation.get("end_time")),
        words(reservation.get("flags")),
    )
