"""Which object of Kubernetes belongs to which: a pod of a Job and the Job itself are one work, told twice. It knows no table.

Sources: kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents; documents of JobSet and Kueue (2026-11).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from schedplan.ingest.element import Element
from schedplan.ingest.kubernetes.metadata import group_of, namespace_of

OBJECTS, OWNERS, STANDS_FOR = "kubernetes_objects", "kubernetes_owners", "kubernetes_stands_for"
_JOB_SET = "jobset.sigs.k8s.io/jobset-name"


def object_key(item: Element) -> str:
    """Return namespace/kind/name of an object."""
    return f"{namespace_of(item)}/{item.get('kind').text() or ''}/{item.get('metadata', 'name').text() or ''}"


def owner_keys(item: Element) -> tuple[str, ...]:
    """Return the keys of what an object was made by, the nearest first; a pod of a JobSet names it in a label, too."""
    place = namespace_of(item)
    owners = item.get("metadata", "ownerReferences").items()
    found = [f"{place}/{one.get('kind').text() or ''}/{one.get('name').text() or ''}" for one in owners]
    job_set = item.get("metadata", "labels").get(_JOB_SET).text()
    return tuple(dict.fromkeys((*found, *((f"{place}/JobSet/{job_set}",) if job_set else ()))))


def stood_for(item: Element) -> tuple[str, ...]:
    """Return the keys of what a Workload of Kueue tells the pods of, those of its owners; none for another object."""
    is_kueue = item.get("kind").text() == "Workload" and (item.get("apiVersion").text() or "").startswith("kueue.x-k8s.io/")
    return owner_keys(item) if is_kueue else ()


@dataclass(slots=True)
class Works:
    """The works of files. told: keys of objects that are rows. stood_for: keys of those that a Workload of Kueue tells of."""

    told: set[str] = field(default_factory=set)
    stood_for: set[str] = field(default_factory=set)

    def add(self, item: Element) -> None:
        """Take in an object that becomes rows."""
        self.told.add(object_key(item))
        self.stood_for.update(stood_for(item))

    def whole_of(self, owners: tuple[str, ...], stands_for: tuple[str, ...] = ()) -> str | None:
        """Return the key of the work that tells of an object with these owners already; None where there is none.

        stands_for: what the object itself tells the pods of.
        """
        known = self.told if stands_for else self.told | self.stood_for
        return next((key for key in owners if key in known), None)


def marks(item: Element) -> dict[str, str | None]:
    """Return the texts that tell, in a row that travels to other files, what its object is and what it belongs to."""
    keys = [object_key(item)]
    group = group_of(item)
    if group is not None and item.get("kind").text() == "Pod":
        keys.append(group)
    owners = (*owner_keys(item), *(keys if item.get("kind").text() == "PodGroup" else ()))
    return {
        OBJECTS: "\n".join(keys),
        OWNERS: "\n".join(owners) or None,
        STANDS_FOR: "\n".join(stood_for(item)) or None,
    }
