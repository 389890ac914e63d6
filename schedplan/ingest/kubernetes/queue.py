"""Queues and quotas of Kubernetes as rows of the table `quotas`: Kueue, Volcano, YuniKorn and ResourceQuota. It reads no file.

Sources: kueue.sigs.k8s.io/docs/concepts/cluster_queue, volcano.sh/docs/queue, yunikorn.apache.org/docs/user_guide/queue_config,
kubernetes.io/docs/concepts/policy/resource-quotas (2026-11).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from schedplan.ingest.draft import Value
from schedplan.ingest.element import Element, shape_error
from schedplan.ingest.kubernetes.devices import is_device
from schedplan.ingest.kubernetes.metadata import namespace_of
from schedplan.ingest.kubernetes.quantity import gib, memory_bytes, quantity
from schedplan.units import QuantityError

QUEUE_KINDS = frozenset({"ClusterQueue", "Queue", "ResourceQuota"})
NO_AMOUNT = "promises and limits no devices, cores or memory"
_RESOURCES = {"cpu": "cpus", "vcore": "cpus", "memory": "memory_gib"}
_HARD_PREFIX = "requests."


@dataclass(frozen=True, slots=True)
class Limit:
    """What one queue is promised of one resource, the most it may hold, and the most it lends; None: no such limit."""

    nominal: float
    most: float | None = None
    lend: float | None = None


def resource_of(name: str) -> str | None:
    """Return what the table calls a resource; None where it counts something else."""
    return "gpus" if is_device(name) else _RESOURCES.get(name)


def amount_of(name: str, element: Element) -> float:
    """Return an amount in the unit of the table; FieldError where it is none."""
    text = element.text() or ""
    try:
        if name == "memory":
            return gib(memory_bytes(text))
        return float(quantity(text))
    except QuantityError as problem:
        raise shape_error(element.place, text, str(problem)) from None


def cluster_queue(item: Element, models: dict[str, str]) -> tuple[list[dict[str, Value]], list[str]]:
    """Return the rows of a ClusterQueue of Kueue, and the resources of it that are not counted here.

    models: device model by ResourceFlavor, where its labels say one. Flavors of one model, or of none, add up. A
    queue without a cohort has nobody to borrow from, so what it is promised is the most it may hold.
    """
    name = item.get("metadata", "name").text() or ""
    spec = item.get("spec")
    parent = spec.first("cohortName", "cohort").text()
    found: dict[tuple[str, str | None], list[Limit]] = {}
    unsaid: list[str] = []
    for group in spec.get("resourceGroups").items():
        for flavor in group.get("flavors").items():
            for resource in flavor.get("resources").items():
                own = resource.get("name").text() or ""
                known = resource_of(own)
                if known is None:
                    unsaid.append(own)
                    continue
                model = models.get(flavor.get("name").text() or "") if known == "gpus" else None
                found.setdefault((known, model), []).append(_kueue_limit(own, resource))
    sums = {key: _sum(limits) for key, limits in found.items()}
    rows = [
        _row(name, parent, resource, model, limit if parent else replace(limit, most=limit.nominal), "Kueue ClusterQueue")
        for (resource, model), limit in sums.items()
    ]
    return rows, unsaid


def _kueue_limit(name: str, resource: Element) -> Limit:
    nominal = amount_of(name, resource.get("nominalQuota"))
    borrow, lend = resource.get("borrowingLimit"), resource.get("lendingLimit")
    return Limit(
        nominal,
        None if borrow.is_absent else nominal + amount_of(name, borrow),
        None if lend.is_absent else amount_of(name, lend),
    )


def _sum(limits: list[Limit]) -> Limit:
    most = [limit.most for limit in limits]
    lend = [limit.lend for limit in limits]
    return Limit(
        sum(limit.nominal for limit in limits),
        None if None in most else sum(value for value in most if value is not None),
        None if None in lend else sum(value for value in lend if value is not None),
    )


def volcano_queue(item: Element) -> list[dict[str, Value]]:
    """Return the rows of a Queue of Volcano: capability is the most, deserved (else guarantee) what is promised."""
    spec = item.get("spec")
    promised = spec.get("deserved") if not spec.get("deserved").is_absent else spec.get("guarantee", "resource")
    names = dict.fromkeys(name for name, _ in (*spec.get("capability").fields(), *promised.fields()))
    weight = spec.get("weight").integer()
    rows = []
    for name in names:
        resource = resource_of(name)
        if resource is not None:
            most, nominal = spec.get("capability").get(name), promised.get(name)
            limit = Limit(0.0 if nominal.is_absent else amount_of(name, nominal), None if most.is_absent else amount_of(name, most))
            row = _row(item.get("metadata", "name").text() or "", spec.get("parent").text(), resource, None, limit, "Volcano Queue")
            rows.append({**row, "weight": None if weight is None else float(weight)})
    return rows


def resource_quota(item: Element) -> list[dict[str, Value]]:
    """Return the rows of a ResourceQuota: what requests of its namespace may come to; other limits count nothing here."""
    found: dict[str, float] = {}
    for key, value in item.get("spec", "hard").fields():
        name = key.removeprefix(_HARD_PREFIX)
        resource = resource_of(name)
        is_request = key.startswith(_HARD_PREFIX) or key in ("cpu", "memory")
        if resource is not None and is_request:
            found[resource] = min(found.get(resource, float("inf")), amount_of(name, value))
    tenant = namespace_of(item)
    return [_row(tenant, None, resource, None, Limit(amount, amount), "ResourceQuota") for resource, amount in found.items()]


def yunikorn_queues(document: Element) -> Iterator[tuple[str, list[dict[str, Value]]]]:
    """Yield (full name, rows) of every queue of YuniKorn's queues.yaml: guaranteed is promised, max the most."""
    for partition in document.get("partitions").items():
        for queue in partition.get("queues").items():
            yield from _yunikorn(queue, None)


def _yunikorn(queue: Element, parent: str | None) -> Iterator[tuple[str, list[dict[str, Value]]]]:
    own = queue.get("name").text() or ""
    name = f"{parent}.{own}" if parent else own
    promised, most = queue.get("resources", "guaranteed"), queue.get("resources", "max")
    rows = []
    for key in dict.fromkeys(key for key, _ in (*promised.fields(), *most.fields())):
        resource = resource_of(key)
        if resource is not None:
            limit = Limit(
                0.0 if promised.get(key).is_absent else amount_of(key, promised.get(key)),
                None if most.get(key).is_absent else amount_of(key, most.get(key)),
            )
            rows.append(_row(name, parent, resource, None, limit, "YuniKorn queue"))
    yield name, rows
    for below in queue.get("queues").items():
        yield from _yunikorn(below, name)


def _row(tenant: str, parent: str | None, resource: str, model: str | None, limit: Limit, source: str) -> dict[str, Value]:
    return {
        "tenant": tenant,
        "parent": parent,
        "resource": resource,
        "accelerator": model,
        "nominal": limit.nominal,
        "max": limit.most,
        "lend": limit.lend,
        "source": source,
    }
