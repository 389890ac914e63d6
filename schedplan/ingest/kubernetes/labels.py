"""Labels by which clusters and clouds tell zone, region, device model, market and fast-network domain of a node. It reads nothing.

Sources: kubernetes.io/docs/reference/labels-annotations-taints, github.com/NVIDIA/gpu-feature-discovery, and the documents of
GKE, EKS, AKS, ACK and Karpenter (2026-11).
"""

from __future__ import annotations

ZONE_KEYS = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")
REGION_KEYS = ("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region")
RACK_KEYS = ("topology.kubernetes.io/rack", "cloud.provider.com/topology-rack", "cloud.google.com/gce-topology-subblock", "rack")
BLOCK_KEYS = (
    "nvidia.com/gpu.clique",
    "cloud.provider.com/topology-block",
    "cloud.google.com/gce-topology-block",
    "topology.k8s.aws/network-node-layer-3",
    "volcano.sh/tor",
)
HOST_KEYS = ("kubernetes.io/hostname",)
ACCELERATOR_KEYS = (
    "nvidia.com/gpu.product",
    "amd.com/gpu.product-name",
    "cloud.google.com/gke-accelerator",
    "cloud.google.com/gke-tpu-accelerator",
    "k8s.amazonaws.com/accelerator",
    "karpenter.k8s.aws/instance-gpu-name",
    "karpenter.azure.com/sku-gpu-name",
    "alibabacloud.com/gpu-card-model",
    "aliyun.accelerator/nvidia_name",
)
_MIB_KEYS = ("nvidia.com/gpu.memory", "karpenter.k8s.aws/instance-gpu-memory")
_MARKETS = (
    ("karpenter.sh/capacity-type", {"spot": "spot", "on-demand": "on_demand", "reserved": "reserved"}),
    ("eks.amazonaws.com/capacityType", {"SPOT": "spot", "ON_DEMAND": "on_demand", "CAPACITY_BLOCK": "reserved"}),
    ("cloud.google.com/gke-spot", {"true": "spot"}),
    ("cloud.google.com/gke-preemptible", {"true": "spot"}),
    ("kubernetes.azure.com/scalesetpriority", {"spot": "spot"}),
    ("node-lifecycle", {"spot": "spot", "on-demand": "on_demand"}),
)
_TOPOLOGIES = ((ZONE_KEYS, "zone"), (RACK_KEYS, "rack"), (BLOCK_KEYS, "block"), (HOST_KEYS, "node"))
_SAID_ELSEWHERE = (*(key for key, _ in _MARKETS), *ZONE_KEYS, *REGION_KEYS, *RACK_KEYS, *BLOCK_KEYS, *ACCELERATOR_KEYS, *_MIB_KEYS)
_OF_FEATURES = ("feature.node.kubernetes.io/", "nvidia.com/", "beta.kubernetes.io/", "failure-domain.beta.kubernetes.io/")


def first_of(labels: dict[str, str], keys: tuple[str, ...]) -> str | None:
    """Return the value of the first of several labels that is there."""
    return next((labels[key] for key in keys if labels.get(key)), None)


def gpu_memory_gib(labels: dict[str, str]) -> float | None:
    """Return the memory of one device; the labels state MiB."""
    text = first_of(labels, _MIB_KEYS)
    return int(text) / 1024 if text and text.isascii() and text.isdigit() and int(text) else None


def market_of(labels: dict[str, str]) -> str | None:
    """Return the market of a node, None where no label says it."""
    return next((words[labels[key]] for key, words in _MARKETS if labels.get(key) in words), None)


def topology_of(key: str) -> str | None:
    """Return the domain that a label of a topology tells apart, None for one that is not known."""
    return next((name for keys, name in _TOPOLOGIES if key in keys), None)


def kept_labels(labels: dict[str, str]) -> str | None:
    """Return the labels that no other column says, without those of hardware features, as the table spells them."""
    kept = {
        key: value
        for key, value in labels.items()
        if value and key not in _SAID_ELSEWHERE and not key.startswith(_OF_FEATURES) and not set(";=") & set(key + value)
    }
    return ";".join(f"{key}={kept[key]}" for key in sorted(kept)) or None
