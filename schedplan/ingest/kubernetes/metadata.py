"""Names, queues and groups in the metadata of an object of Kubernetes. It knows no kind of object.

Sources: kueue.sigs.k8s.io/docs/reference/labels-and-annotations, volcano.sh/docs, yunikorn.apache.org/docs (2026-11).
"""

from __future__ import annotations

from schedplan.ingest.element import Element

KUEUE_QUEUE = "kueue.x-k8s.io/queue-name"
_QUEUE_KEYS = (KUEUE_QUEUE, "scheduling.volcano.sh/queue-name", "volcano.sh/queue-name", "yunikorn.apache.org/queue", "queue")
_GANG_KEYS = (
    *("kueue.x-k8s.io/pod-group-name", "scheduling.k8s.io/group-name"),
    *("scheduling.x-k8s.io/pod-group", "pod-group.scheduling.sigs.k8s.io"),
)
_APPLICATION_KEYS = ("yunikorn.apache.org/app-id", "applicationId", "spark-app-selector")
_TOPOLOGY_KEYS = ("kueue.x-k8s.io/podset-required-topology",)
DEFAULT_NAMESPACE = "default"


def namespace_of(item: Element) -> str:
    """Return the namespace of an object."""
    return item.get("metadata", "namespace").text() or DEFAULT_NAMESPACE


def full_name(item: Element, number: int) -> str:
    """Return namespace/name; an object that gets its name when it is made has the number of its document after the beginning."""
    name = item.get("metadata", "name").text()
    if name is None:
        name = f"{item.get('metadata', 'generateName').text() or 'unnamed-'}{number}"
    return f"{namespace_of(item)}/{name}"


def tenant_of(*items: Element) -> str:
    """Return the queue that one of the objects names in a label or annotation, else the namespace of the first."""
    return queue_of(*items) or namespace_of(items[0])


def queue_of(*items: Element) -> str | None:
    """Return the queue that one of the objects names in a label or annotation."""
    return _marked(items, _QUEUE_KEYS)


def gang_of(item: Element) -> str | None:
    """Return the group of pods that an object belongs to, with its namespace."""
    found = _marked((item,), _GANG_KEYS)
    return None if found is None else f"{namespace_of(item)}/{found}"


def group_of(item: Element) -> str | None:
    """Return the key of the PodGroup that a pod names, as namespace/kind/name."""
    found = _marked((item,), _GANG_KEYS)
    return None if found is None else f"{namespace_of(item)}/PodGroup/{found}"


def application_of(item: Element) -> str | None:
    """Return the application of YuniKorn that a pod names."""
    return _marked((item,), _APPLICATION_KEYS)


def required_topology(*items: Element) -> str | None:
    """Return the label of the domain that must hold all pods."""
    return _marked(items, _TOPOLOGY_KEYS)


def annotation(item: Element, key: str) -> str | None:
    """Return an annotation."""
    return item.get("metadata", "annotations").get(key).text()


def _marked(items: tuple[Element, ...], keys: tuple[str, ...]) -> str | None:
    found = (item.get("metadata", part).get(key).text() for item in items for part in ("labels", "annotations") for key in keys)
    return next((text for text in found if text), None)
