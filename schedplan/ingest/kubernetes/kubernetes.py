"""Reader `kubernetes`: what `kubectl get -o json` or `-o yaml` prints, and manifests; lists, single objects, several documents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from schedplan.errors import InputError
from schedplan.ingest.document import json_document, looks_like_json, sniffed_document, yaml_documents, yaml_text
from schedplan.ingest.draft import Draft, Value
from schedplan.ingest.element import Element
from schedplan.ingest.field_error import FieldError
from schedplan.ingest.kubernetes.gathered import PART, Gathered, place, tell_jobs
from schedplan.ingest.kubernetes.labels import ACCELERATOR_KEYS, first_of
from schedplan.ingest.kubernetes.metadata import annotation, gang_of, namespace_of
from schedplan.ingest.kubernetes.node import node_row
from schedplan.ingest.kubernetes.owners import marks, object_key, owner_keys, stood_for
from schedplan.ingest.kubernetes.pod import OF_NODE, is_of_node, pod_row
from schedplan.ingest.kubernetes.pod_group import (
    TASK_GROUP_NAME,
    application_with_groups,
    group_queue,
    group_row,
    is_pod_group,
    least_members,
    own_task_group,
    task_groups,
)
from schedplan.ingest.kubernetes.queue import NO_AMOUNT, cluster_queue, resource_quota, volcano_queue, yunikorn_queues
from schedplan.ingest.kubernetes.workload import is_workload, workload
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.source_bytes import head_text
from schedplan.tables.raw_file import plain_name
from schedplan.tables.read import TableFile

_BEGIN = re.compile(r"^(apiVersion|kind):", re.MULTILINE)
_YUNIKORN = "queues.yaml"
OF_PODS = "its pods are rows of one gang"
_USED_ELSEWHERE = frozenset({"PriorityClass", "WorkloadPriorityClass", "ResourceFlavor", "LocalQueue", "Cohort", "Topology"})
_SERVICES = frozenset({"Deployment", "StatefulSet", "ReplicaSet", "DaemonSet", "RayService"})


@dataclass(frozen=True, slots=True)
class Kubernetes:
    """Nodes become `nodes`; pods and workloads `jobs`; queues and quotas `quotas`."""

    name: str = "kubernetes"
    description: str = (
        "kubectl get nodes, pods, jobs, queues -o json or yaml; manifests of Job, JobSet, Kubeflow, Volcano, Ray, Kueue, YuniKorn,"
        " with PodGroups and task groups"
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
        gathered = Gathered(path, Draft.of("nodes", path), Draft.of("jobs", path), Draft.of("quotas", path))
        items: list[tuple[int, Element]] = []
        try:
            items.extend(_items(documents))
        except FieldError as problem:
            gathered.jobs.refuse(len(items) + 1, problem)
        for step in (_prepare, _add, _add_pod_group):
            for number, item in items:
                try:
                    step(gathered, number, item)
                except FieldError as problem:
                    gathered.jobs.refuse(number, problem)
            if gathered.jobs.faults.faults and step is _prepare:
                break
        if not gathered.jobs.faults.faults:
            _add_awaited(gathered, len(items))
        return _files(gathered)


def _items(documents: tuple[Element, ...]) -> Iterator[tuple[int, Element]]:
    """Yield (number, object) of documents, the objects of a List one by one."""
    number = 0
    for document in documents:
        is_list = (document.get("kind").text() or "").endswith("List") and document.has("items")
        for item in document.get("items").items() if is_list else (document,):
            number += 1
            yield number, Element(item.value)


def _prepare(gathered: Gathered, number: int, item: Element) -> None:
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
        gathered.works.add(item)
        gathered.parents.update({object_key(item): key for key in owner_keys(item)[:1]})
    elif is_pod_group(item):
        gathered.groups[f"{namespace_of(item)}/{name}"] = item
    application = application_with_groups(item) if kind == "Pod" else None
    if application is not None:
        gathered.task_groups[application].update({group.name: group for group in task_groups(item)})


def _add(gathered: Gathered, number: int, item: Element) -> None:
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


def _is_part(gathered: Gathered, item: Element) -> bool:
    """Return whether an object was made by a workload of the same file, whose row counts its pods already; keep where it runs."""
    if item.get("kind").text() == "Node":
        return False
    whole = gathered.works.whole_of(owner_keys(item), stood_for(item))
    if whole is None:
        return False
    node, phase = item.get("spec", "nodeName").text(), item.get("status", "phase").text()
    if node is not None and phase == "Running":
        gathered.note_place(whole, node)
    return True


def _add_pod(gathered: Gathered, number: int, item: Element) -> None:
    gathered.known.add("jobs")
    if is_of_node(item):
        gathered.dropped[OF_NODE] += 1
        return
    row, spec = pod_row(item, number)
    gathered.specs.append(spec)
    found = {**row, **marks(item), "priority_class": spec.priority_class}
    gang = gang_of(item)
    group = None if gang is None else gathered.groups.get(gang)
    if gang is not None and group is not None:
        gathered.members[gang] += 1
        found["tenant"] = group_queue(group) if row["tenant"] == namespace_of(item) else row["tenant"]
        found["priority_class"] = spec.priority_class or group.get("spec", "priorityClassName").text()
    application = application_with_groups(item)
    if application is not None and gathered.task_groups[application]:
        found["gang"] = application
        own = own_task_group(item) or gathered.task_groups[application].get(_task_name(item))
        gathered.members[f"{application}:{own.name}" if own else application] += 1
    gathered.jobs.add(number, _resolved(gathered, item, found))
    if application is not None:
        gathered.task_tenants[application] = str(gathered.jobs.rows[-1]["tenant"])


def _task_name(item: Element) -> str:
    return annotation(item, TASK_GROUP_NAME) or ""


def _add_pod_group(gathered: Gathered, number: int, item: Element) -> None:
    """Take in a PodGroup after all pods: what is not told by them becomes a row of its own."""
    if not is_pod_group(item) or _is_part(gathered, item):
        return
    gathered.known.add("jobs")
    gang = f"{namespace_of(item)}/{item.get('metadata', 'name').text() or ''}"
    members, least = gathered.members[gang], least_members(item)
    if members:
        gathered.dropped[f"PodGroup: {OF_PODS}"] += 1
        gathered.unsaid["minMember below the pods of a PodGroup"] += least < members
        gathered.unsaid["minMember beyond the pods of a PodGroup"] += least > members
        return
    found = group_row(item, number)
    if found is None:
        gathered.dropped["PodGroup: without its pods, and without minResources that its pods can share"] += 1
        return
    row, spec = found
    gathered.specs.append(spec)
    gathered.jobs.add(number, _resolved(gathered, item, {**row, **marks(item)}))


def _add_awaited(gathered: Gathered, number: int) -> None:
    """Add pods of task groups that are waited for and not made yet."""
    for application, groups in gathered.task_groups.items():
        for group in groups.values():
            missing = group.least - gathered.members[f"{application}:{group.name}"]
            if missing > 0 and application in gathered.task_tenants:
                row, spec = group.row(application, gathered.task_tenants[application], missing)
                gathered.specs.append(spec)
                gathered.jobs.add(number, {key: value for key, value in row.items() if key != "priority_class"})
                gathered.awaited += missing


def _add_workload(gathered: Gathered, number: int, kind: str, item: Element) -> None:
    if is_pod_group(item):
        return
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
        gathered.jobs.add(number, _resolved(gathered, item, {**row, **marks(item)}))


def _resolved(gathered: Gathered, item: Element, row: Mapping[str, Value]) -> dict[str, Value]:
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


def _add_queue(gathered: Gathered, number: int, kind: str, item: Element) -> None:
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


def _add_without_kind(gathered: Gathered, number: int, item: Element) -> None:
    if item.has("partitions"):
        gathered.known.add("quotas")
        _add_yunikorn(gathered, number, item)
    else:
        named = ", ".join(key for key, _ in item.fields()[:3]) if isinstance(item.value, dict) else type(item.value).__name__
        gathered.dropped[f"no object of Kubernetes, for it has no kind ({named})"] += 1


def _add_yunikorn(gathered: Gathered, number: int, document: Element) -> None:
    for _, rows in yunikorn_queues(document):
        for row in rows:
            gathered.quotas.add(number, row)


def _files(gathered: Gathered) -> tuple[TableFile, ...]:
    drafts = [draft for draft in (gathered.nodes, gathered.jobs, gathered.quotas) if draft.table in gathered.known]
    if not drafts and not gathered.jobs.faults.faults:
        held = "; ".join(f"{count} x {reason}" for reason, count in sorted(gathered.dropped.items())) or "no document"
        gathered.jobs.refuse_file(
            f"nothing in the file becomes a row of a table: {held}",
            "Nodes, Pods, Jobs, JobSets, Kubeflow, Volcano and Ray jobs, Workloads, PodGroups, queues and ResourceQuotas are read.",
        )
    faults = tuple(fault for draft in (gathered.nodes, gathered.jobs, gathered.quotas) for fault in draft.faults.all())
    if faults:
        raise InputError.of_faults(faults)
    for reason, count in gathered.dropped.items():
        drafts[0].drop(reason, count)
    lost = place(gathered)
    gathered.notes.tell(gathered.nodes)
    tell_jobs(gathered, lost)
    return tuple(draft.file() for draft in drafts)
