"""Choices of nodes by name: score, tie and source. The scores themselves are in node_choice and fragmentation."""

from __future__ import annotations

from schedplan.engines.fragmentation import least_growth, least_growth_device
from schedplan.engines.node_choice import all_alike, best_fit, dot_product, gpu_clustering, gpu_packing, worst_fit
from schedplan.engines.part import NodeChoice, Tie

_FOLDER = "hkust-adsl/kubernetes-scheduler-simulator, pkg/simulator/plugin"

RANDOM = NodeChoice("any node that holds a worker, drawn for each", all_alike, Tie.RANDOM)
FIRST_FIT = NodeChoice("first fit: worker by worker, the first node by name that holds it")
BEST_FIT = NodeChoice(
    "best fit: worker by worker, the node with the least left of devices and cores, each over the largest node",
    best_fit,
    source=f"{_FOLDER}/best_fit_score.go",
)
WORST_FIT = NodeChoice(
    "worst fit: worker by worker, the node with the most left, a device counting as 100 cores",
    worst_fit,
    source=f"{_FOLDER}/worst_fit_score.go",
)
DOT_PRODUCT = NodeChoice(
    "dot product: worker by worker, the node with the least product of what is free and what is asked of devices and cores, each"
    " over the largest node, in whole hundredths",
    dot_product,
    source=f"{_FOLDER}/dot_product_score.go",
)
GPU_PACKING = NodeChoice(
    "GPU packing: worker by worker, shared devices first, the fullest of them, then free devices of used nodes, then free nodes",
    gpu_packing,
    source=f"{_FOLDER}/gpu_packing_score.go",
    sees_devices=True,
)
GPU_CLUSTERING = NodeChoice(
    "GPU clustering: worker by worker, nodes where only workers that ask for as many devices stand, then those where they stand"
    " among"
    " others, then nodes without any, then the rest; the fuller ones first",
    gpu_clustering,
    source=f"{_FOLDER}/gpu_clustering_score.go",
    sees_kinds=True,
)
FGD = NodeChoice(
    "fragmentation gradient descent: worker by worker, the node, and for a share the device, whose fragmentation for typical work"
    " grows least, in whole hundredths of a sigmoid; typical are the most frequent shapes of this work, up to 95 % of its"
    " workers",
    least_growth,
    source=f"{_FOLDER}/fgd_score.go; Weng and others, USENIX ATC 2023",
    sees_devices=True,
    device=least_growth_device,
)

PLAN_GUIDED = NodeChoice(
    "plan-guided: places are kept by a static plan of the largest multiple of the expected work that all fits; a worker takes a"
    " place kept for its shape, else one kept for the same devices whose node has room for it, else room that no place is kept in"
    " (best fit), else it breaks the places that keep the least devices; what leaves gives its place back; nothing that fits is"
    " refused",
    best_fit,
    is_guided=True,
)

NODE_CHOICES = {
    "random": RANDOM,
    "first-fit": FIRST_FIT,
    "best-fit": BEST_FIT,
    "worst-fit": WORST_FIT,
    "dot-product": DOT_PRODUCT,
    "gpu-packing": GPU_PACKING,
    "gpu-clustering": GPU_CLUSTERING,
    "fgd": FGD,
    "plan-guided": PLAN_GUIDED,
}
