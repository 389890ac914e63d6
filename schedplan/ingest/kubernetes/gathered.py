"""What is gathered of the objects of one file before it becomes tables: by name, by group, by work; and what is told of it.

It reads no object.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from schedplan.ingest.draft import Draft
from schedplan.ingest.element import Element
from schedplan.ingest.kubernetes.counted_once import placement_of
from schedplan.ingest.kubernetes.node import NodeNotes
from schedplan.ingest.kubernetes.owners import OBJECTS, STANDS_FOR, Works
from schedplan.ingest.kubernetes.pod_group import TaskGroup
from schedplan.ingest.kubernetes.pod_spec import PodSpec

PART = "made by a workload that is in the file too, whose row counts it"


@dataclass(slots=True)
class Gathered:
    """The tables of one file while its objects are read one after the other."""

    path: Path
    nodes: Draft
    jobs: Draft
    quotas: Draft
    notes: NodeNotes = field(default_factory=NodeNotes)
    specs: list[PodSpec] = field(default_factory=list)
    unsaid: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    known: set[str] = field(default_factory=set)
    priorities: dict[str, int] = field(default_factory=dict)
    models: dict[str, str] = field(default_factory=dict)
    queues: dict[tuple[str, str], str] = field(default_factory=dict)
    works: Works = field(default_factory=Works)
    parents: dict[str, str] = field(default_factory=dict)
    places: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    groups: dict[str, Element] = field(default_factory=dict)
    members: Counter[str] = field(default_factory=Counter)
    task_groups: dict[str, dict[str, TaskGroup]] = field(default_factory=lambda: defaultdict(dict))
    task_tenants: dict[str, str] = field(default_factory=dict)
    unmatched: int = 0
    awaited: int = 0

    def note_place(self, work: str, node: str) -> None:
        """Count a pod that runs on a node for the workload of that key, and for those that it belongs to."""
        seen: set[str] = set()
        while work and work not in seen:
            seen.add(work)
            self.places[work][node] += 1
            work = self.parents.get(work, "")


def place(gathered: Gathered) -> int:
    """Put the places of pods into the running rows of one role that count them all; return how many pods found no such row."""
    left = sum((nodes.total() for key, nodes in gathered.places.items() if key not in gathered.parents), 0)
    for idx, row in enumerate(gathered.jobs.rows):
        keys = str(row.get(OBJECTS) or "").split("\n") + str(row.get(STANDS_FOR) or "").split("\n")
        nodes = next((gathered.places[key] for key in keys if key in gathered.places), None)
        if nodes and row.get("gang") is None and row["state"] == "running" and nodes.total() == row["workers"]:
            gathered.jobs.rows[idx] = {**row, "placement": placement_of(nodes)}
            left -= nodes.total()
    return left


def tell_jobs(gathered: Gathered, lost: int) -> None:
    draft, specs = gathered.jobs, gathered.specs
    unsaid = Counter(name for spec in specs for name in spec.unsaid) + gathered.unsaid
    told = ", ".join(f"{name} ({count})" for name, count in sorted(unsaid.items()) if count)
    draft.caution(bool(told), f"no column says these, so a plan does not keep them: {told}")
    draft.note(
        gathered.unmatched,
        f"{gathered.unmatched} rows name a queue; a LocalQueue of Kueue counts for its ClusterQueue only where it is in the file",
    )
    parts = sum(count for reason, count in gathered.dropped.items() if reason.endswith(PART))
    draft.note(parts, f"{parts} objects belong to workloads of the file and count there")
    draft.caution(lost > 0, f"{lost} pods run for workloads of the file whose rows can't say where; pods alone would tell it")
    awaited = gathered.awaited
    draft.note(awaited, f"{awaited} pods of task groups are waited for and not made yet; they are rows of their application's gang")
    shares = sum(bool(spec.amounts.shares) for spec in specs)
    draft.caution(shares, f"{shares} pods ask for shares of devices (gpumem, gpucores), not read; they count as whole ones")
    everywhere = sum(spec.tolerates_all for spec in specs)
    draft.caution(everywhere, f"{everywhere} pods tolerate every taint, which no column says; taints keep them away all the same")
    cut = sum(sum(number for _, number in spec.amounts.slices) > 1 for spec in specs)
    draft.note(cut, f"{cut} pods ask for several slices; each slice is a worker with its part of the cores and memory")
    milli = sum(spec.amounts.in_milli for spec in specs)
    draft.caution(milli, f"{milli} pods state memory in thousandths of a byte; taken exactly")
    silent = sum(spec.amounts.cpus is None and not spec.amounts.devices and not spec.amounts.slices for spec in specs)
    draft.note(silent, f"{silent} pods ask for neither cores nor devices")
    draft.note(len(draft.rows), "what has a limit and no request asks for its limit; no object states a run time")
