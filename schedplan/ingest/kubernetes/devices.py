"""Resources of a node or a pod as cores, memory, devices, slices and what else is counted. It knows no object of Kubernetes.

Names of devices: the device plugins of their makers (2026-11), github.com/NVIDIA/k8s-device-plugin and others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from schedplan.ingest.element import Element, shape_error
from schedplan.ingest.kubernetes.quantity import is_milli, memory_bytes, pieces, quantity
from schedplan.units import QuantityError

WHOLE_DEVICES = (
    "nvidia.com/gpu",
    "nvidia.com/gpu.shared",
    "amd.com/gpu",
    "gpu.intel.com/i915",
    "gpu.intel.com/xe",
    "google.com/tpu",
    "habana.ai/gaudi",
    "aws.amazon.com/neuron",
    "alibabacloud.com/gpu-count",
    "mthreads.com/gpu",
    "metax-tech.com/gpu",
    "iluvatar.com/gpu",
    "cambricon.com/mlu",
)
_ASCEND = re.compile(r"huawei\.com/Ascend\d+\w*", re.ASCII)
MIG = re.compile(r"nvidia\.com/mig-(\d+g\.\d+gb(?:\.me)?)", re.ASCII)
MILLI_DEVICES = "alibabacloud.com/gpu-milli"
# Shares of a device that a scheduler of its own hands out; how much of a device they are is not told by the cluster.
SHARES = (
    *("nvidia.com/gpumem", "nvidia.com/gpumem-percentage", "nvidia.com/gpucores"),
    *("volcano.sh/vgpu-memory", "volcano.sh/vgpu-cores"),
)
NOT_COUNTED = ("pods", "ephemeral-storage", "storage", "hugepages-1Gi", "hugepages-2Mi")


@dataclass(frozen=True, slots=True)
class Amounts:
    """What is offered or asked for. cpus in cores, memory in bytes, both exact; None: not stated. slices: (MIG profile, number).

    others: (name, amount). shares: names of shares of devices that are not read. in_milli: memory was stated in thousandths.
    """

    cpus: Fraction | None = None
    memory: Fraction | None = None
    devices: int = 0
    slices: tuple[tuple[str, int], ...] = ()
    others: tuple[tuple[str, Fraction], ...] = ()
    shares: tuple[str, ...] = ()
    is_milli_shared: bool = False
    in_milli: bool = False


def amounts(resources: dict[str, str], place: str) -> Amounts:
    """Return what texts of quantities by name of resource come to; FieldError where one is none."""
    cpus = memory = None
    devices, shares = 0, list[str]()
    slices: dict[str, int] = {}
    others: dict[str, Fraction] = {}
    for name, text in resources.items():
        mig = MIG.fullmatch(name)
        try:
            if name == "cpu":
                cpus = quantity(text)
            elif name == "memory":
                memory = memory_bytes(text)
            elif is_device(name):
                devices += pieces(text)
            elif mig is not None:
                slices[mig.group(1)] = pieces(text)
            elif name in SHARES:
                shares.append(name)
            elif name != MILLI_DEVICES and not name.startswith("hugepages-") and name not in NOT_COUNTED:
                others[name] = quantity(text)
        except QuantityError as problem:
            raise shape_error(f"{place}.{name}".lstrip("."), text, str(problem)) from None
    return Amounts(
        cpus,
        memory,
        devices,
        tuple(sorted((profile, number) for profile, number in slices.items() if number)),
        tuple(sorted((name, amount) for name, amount in others.items() if amount)),
        tuple(shares),
        MILLI_DEVICES in resources,
        is_milli(resources.get("memory", "")) or (memory is not None and memory.denominator != 1),
    )


def is_device(name: str) -> bool:
    """Return whether a resource counts whole devices."""
    return name in WHOLE_DEVICES or _ASCEND.fullmatch(name) is not None


def resource_texts(element: Element) -> dict[str, str]:
    """Return the quantities of a mapping of resources, as texts."""
    return {name: value.text() or "" for name, value in element.fields() if not value.is_absent}


def total(parts: Iterable[dict[str, Fraction]]) -> dict[str, Fraction]:
    """Return the sum by name."""
    found: dict[str, Fraction] = {}
    for part in parts:
        for name, amount in part.items():
            found[name] = found.get(name, Fraction(0)) + amount
    return found


def largest(parts: Iterable[dict[str, Fraction]]) -> dict[str, Fraction]:
    """Return the largest by name."""
    found: dict[str, Fraction] = {}
    for part in parts:
        for name, amount in part.items():
            found[name] = max(found.get(name, Fraction(0)), amount)
    return found


def others_text(others: tuple[tuple[str, Fraction], ...]) -> str | None:
    """Return amounts as the tables spell them, None for none."""
    return ";".join(f"{name}={float(amount):.15g}" for name, amount in others) or None
