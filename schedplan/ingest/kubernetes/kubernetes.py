"""Reader `kubernetes`: what `kubectl get -o json` or `-o yaml` prints, and manifests; lists, single objects, several documents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from schedplan.errors import InputError
from schedplan.ingest.document import json_document, looks_like_json, sniffed_document, yaml_documents, yaml_text
from schedplan.ingest.draft import Draft, Value
from schedplan.ingest.element import Element
from schedplan.ingest.field_error import FieldError
from schedplan.ingest.kubernetes.labels import ACCELERATOR_KEYS, first_of
from schedplan.ingest.kubernetes.metadata import namespace_of
from schedplan.ingest.kubernetes.node import NodeNotes, node_row
from schedplan.ingest.kubernetes.pod import OF_NODE, is_of_node, pod_row
from schedplan.ingest.kubernetes.pod_spec import PodSpec
from schedplan.ingest.kubernetes.queue import NO_AMOUNT, cluster_queue, resource_quota, volcano_queue, yunikorn_queues
from schedplan.ingest.kubernetes.workload import is_workload, workload
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.source_bytes import head_text
from schedplan.tables.raw_file import plain_name
from schedplan.tables.read import TableFile

_BEGIN = re.compile(r"^(apiVersion|kind):", re.MULTILINE)
_YUNIKORN = "queues.yaml"
PART = "made by a workload that is in the file too, whose row counts it"
_USED_ELSEWHERE = frozenset({"PriorityClass", "WorkloadPriorityClass", "ResourceFlavor", "LocalQueue", "Cohort", "Topology"})
_SERVICES = frozenset({"Deployment", "StatefulSet", "ReplicaSet", "DaemonSet", "RayService"})


@dataclass(slots=True)
class _Gathered:
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
    workloads: set[tuple[str, str, str]] = field(default_factory=set)
    unmatched: int = 0


@dataclass(frozen=True, slots=True)
class Kubernetes:
    """Nodes become `nodes`; pods and workloads `jobs`; queues and quotas `quotas`."""

    name: str = "kubernetes"
    description: str = (
        "kubectl get nodes, pods, jobs, queues -o json or yaml; manifests of Job, JobSet, Kubeflow, Volcano, Ray, Kueue, YuniKorn"
    )
    tables: tuple[str, ...] = ("nodes", "jobs", "quotas")
    recognised_by: str = "apiVersion and kind at the top of a JSON or YAML document, or a name that ends in .yaml or .yml"

    def sniff(self, path: Path) -> bool:
        """Return whether the file looks like objects of Kubernetes, or is YAML at all."""
        if looks_like_json(path):
            document = sniffed_document(path)
            return document.has("kind") and document.has("apiVersion")
        return _BEGIN.search(head_text(path)) is not None or plain_name(path).lower().endswith((".yaml", ".yml"))

    def read(self, path: Path, options: ReadOptions) -> tuple[TableFile, ...]:
        """Return the tables in the file; InputError with all its faults. Times carry their offset, so no zone is needed."""
        del options
        documents = (json_document(path),) if looks_like_json(path) else yaml_documents(path)
        gathered = _Gathered(path, Draft.of("nodes", path), Draft.of("jobs", path), Draft.of("quotas", path))
        items: list[tuple[int, Element]] = []
        try:
            items.extend(_items(documents))
        except FieldError as problem:
            gathered.jobs.refuse(len(items) + 1, problem)
        for step in (_prepare, _add):
            for number, item in items:
                try:
                    step(gathered, number, item)
                except FieldError as problem:
                    gathered.jobs.refuse(number, problem)
            if gathered.jobs.faults.faults and step is _prepare:
                break
        return _files(gathered)


def _items(documents: tuple[Element, ...]) -> Iterator[tuple[int, Element]]:
    """Yield (number, object) of documents, the objects of a List one by one."""
    number = 0
    for document in documents:
        is_list = (document.get("kind").text() or "").endswith("List") and document.has("items")
        for item in document.get("items").items() if is_list else (document,):
            number += 1
            yield number, Element(item.value)


def _prepare(gathered: _Gathered, number: int, item: Element) -> None:
    """Keep what other objects refer to by name."""
    del number
    kind, name = item.get("kind").text(), item.get("metadata", "name").text() or ""
    if kind in ("PriorityClass", "WorkloadPriorityClass"):
        gathered.priorities[name] = item.get("value").integer() or 0
    elif kind == "ResourceFlavor":
        labels = {key: value.text() or "" for key, value in item.get("spec", "nodeLabels").fields()}
        model = first_of(labels, ACCELERATOR_KEYS)
        if model:
            gathered.models[name] = model
    elif kind == "LocalQueue":
        gathered.queues[namespace_of(item), name] = item.get("spec", "clusterQueue").text() or name
    elif is_workload(item):
        gathered.workloads.add((namespace_of(item), kind or "", name))


def _add(gathered: _Gathered, number: int, item: Element) -> None:
    kind = item.get("kind").text()
    if kind is None:
        _add_without_kind(gathered, number, item)
    elif _is_part(gathered, item):
        gathered.known.add("jobs")
        gathered.dropped[f"{kind}: {PART}"] += 1
    elif kind == "Node":
        gathered.nodes.add(number, node_row(item, gathered.notes))
        gathered.known.add("nodes")
    elif kind == "Pod":
        _add_pod(gathered, number, item)
    elif kind in ("ClusterQueue", "Queue", "ResourceQuota") or (kind == "ConfigMap" and item.get("data").has(_YUNIKORN)):
        _add_queue(gathered, number, kind, item)
    else:
        _add_workload(gathered, number, kind, item)


def _is_part(gathered: _Gathered, item: Element) -> bool:
    """Return whether an object was made by a workload of the same file, whose row counts its pods already."""
    owners = item.get("metadata", "ownerReferences").items()
    place = namespace_of(item)
    return any((place, one.get("kind").text() or "", one.get("name").text() or "") in gathered.workloads for one in owners)


def _add_pod(gathered: _Gathered, number: int, item: Element) -> None:
    gathered.known.add("jobs")
    if is_of_node(item):
        gathered.dropped[OF_NODE] += 1
        return
    row, spec = pod_row(item, number)
    gathered.specs.append(spec)
    gathered.jobs.add(number, _resolved(gathered, item, {**row, "priority_class": spec.priority_class}))


def _add_workload(gathered: _Gathered, number: int, kind: str, item: Element) -> None:
    found = workload(item, number)
    if found is None:
        if kind in _USED_ELSEWHERE:
            reason = f"{kind}: what others say of it by name is used; by itself it is no row"
        elif kind in _SERVICES:
            reason = f"{kind}: work without an end; write it into the table services"
        else:
            reason = f"{kind}: not read"
        gathered.dropped[reason] += 1
        return
    gathered.known.add("jobs")
    gathered.specs.extend(found.specs)
    gathered.unsaid.update(found.unsaid)
    for row in found.rows:
        gathered.jobs.add(number, _resolved(gathered, item, row))


def _resolved(gathered: _Gathered, item: Element, row: Mapping[str, Value]) -> dict[str, Value]:
    """Return a row with its priority by name of class, and its ClusterQueue in place of a LocalQueue."""
    kept = {name: value for name, value in row.items() if name != "priority_class"}
    name = row.get("priority_class")
    if kept.get("priority") is None and isinstance(name, str):
        kept["priority"] = gathered.priorities.get(name)
        gathered.unsaid[f"priorityClassName {name}"] += name not in gathered.priorities
    tenant, place = kept.get("tenant"), namespace_of(item)
    if isinstance(tenant, str):
        kept["tenant"] = gathered.queues.get((place, tenant), tenant)
        gathered.unmatched += tenant != place and (place, tenant) not in gathered.queues
    return kept


def _add_queue(gathered: _Gathered, number: int, kind: str, item: Element) -> None:
    gathered.known.add("quotas")
    if kind == "ConfigMap":
        for document in yaml_text(gathered.path, item.get("data").get(_YUNIKORN).text() or ""):
            _add_yunikorn(gathered, number, document)
        return
    if kind == "ClusterQueue":
        rows, uncounted = cluster_queue(item, gathered.models)
        gathered.quotas.ignored |= set(uncounted)
    else:
        rows = resource_quota(item) if kind == "ResourceQuota" else volcano_queue(item)
    gathered.dropped[f"{kind}: {NO_AMOUNT}"] += not rows
    for row in rows:
        gathered.quotas.add(number, row)


def _add_without_kind(gathered: _Gathered, number: int, item: Element) -> None:
    if item.has("partitions"):
        gathered.known.add("quotas")
        _add_yunikorn(gathered, number, item)
    else:
        named = ", ".join(key for key, _ in item.fields()[:3]) if isinstance(item.value, dict) else type(item.value).__name__
        gathered.dropped[f"no object of Kubernetes, for it has no kind ({named})"] += 1


def _add_yunikorn(gathered: _Gathered, number: int, document: Element) -> None:
    for _, rows in yunikorn_queues(document):
        for row in rows:
            gathered.quotas.add(number, row)


def _files(gathered: _Gathered) -> tuple[TableFile, ...]:
    drafts = [draft for draft in (gathered.nodes, gathered.jobs, gathered.quotas) if draft.table in gathered.known]
    if not drafts and not gathered.jobs.faults.faults:
        held = "; ".join(f"{count} x {reason}" for reason, count in sorted(gathered.dropped.items())) or "no document"
        gathered.jobs.refuse_file(
            f"nothing in the file becomes a row of a table: {held}",
            "Nodes, Pods, Jobs, JobSets, Kubeflow, Volcano and Ray jobs, ClusterQueues, Queues, ResourceQuotas are read.",
        )
    faults = tuple(fault for draft in (gathered.nodes, gathered.jobs, gathered.quotas) for fault in draft.faults.all())
    if faults:
        raise InputError.of_faults(faults)
    for reason, count in gathered.dropped.items():
        drafts[0].drop(reason, count)
    gathered.notes.tell(gathered.nodes)
    _tell_jobs(gathered)
    return tuple(draft.file() for draft in drafts)


def _tell_jobs(gathered: _Gathered) -> None:
    draft, specs = gathered.jobs, gathered.specs
    unsaid = Counter(name for spec in specs for name in spec.unsaid) + gathered.unsaid
    told = ", ".join(f"{name} ({count})" for name, count in sorted(unsaid.items()) if count)
    draft.caution(bool(told), f"no column says these, so a plan does not keep them: {told}")
    draft.note(
        gathered.unmatched,
        f"{gathered.unmatched} rows name a queue; a LocalQueue of Kueue counts for its ClusterQueue only where it is in the file",
    )
    parts = sum(count for reason, count in gathered.dropped.items() if reason.endswith(PART))
    draft.caution(parts, f"{parts} objects belong to workloads of the file; where their pods run is lost, pods alone would tell it")
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
