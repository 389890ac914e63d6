"""Switches of a tree, as topology.conf and `scontrol show topology` tell them: the leaf a node hangs on is its block."""

from __future__ import annotations

from collections.abc import Iterable

from schedplan.ingest.draft import Draft
from schedplan.ingest.field_error import FieldError
from schedplan.ingest.slurm.fields import Fields
from schedplan.ingest.slurm.node_record import SlurmNode
from schedplan.tables.faults import Code


def leaf_nodes(switches: Iterable[tuple[int, Fields]], draft: Draft) -> tuple[list[SlurmNode], int]:
    """Return the nodes with their leaf, and how many switches are no leaf. A node on two leaves is a fault.

    switches: (line, cells with SwitchName, Nodes and Switches). A switch that names switches below it is no leaf.
    """
    found: dict[str, SlurmNode] = {}
    above = 0
    for line, fields in switches:
        name = fields.text("SwitchName") or ""
        if fields.text("Switches"):
            above += 1
            continue
        try:
            nodes = fields.nodes("Nodes")
        except FieldError as problem:
            draft.refuse(line, problem)
            continue
        for node in nodes:
            if node in found:
                draft.faults.add(
                    Code.CONTRADICTION, f"{node} hangs on the leaf {found[node].block} already", row=line, column="Nodes", seen=name
                )
            found.setdefault(node, SlurmNode(line, node, block=name))
    return list(found.values()), above
