"""Reader `sinfo`: nodes as `sinfo -o` or `-O` prints them with bars between columns.

Source: slurm.schedmd.com/sinfo.html (2026-11).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from schedplan.ingest.draft import Draft
from schedplan.ingest.field_error import FieldError
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.slurm.fields import Fields
from schedplan.ingest.slurm.node_record import SlurmNode, add_nodes, joined
from schedplan.ingest.slurm.parsable import BAR, bar_table, header_of
from schedplan.ingest.slurm.state import node_status
from schedplan.ingest.source_bytes import head_text, lines_of
from schedplan.tables.faults import Code
from schedplan.tables.read import TableFile

COMMAND = 'sinfo -N -o "%P|%a|%l|%t|%N|%G|%c|%m|%f"'
_NEEDED = ("STATE", "NODELIST")
_USED = ("PARTITION", "STATE", "NODELIST", "GRES", "CPUS", "CPUS(A/I/O/T)", "MEMORY", "AVAIL_FEATURES", "NODES", "TIMELIMIT")


@dataclass(frozen=True, slots=True)
class Sinfo:
    """Every node becomes one row, however many partitions list it."""

    name: str = "sinfo"
    description: str = f"Slurm: {COMMAND}, or any -o with %t, %N and %G between bars"
    tables: tuple[str, ...] = ("nodes",)
    recognised_by: str = "a header with STATE and NODELIST separated by bars"

    def sniff(self, path: Path) -> bool:
        """Return whether the file begins as sinfo's, also as its fixed-width form, which is then refused."""
        first = head_text(path).split("\n", 1)[0]
        return _has_columns(first) or first.split()[:2] == ["PARTITION", "AVAIL"]

    def read(self, path: Path, options: ReadOptions) -> tuple[TableFile, ...]:
        """Return the nodes in the file; InputError with all its faults."""
        lines = lines_of(path)
        draft = Draft.of("nodes", path)
        if not lines or not _has_columns(lines[0]):
            hint = f"Run `{COMMAND}`, `sinfo --json` or `scontrol show nodes`."
            message = "this is sinfo in columns of a fixed width, without the devices and cores of a node"
            draft.refuse_file(message, hint)
        names = tuple(name.upper() if name.upper() in _USED else name for name in header_of(lines[0]))
        table = bar_table(lines, names, True, (), lambda cells: True, _USED, draft.faults)
        found: dict[str, SlurmNode] = {}
        again = 0
        for row in table.rows:
            fields = Fields(dict(zip(names, row.cells, strict=True)), options.zone)
            try:
                nodes = _nodes(row.line, fields)
            except FieldError as problem:
                draft.refuse(row.line, problem)
                continue
            again += bool(nodes) and all(node.name in found for node in nodes)
            for node in nodes:
                _add(draft, found, node)
        draft.drop("nodes that another partition's row lists already", again)
        add_nodes(draft, found.values())
        draft.ignored |= {name for name in names if name not in _USED}
        return (draft.file(),)


def _has_columns(line: str) -> bool:
    names = {name.upper() for name in header_of(line)}
    return BAR in line and set(_NEEDED) <= names


def _nodes(line: int, fields: Fields) -> list[SlurmNode]:
    names = fields.nodes("NODELIST")
    state = fields.text("STATE") or ""
    status = node_status((state,))
    if status is None:
        raise FieldError("STATE", state, "a state of a node such as idle, mix or drng", "this is no state of a node")
    cpus = _cpus(fields, len(names))
    memory = (fields.text("MEMORY") or "").rstrip("+")
    if memory and not memory.isdigit():
        raise FieldError("MEMORY", memory, "MiB as a whole number", "this is no memory of a node")
    partition = (fields.text("PARTITION") or "").rstrip("*")
    features = fields.text("AVAIL_FEATURES")
    limits = fields.partition_limits(partition, "TIMELIMIT") if partition else ()
    return [
        SlurmNode(
            line,
            name,
            fields.gres("GRES") if "GRES" in fields.cells else None,
            cpus,
            Fraction(memory) if memory else None,
            status,
            tuple((features or "").split(",")) if features else (),
            (partition,) if partition else (),
            limits=limits,
        )
        for name in names
    ]


def _cpus(fields: Fields, n_nodes: int) -> int | None:
    """Return the cores of each node: `CPUS`, else the total of allocated/idle/other/total shared by the nodes of the row."""
    plain = (fields.text("CPUS") or "").rstrip("+")
    if plain.isdigit():
        return int(plain)
    text = fields.text("CPUS(A/I/O/T)")
    if text is None:
        return None
    parts = text.split("/")
    if len(parts) != 4 or not all(part.isdigit() for part in parts) or not n_nodes or int(parts[3]) % n_nodes:
        expected = "four counts whose last is the same for every node of the row"
        raise FieldError("CPUS(A/I/O/T)", text, expected, "the cores of each node can't be told")
    return int(parts[3]) // n_nodes


def _add(draft: Draft, found: dict[str, SlurmNode], node: SlurmNode) -> None:
    earlier = found.setdefault(node.name, node)
    if earlier is not node:
        if replace(earlier, row=0, partitions=(), limits=()) != replace(node, row=0, partitions=(), limits=()):
            message = f"row {earlier.row} tells {node.name} otherwise"
            draft.faults.add(Code.CONTRADICTION, message, row=node.row, column="NODELIST", seen=node.name)
        (found[node.name],) = joined((earlier, node))
