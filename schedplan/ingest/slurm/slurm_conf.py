"""Reader `slurm-conf`: the lines of slurm.conf, gres.conf and topology.conf that tell nodes, partitions and switches.

Source: slurm.schedmd.com/slurm.conf.html, gres.conf.html and topology.conf.html (2026-11).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from schedplan.ingest.draft import Draft
from schedplan.ingest.field_error import FieldError
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.slurm.fields import Fields
from schedplan.ingest.slurm.hostlist import HostlistError, expand
from schedplan.ingest.slurm.key_values import Record, records
from schedplan.ingest.slurm.node_record import SlurmNode, add_nodes, joined
from schedplan.ingest.slurm.topology import leaf_nodes
from schedplan.ingest.slurm.tres import Tres, count_of
from schedplan.ingest.source_bytes import head_text, lines_of
from schedplan.tables.read import TableFile
from schedplan.units import QuantityError

_KINDS = ("NodeName", "PartitionName", "SwitchName", "Name")
OTHER_LINE = "a line of the configuration that tells no node"


@dataclass(frozen=True, slots=True)
class SlurmConf:
    """Every node becomes a row of `nodes`; its partitions and its leaf switch go with it."""

    name: str = "slurm-conf"
    description: str = "Slurm's slurm.conf (node and partition lines), gres.conf and topology.conf"
    tables: tuple[str, ...] = ("nodes",)
    recognised_by: str = "a line that begins with NodeName=, PartitionName= or SwitchName=, and none that scontrol alone prints"

    def sniff(self, path: Path) -> bool:
        """Return whether a line of the file begins with a key of a node, partition or switch."""
        return any(line.startswith(("NodeName=", "PartitionName=", "SwitchName=")) for line in head_text(path).splitlines())

    def read(self, path: Path, options: ReadOptions) -> tuple[TableFile, ...]:
        """Return the nodes in the file; InputError with all its faults."""
        lines = lines_of(path)
        draft = Draft.of("nodes", path)
        found = records(_continued(lines), _KINDS)
        nodes: list[SlurmNode] = []
        switches: list[tuple[int, Fields]] = []
        members: list[SlurmNode] = []
        for record in found:
            fields = record.fields(options.zone)
            try:
                if record.kind == "SwitchName":
                    switches.append((record.line, fields))
                elif record.kind == "PartitionName":
                    members.extend(_members(record, fields))
                else:
                    nodes.extend(_nodes(record, fields))
            except FieldError as problem:
                draft.refuse(record.line, problem)
        leaves, above = leaf_nodes(switches, draft)
        draft.drop("a switch above the leaves; nodes hang on leaves", above)
        draft.note(len(members), "partitions name their nodes and the longest run; of their other limits nothing is read")
        add_nodes(draft, _with_members(nodes, members) if nodes else (*joined(members), *leaves))
        if not draft.rows and not draft.faults.faults:
            draft.refuse_file("no line tells a node", "Give the file with the lines NodeName=...")
        return (draft.file(),)


def _continued(lines: list[str]) -> list[str]:
    """Return the lines, one that ends in a backslash with what follows it."""
    found = list(lines)
    for idx in range(len(found) - 2, -1, -1):
        if found[idx].endswith("\\"):
            found[idx], found[idx + 1] = f"{found[idx][:-1]} {found[idx + 1]}", ""
    return found


def _nodes(record: Record, fields: Fields) -> list[SlurmNode]:
    names = [name for name in fields.nodes("NodeName") if name != "DEFAULT"]
    if fields.text("Name") is not None or record.kind == "Name":
        gres: Tres | None = _devices_of_gres_conf(fields)
        return [SlurmNode(record.line, name, gres) for name in names]
    memory, kept = fields.whole("RealMemory"), fields.whole("MemSpecLimit") or 0
    features = fields.text("Features", "Feature")
    return [
        SlurmNode(
            record.line,
            name,
            fields.gres("Gres"),
            fields.whole("CPUs") or _cores(fields),
            None if memory is None else memory - kept,
            features=tuple((features or "").split(",")) if features else (),
        )
        for name in names
    ]


def _cores(fields: Fields) -> int | None:
    parts = [fields.whole(name) for name in ("Sockets", "CoresPerSocket", "ThreadsPerCore")]
    if parts[1] is None:
        return None
    return (parts[0] or 1) * parts[1] * (parts[2] or 1)


def _devices_of_gres_conf(fields: Fields) -> Tres:
    """Return the devices of a line of gres.conf: Count, else as many as its File names."""
    kind, model = fields.text("Name") or "gpu", fields.text("Type")
    try:
        files = fields.text("File", "MultipleFiles")
        stated = fields.text("Count")
        count = count_of(stated) if stated else len(expand(files)) if files else 1
    except (QuantityError, HostlistError) as problem:
        raise FieldError("File", fields.text("File", "Count") or "", "a count, or names of devices", str(problem)) from None
    if kind != "gpu":
        return Tres(others=((kind, count),))
    return Tres(devices=count, models=((model, count),) if model else ())


def _members(record: Record, fields: Fields) -> list[SlurmNode]:
    name = fields.text("PartitionName") or ""
    text = fields.text("Nodes") or ""
    if text.upper() == "ALL" or name == "DEFAULT":
        return []
    limits = fields.partition_limits(name, "MaxTime")
    return [SlurmNode(record.line, node, partitions=(name,), limits=limits) for node in fields.nodes("Nodes")]


def _with_members(nodes: list[SlurmNode], members: list[SlurmNode]) -> list[SlurmNode]:
    of_node = {node.name: node for node in joined(members)}
    told = ((node, of_node.get(node.name)) for node in nodes)
    return [node if own is None else replace(node, partitions=own.partitions, limits=own.limits) for node, own in told]
