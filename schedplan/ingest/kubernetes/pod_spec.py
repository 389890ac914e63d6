"""What one pod asks for: containers, init containers and sidecars together, device models, tolerations. It knows no workload.

Sources: kubernetes.io/docs/concepts/workloads/pods/init-containers and .../sidecar-containers, resource sharing (2026-11).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from schedplan.ingest.draft import Value
from schedplan.ingest.element import Element, shape_error
from schedplan.ingest.kubernetes.devices import Amounts, amounts, is_device, largest, others_text, resource_texts, total
from schedplan.ingest.kubernetes.labels import ACCELERATOR_KEYS
from schedplan.ingest.kubernetes.quantity import gib, quantity
from schedplan.units import QuantityError

_OF_EVERY_POD = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_KNOWN_SELECTORS = frozenset({"kubernetes.io/os", "beta.kubernetes.io/os", "kubernetes.io/arch", "beta.kubernetes.io/arch"})


@dataclass(frozen=True, slots=True)
class PodSpec:
    """One pod. limit_s: activeDeadlineSeconds. unsaid: what the pod asks of its node that no column says, by name."""

    amounts: Amounts
    models: tuple[str, ...]
    tolerations: tuple[str, ...]
    tolerates_all: bool
    unsaid: tuple[str, ...]
    node: str | None
    priority: int | None
    priority_class: str | None
    limit_s: int | None

    def columns(self, workers: int = 1) -> dict[str, Value]:
        """Return the columns of `jobs` that say the shape of `workers` such pods; several slices of a pod are a worker each."""
        own = self.amounts
        n_slices = sum(number for _, number in own.slices)
        parts = n_slices if len(own.slices) == 1 and n_slices > 1 else 1
        return {
            "workers": workers * parts,
            "gpus_per_worker": None if own.slices else own.devices,
            "slice_profile": own.slices[0][0] if own.slices else None,
            "cpus_per_worker": None if own.cpus is None else float(own.cpus / parts),
            "memory_gib_per_worker": None if own.memory is None else gib(own.memory / parts),
            "resources_per_worker": others_text(tuple((name, amount / parts) for name, amount in own.others)),
            "accelerators": "|".join(self.models) or None,
            "tolerations": ";".join(self.tolerations) or None,
            "priority": self.priority,
            "time_limit_minutes": self.limit_s / 60 if self.limit_s else None,
        }


def pod_spec(spec: Element) -> PodSpec:
    """Return what the spec of a pod says; FieldError where a field is not what it should be."""
    tolerations, tolerates_all = _tolerations(spec.get("tolerations"))
    models, unsaid = _asked_of_node(spec)
    found = amounts(_texts(_requests(spec)), f"{spec.place}.containers")
    if len(found.slices) > 1:
        raise shape_error(f"{spec.place}.containers", found.slices, "slices of one MIG profile")
    return PodSpec(
        found,
        models,
        tolerations,
        tolerates_all,
        unsaid,
        spec.get("nodeName").text(),
        spec.get("priority").integer(),
        spec.get("priorityClassName").text(),
        spec.get("activeDeadlineSeconds").integer(),
    )


def _requests(spec: Element) -> dict[str, Fraction]:
    """Return what a pod must find free: containers and sidecars together, or the largest init container if that is more."""
    whole = _container(spec)
    if whole:
        return total((whole, _amounts(spec.get("overhead"))))
    beside: dict[str, Fraction] = {}
    peaks = []
    for container in spec.get("initContainers").items():
        own = _container(container)
        if container.get("restartPolicy").text() == "Always":
            beside = total((beside, own))
            peaks.append(beside)
        else:
            peaks.append(total((beside, own)))
    main = total((beside, *(_container(container) for container in spec.get("containers").items())))
    return total((largest((main, *peaks)), _amounts(spec.get("overhead"))))


def _container(container: Element) -> dict[str, Fraction]:
    """Return the requests of a container; what has a limit alone is requested in that amount."""
    return _amounts(container.get("resources", "limits")) | _amounts(container.get("resources", "requests"))


def _amounts(element: Element) -> dict[str, Fraction]:
    found = {}
    for name, text in resource_texts(element).items():
        try:
            found[name] = quantity(text)
        except QuantityError as problem:
            raise shape_error(f"{element.place}.{name}", text, str(problem)) from None
        if name == "memory" or is_device(name):
            amounts({name: text}, element.place)  # refuses parts of a device, and memory in doubt
    return found


def _texts(found: dict[str, Fraction]) -> dict[str, str]:
    """Return exact quantities as texts: whole ones as they are, others in billionths."""
    return {name: str(int(amount)) if amount.denominator == 1 else f"{int(amount * 10**9)}n" for name, amount in found.items()}


def _tolerations(items: Element) -> tuple[tuple[str, ...], bool]:
    found: list[str] = []
    tolerates_all = False
    for item in items.items():
        key, value = item.get("key").text(), item.get("value").text()
        if key is None:
            tolerates_all = True
        elif key not in _OF_EVERY_POD:
            found.append(f"{key}={value}" if value and item.get("operator").text() != "Exists" else key)
    return tuple(dict.fromkeys(found)), tolerates_all


def _asked_of_node(spec: Element) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return (device models it may have, what else it asks of its node)."""
    models: list[str] = []
    unsaid: list[str] = []
    for key, value in spec.get("nodeSelector").fields():
        if key in ACCELERATOR_KEYS:
            models.append(value.text() or "")
        elif key not in _KNOWN_SELECTORS:
            unsaid.append(f"nodeSelector {key}")
    terms = spec.get("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms").items()
    for expression in (one for term in terms for one in term.get("matchExpressions").items()):
        key = expression.get("key").text() or ""
        if key in ACCELERATOR_KEYS and expression.get("operator").text() == "In" and len(terms) == 1:
            models.extend(value.text() or "" for value in expression.get("values").items())
        elif key not in _KNOWN_SELECTORS:
            unsaid.append(f"nodeAffinity {key}")
    for name in ("podAffinity", "podAntiAffinity"):
        if not spec.get("affinity", name, "requiredDuringSchedulingIgnoredDuringExecution").is_absent:
            unsaid.append(name)
    return tuple(sorted({model for model in models if model})), tuple(dict.fromkeys(unsaid))
