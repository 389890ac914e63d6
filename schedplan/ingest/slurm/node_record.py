"""A node as Slurm's commands and configuration tell it, whatever the source; and its rows of the table `nodes`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from schedplan.ingest.draft import Draft, Value
from schedplan.ingest.slurm.tres import MIB_PER_GIB, Tres


@dataclass(frozen=True, slots=True)
class SlurmNode:
    """One node. gres: its devices and what else it counts. None: not stated. block: the leaf switch it hangs on.

    limits: (partition, the longest that a job may run in it in seconds, None: as long as it likes) of partitions that state it.
    """

    row: int
    name: str
    gres: Tres | None = None
    cpus: int | None = None
    memory_mib: Fraction | int | None = None
    status: str | None = None
    features: tuple[str, ...] = ()
    partitions: tuple[str, ...] = ()
    block: str | None = None
    limits: tuple[tuple[str, int | None], ...] = ()


def joined(nodes: Iterable[SlurmNode]) -> list[SlurmNode]:
    """Return one record per node, its partitions and their limits put together."""
    found: dict[str, SlurmNode] = {}
    for node in nodes:
        earlier = found.get(node.name)
        partitions = dict.fromkeys((*(earlier.partitions if earlier else ()), *node.partitions))
        limits = dict.fromkeys((*(earlier.limits if earlier else ()), *node.limits))
        found[node.name] = replace(earlier or node, partitions=tuple(partitions), limits=tuple(limits))
    return list(found.values())


def add_nodes(draft: Draft, nodes: Iterable[SlurmNode]) -> None:
    """Add every node to a draft of the table `nodes`, and what is odd as notes.

    A node with devices of several models becomes one row per model, its cores and memory divided by devices: a row of the table
    has one model.
    """
    found = list(nodes)
    for node in found:
        for row in _rows(node):
            draft.add(node.row, row)
    mixed = [node.name for node in found if node.gres is not None and len(node.gres.models) > 1]
    draft.caution(
        len(mixed),
        f"{len(mixed)} nodes have devices of several models ({', '.join(mixed[:3])}); each model is a row of its own with its part"
        " of the cores and memory, so nothing can hold them together",
    )
    stated = [node for node in found if node.gres is not None]
    devices = sum(node.gres.devices for node in stated if node.gres is not None)
    draft.note(len(stated), f"{len(stated)} nodes with {devices} devices: {_by_model(stated)}")
    asleep = sum(node.status == "down" for node in found)
    draft.note(asleep, f"{asleep} nodes are down and take nothing")
    cordoned = sum(node.status == "cordoned" for node in found)
    draft.note(cordoned, f"{cordoned} nodes are drained or draining; what runs on them stays, nothing new starts")


def _rows(node: SlurmNode) -> list[dict[str, Value]]:
    models = node.gres.models if node.gres is not None else ()
    if node.gres is not None and len(models) > 1:
        return [_row(node, f"{node.name}:{model}", model, count, Fraction(count, node.gres.devices)) for model, count in models]
    model = models[0][0] if models else None
    return [_row(node, node.name, model, None if node.gres is None else node.gres.devices, Fraction(1))]


def _row(node: SlurmNode, name: str, model: str | None, devices: int | None, share: Fraction) -> dict[str, Value]:
    others = node.gres.others if node.gres is not None else ()
    return {
        "node": name,
        "accelerator": model,
        "gpus": devices,
        "cpus": None if node.cpus is None else float(node.cpus * share),
        "memory_gib": None if node.memory_mib is None else float(Fraction(node.memory_mib) * share / MIB_PER_GIB),
        "resources": ";".join(f"{kind}={float(count * share):.15g}" for kind, count in others) or None,
        "status": node.status,
        "block": node.block,
        "labels": f"features={','.join(node.features)}" if node.features else None,
        "partitions": ",".join(node.partitions) or None,
        "partition_limits": ";".join(f"{name}={'' if limit is None else limit}" for name, limit in node.limits) or None,
    }


def _by_model(nodes: list[SlurmNode]) -> str:
    totals: dict[str, int] = {}
    for node in nodes:
        if node.gres is not None:
            for model, count in node.gres.models or ((("of no stated model", node.gres.devices),) if node.gres.devices else ()):
                totals[model] = totals.get(model, 0) + count
    return ", ".join(f"{totals[model]} {model}" for model in sorted(totals)) or "none"
