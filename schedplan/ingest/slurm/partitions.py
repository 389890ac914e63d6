"""Partitions of Slurm as taints and tolerations, where both the nodes of partitions and jobs in partitions were read.

A node is in a set of partitions and has one taint, whose value is that set; a job tolerates every set that holds a partition it
may run in. So a job lands where Slurm would let it, and a node of two partitions takes the jobs of both. A job of which no limit
is told runs at most as long as its partition lets it.
"""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from schedplan.ingest.wording import in_number
from schedplan.tables.canonical import canonical_sha256
from schedplan.tables.catalog import dictionary as dictionary_of
from schedplan.tables.read import TableFile

TAINT = "slurm-partition"
_OF_NODES, _OF_JOBS, _LIMITS = "partitions", "partition", "partition_limits"
_JOINED = "+"


def with_partitions(files: tuple[TableFile, ...]) -> tuple[TableFile, ...]:
    """Return the files; where nodes and jobs both tell partitions, with taints on the nodes and tolerations of the jobs."""
    of_node = _partitions_of_nodes(files)
    has_jobs = any(file.table == "jobs" and _OF_JOBS in file.arrow.column_names for file in files)
    if not of_node or not has_jobs:
        return files
    sets = sorted({_JOINED.join(sorted(partitions)) for partitions in of_node.values()})
    limits = _limits(files)
    return tuple(_tainted(file, of_node) if file.table == "nodes" else _tolerating(file, sets, limits) for file in files)


def _partitions_of_nodes(files: tuple[TableFile, ...]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for file in files:
        if file.table == "nodes" and _OF_NODES in file.arrow.column_names:
            pairs = zip(file.arrow.column("node").to_pylist(), file.arrow.column(_OF_NODES).to_pylist(), strict=True)
            for node, text in pairs:
                if text:
                    found[node] = found.get(node, frozenset()) | frozenset(text.split(","))
    return found


def _limits(files: tuple[TableFile, ...]) -> dict[str, float | None]:
    """Return the longest run in minutes by partition, None: no limit; of two files that differ the shorter one."""
    found: dict[str, float | None] = {}
    for file in files:
        if file.table == "nodes" and _LIMITS in file.arrow.column_names:
            for text in file.arrow.column(_LIMITS).drop_null().unique().to_pylist():
                for name, _, seconds in (part.rpartition("=") for part in text.split(";")):
                    own = float(seconds) / 60 if seconds else None
                    known = found.get(name)
                    found[name] = own if known is None else known if own is None else min(own, known)
    return found


def _tainted(file: TableFile, of_node: dict[str, frozenset[str]]) -> TableFile:
    taints = [
        f"{TAINT}={_JOINED.join(sorted(of_node[node]))}:NoSchedule" if node in of_node else None
        for node in file.arrow.column("node").to_pylist()
    ]
    note = f"{file.path}: a node takes the jobs of its partitions alone, which its taint {TAINT} says"
    return _with_column(file, "taints", taints, (_OF_NODES, _LIMITS), note)


def _tolerating(file: TableFile, sets: list[str], limits: dict[str, float | None]) -> TableFile:
    if file.table != "jobs" or _OF_JOBS not in file.arrow.column_names:
        return file
    tolerations = [
        ";".join(f"{TAINT}={one}" for one in sets if set(one.split(_JOINED)) & set((text or "").split(","))) or None
        for text in file.arrow.column(_OF_JOBS).to_pylist()
    ]
    note = f"{file.path}: a job goes to nodes of its partition alone, which its tolerations say"
    return _with_column(_limited(file, limits), "tolerations", tolerations, (_OF_JOBS,), note)


def _limited(file: TableFile, limits: dict[str, float | None]) -> TableFile:
    """Return the jobs; one without a limit of its own has the longest of its partitions, where each of them has one."""
    name = "time_limit_minutes"
    own = file.arrow.column(name).to_pylist() if name in file.arrow.column_names else [None] * file.n_rows
    found: list[float | None] = []
    n_over = 0
    for text, limit in zip(file.arrow.column(_OF_JOBS).to_pylist(), own, strict=True):
        told = [limits.get(one) for one in (text or "").split(",")]
        longest = max((one for one in told if one is not None), default=None) if None not in told else None
        found.append(longest if limit is None else limit)
        n_over += limit is not None and longest is not None and limit > longest
    n_given = sum(one is not None for one in found) - sum(one is not None for one in own)
    given = in_number(f"{n_given} jobs state no limit; they have that of their partition")
    notes = (f"{file.path}: {given}",) if n_given else ()
    over = (
        f"{file.path}: {in_number(f'{n_over} jobs ask for longer than their partition lets a job run; Slurm would not start them')}"
    )
    columns = {one: file.arrow.column(one) for one in file.arrow.column_names if one != name}
    arrow = pa.table({**columns, name: pa.array(found, pa.float64())}) if n_given else file.arrow
    return replace(file, arrow=arrow, notes=(*file.notes, *notes), cautions=(*file.cautions, *((over,) if n_over else ())))


def _with_column(file: TableFile, name: str, values: list[str | None], used: tuple[str, ...], note: str) -> TableFile:
    columns = {one: file.arrow.column(one) for one in file.arrow.column_names if one not in (*used, name)}
    arrow = pa.table({**columns, name: pa.array(values, pa.string())})
    sha256 = canonical_sha256(arrow, dictionary_of(file.table))
    return replace(file, arrow=arrow, sha256=sha256, notes=(*file.notes, note))
