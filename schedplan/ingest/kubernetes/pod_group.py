"""Groups of pods that start together, where something beside the pods tells how many: PodGroups, and task groups of YuniKorn.

Sources: volcano.sh/docs/podgroup, scheduler-plugins.sigs.k8s.io, yunikorn.apache.org/docs/user_guide/gang_scheduling (2026-11).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from schedplan.ingest.draft import Value
from schedplan.ingest.element import Element, shape_error
from schedplan.ingest.kubernetes.devices import resource_texts
from schedplan.ingest.kubernetes.metadata import annotation, application_of, full_name, namespace_of, queue_of
from schedplan.ingest.kubernetes.pod_spec import PodSpec, pod_spec
from schedplan.ingest.kubernetes.quantity import quantity
from schedplan.tables.strict_json import JsonError, strict_json
from schedplan.units import QuantityError

TASK_GROUPS = "yunikorn.apache.org/task-groups"
TASK_GROUP_NAME = "yunikorn.apache.org/task-group-name"
_GROUPS = ("scheduling.volcano.sh", "scheduling.x-k8s.io", "scheduling.sigs.k8s.io", "scheduling.incubator.k8s.io")


def is_pod_group(item: Element) -> bool:
    """Return whether an object is a PodGroup of Volcano or of the scheduler plugins."""
    return item.get("kind").text() == "PodGroup" and (item.get("apiVersion").text() or "").split("/")[0] in _GROUPS


def least_members(item: Element) -> int:
    """Return how many pods of a PodGroup must start together; FieldError where it says no such number."""
    least = item.get("spec", "minMember").integer()
    if least is not None and least < 1:
        raise shape_error("spec.minMember", least, "1 or more")
    return least or 1


def group_queue(item: Element) -> str:
    """Return the queue of a PodGroup, else its namespace."""
    return item.get("spec", "queue").text() or queue_of(item) or namespace_of(item)


def group_row(item: Element, number: int) -> tuple[dict[str, Value], PodSpec] | None:
    """Return the row of a PodGroup whose pods are not told: its least number of pods, each with its part of `minResources`.

    None where it says no resources, or parts that no pod can have.
    """
    least = least_members(item)
    asked = resource_texts(item.get("spec", "minResources"))
    shares: dict[str, object] = {}
    for name, text in asked.items():
        try:
            share = quantity(text) / least
        except QuantityError as problem:
            raise shape_error(f"spec.minResources.{name}", text, str(problem)) from None
        if name not in ("cpu", "memory") and share.denominator != 1:
            return None
        shares[name] = _text(share)
    if not shares:
        return None
    spec = pod_spec(Element({"containers": [{"resources": {"requests": shares}}]}, "spec.minResources"))
    phase = item.get("status", "phase").text() or ""
    row: dict[str, Value] = {
        **spec.columns(least),
        "job": full_name(item, number),
        "tenant": group_queue(item),
        "state": "running" if phase == "Running" else "completed" if phase in ("Completed", "Finished") else "pending",
    }
    row["priority_class"] = item.get("spec", "priorityClassName").text()
    return row, spec


@dataclass(frozen=True, slots=True)
class TaskGroup:
    """Pods of an application of YuniKorn: at least so many start together with those of its other task groups."""

    name: str
    least: int
    spec: Element

    def row(self, application: str, tenant: str, missing: int) -> tuple[dict[str, Value], PodSpec]:
        """Return the row of pods that are waited for and not made yet."""
        spec = pod_spec(self.spec)
        names: dict[str, Value] = {"job": f"{application}:{self.name}", "tenant": tenant, "gang": application, "state": "pending"}
        return {**spec.columns(missing), **names}, spec


def task_groups(item: Element) -> Iterator[TaskGroup]:
    """Yield the task groups that a pod, or the template of one, names; FieldError where its annotation is no list of them."""
    text = annotation(item, TASK_GROUPS)
    if text is None:
        return
    place = f"metadata.annotations.{TASK_GROUPS}"
    try:
        found = Element(strict_json(text), place)
    except JsonError as problem:
        raise shape_error(place, text, problem.message) from None
    for one in found.items():
        name, least = one.get("name").text(), one.get("minMember").integer()
        if not name or least is None or least < 0:
            raise shape_error(one.place, one.value, "a name, and minMember as a whole number from 0 on")
        asked = {"containers": [{"resources": {"requests": one.get("minResource").value or {}}}]}
        spec = {key: one.get(key).value for key in ("nodeSelector", "tolerations", "affinity") if one.has(key)}
        yield TaskGroup(name, least, Element({**asked, **spec}, one.place))


def own_task_group(item: Element) -> TaskGroup | None:
    """Return the task group that a pod, or the template of one, belongs to; None where it has none."""
    name = annotation(item, TASK_GROUP_NAME)
    return next((group for group in task_groups(item) if group.name == name), None)


def application_with_groups(item: Element) -> str | None:
    """Return namespace/application of a pod that belongs to a task group; None for another."""
    own = application_of(item)
    is_member = annotation(item, TASK_GROUP_NAME) is not None or annotation(item, TASK_GROUPS) is not None
    return f"{namespace_of(item)}/{own}" if own is not None and is_member else None


def _text(share: Fraction) -> str:
    """Return an exact quantity; what is no whole number in billionths, which cut nothing that counts."""
    return str(int(share)) if share.denominator == 1 else f"{int(share * 10**9)}n"
