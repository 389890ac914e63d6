"""A Node of Kubernetes as a row of the table `nodes`. It reads no file."""

from __future__ import annotations

from collections import Counter
from math import ceil

from schedplan.ingest.draft import Draft, Value
from schedplan.ingest.element import Element, shape_error
from schedplan.ingest.kubernetes.devices import Amounts, amounts, others_text, resource_texts
from schedplan.ingest.kubernetes.labels import (
    ACCELERATOR_KEYS,
    BLOCK_KEYS,
    RACK_KEYS,
    REGION_KEYS,
    ZONE_KEYS,
    first_of,
    gpu_memory_gib,
    kept_labels,
    market_of,
)
from schedplan.ingest.kubernetes.quantity import gib

SLICES_OF_MIG = 7
MILLI = 1000
_STATUS_TAINTS = ("node.kubernetes.io/unschedulable", "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


class NodeNotes:
    """What is odd about the nodes of a file, counted."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def tell(self, draft: Draft) -> None:
        """Add the sentences to a draft of `nodes`."""
        counts = self.counts
        draft.note(counts["nodes"], f"{counts['nodes']} nodes with {counts['devices']} devices")
        draft.note(counts["capacity"], f"{counts['capacity']} nodes state no allocatable amounts; their capacity is taken")
        draft.note(counts["down"], f"{counts['down']} nodes are not ready and take nothing")
        draft.note(counts["cordoned"], f"{counts['cordoned']} nodes are cordoned; what runs on them stays")
        draft.note(counts["milli"], f"devices of {counts['milli']} nodes are shared in thousandths")
        draft.note(counts["vgpu"], f"devices of {counts['vgpu']} nodes are virtual, each a part of a physical one")
        draft.caution(
            counts["fewer"], f"{counts['fewer']} nodes offer fewer devices than they have; those that are not offered are left out"
        )
        draft.caution(
            counts["mig"],
            f"devices of {counts['mig']} nodes are cut into MIG slices; a plan may cut them otherwise than they are cut today",
        )
        draft.caution(
            counts["stale"],
            f"{counts['stale']} nodes have more slices than nvidia.com/gpu.count allows; the slices count",
        )
        draft.caution(
            counts["replicas"],
            f"devices of {counts['replicas']} nodes are shared by turns; each share counts as a device, as in the cluster",
        )
        draft.caution(counts["milli_bytes"], f"{counts['milli_bytes']} nodes state memory in thousandths of a byte; taken exactly")


def node_row(node: Element, notes: NodeNotes) -> dict[str, Value]:
    """Return the row of a node; FieldError where a field is not what it should be."""
    name = node.get("metadata", "name").text()
    if name is None:
        raise shape_error("metadata.name", "", "the name of a node")
    labels = {key: value.text() or "" for key, value in node.get("metadata", "labels").fields()}
    allocatable, capacity = node.get("status", "allocatable"), node.get("status", "capacity")
    offered = amounts(resource_texts(capacity if allocatable.is_absent else allocatable), "status.allocatable")
    built = amounts(resource_texts(capacity), "status.capacity")
    devices, slices = _devices(offered, labels, notes)
    status = _status(node)
    _count(notes, offered, built, labels, devices, status, allocatable.is_absent)
    return {
        "node": name,
        "accelerator": first_of(labels, ACCELERATOR_KEYS) if devices else None,
        "gpus": devices,
        "gpu_memory_gib": gpu_memory_gib(labels) if devices else None,
        "slices_per_gpu": slices,
        "cpus": None if offered.cpus is None else float(offered.cpus),
        "memory_gib": None if offered.memory is None else gib(offered.memory),
        "resources": others_text(offered.others),
        "region": first_of(labels, REGION_KEYS),
        "zone": first_of(labels, ZONE_KEYS),
        "rack": first_of(labels, RACK_KEYS),
        "block": first_of(labels, BLOCK_KEYS),
        "market": market_of(labels),
        "status": status,
        "labels": kept_labels(labels),
        "taints": _taints(node),
    }


def _devices(offered: Amounts, labels: dict[str, str], notes: NodeNotes) -> tuple[int, int | None]:
    """Return (physical devices, slices of each). Devices that are cut are offered as slices, beside 0 whole ones."""
    if not offered.slices:
        return offered.devices, MILLI if offered.is_milli_shared and offered.devices else None
    compute = sum(int(profile.split("g.")[0]) * number for profile, number in offered.slices)
    least = ceil(compute / SLICES_OF_MIG)
    text = labels.get("nvidia.com/gpu.count", "")
    stated = int(text) if text.isascii() and text.isdigit() else 0
    notes.counts["stale"] += bool(stated) and stated < offered.devices + least
    return max(stated, offered.devices + least), SLICES_OF_MIG


def _status(node: Element) -> str:
    ready = [one.get("status").text() for one in node.get("status", "conditions").items() if one.get("type").text() == "Ready"]
    if ready and ready[0] != "True":
        return "down"
    return "cordoned" if node.get("spec", "unschedulable").flag() else "ready"


def _taints(node: Element) -> str | None:
    found = []
    for taint in node.get("spec", "taints").items():
        key, value, effect = (taint.get(name).text() for name in ("key", "value", "effect"))
        if key not in _STATUS_TAINTS:
            found.append(f"{key}={value}:{effect}" if value else f"{key}:{effect}")
    return ";".join(found) or None


def _count(
    notes: NodeNotes, offered: Amounts, built: Amounts, labels: dict[str, str], devices: int, status: str, is_capacity: bool
) -> None:
    counts = notes.counts
    counts.update({"nodes": 1, "devices": devices, status: 1, "capacity": int(is_capacity)})
    counts["fewer"] += offered.devices < built.devices and not offered.slices
    counts["mig"] += bool(offered.slices)
    counts["milli"] += offered.is_milli_shared and devices > 0
    counts["vgpu"] += labels.get("nvidia.com/vgpu.present") == "true"
    replicas = labels.get("nvidia.com/gpu.replicas", "1")
    counts["replicas"] += replicas.isdigit() and int(replicas) > 1 and not offered.slices
    counts["milli_bytes"] += offered.in_milli
