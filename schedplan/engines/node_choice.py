"""Scores by which a worker's node is chosen: a number per node that holds it, the largest is taken.

Each is a function of NodesView and of what one worker asks (float64 [n_resources], same columns) alone. Amounts that a node does
not state, or does not have, are NaN there and count nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedplan.model.view import NodesView

DEVICES, CORES = 0, 1
FULL_SCORE = 100.0
ROUNDING = 1e-9


def best_fit(nodes: NodesView, asked: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return - 1/2 sum over devices and cores of (free - asked) / largest node of the machine; float64 [n_nodes].

    Source: BestFitScore of hkust-adsl/kubernetes-scheduler-simulator, pkg/simulator/plugin/best_fit_score.go (read 2026-11-30),
    without its rounding to whole hundredths, which there decides ties.
    """
    left = (nodes.free[:, : CORES + 1] - asked[: CORES + 1]) / nodes.most[: CORES + 1]
    left[np.isnan(left)] = 0.0
    return np.asarray(-0.5 * (left[:, DEVICES] + left[:, CORES]))


def all_alike(nodes: NodesView, asked: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 0 for every node: the tie rule decides; float64 [n_nodes]."""
    return np.zeros(len(nodes.free))


def worst_fit(nodes: NodesView, asked: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return cores left + 100 x devices left after the worker; float64 [n_nodes].

    Source: WorstFitScore of hkust-adsl/kubernetes-scheduler-simulator, pkg/simulator/plugin/worst_fit_score.go (read 2026-12-01),
    before its scores are spread over 0 to 100.
    """
    left = np.nan_to_num(nodes.free[:, : CORES + 1] - asked[: CORES + 1], nan=0.0)
    return np.asarray(left[:, CORES] + FULL_SCORE * left[:, DEVICES])


def dot_product(nodes: NodesView, asked: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return floor(100 x (1 - mean over cores and devices of free x asked / largest node squared)); float64 [n_nodes].

    Source: DotProductScore, as above, dot_product_score.go with its vectors merged over devices and normed by the largest node.
    """
    product = nodes.free[:, : CORES + 1] * asked[: CORES + 1] / nodes.most[: CORES + 1] ** 2
    return np.asarray(np.floor(FULL_SCORE * (1.0 - np.nan_to_num(product, nan=0.0).sum(axis=1) / 2.0) + ROUNDING))


def gpu_packing(nodes: NodesView, asked: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 0 to 100: over 50 on shared devices, the fuller the better; up to 50 on free devices of a used node; up to 33 on a
    node all of whose devices are free; fewer free devices used or left are better. 0 where no device is asked; float64 [n_nodes].

    Source: GpuPackingScore, as above, gpu_packing_score.go.
    """
    assert nodes.devices is not None
    share, count = min(asked[DEVICES], 1.0), max(round(asked[DEVICES]), 1)
    if share <= 0:
        return np.zeros(len(nodes.free))
    left = np.sort(np.where(nodes.devices > 0, nodes.devices, np.inf), axis=1)
    fits = np.isfinite(left) & (left >= share - ROUNDING)
    used = fits & (np.cumsum(fits, axis=1) <= count)
    free = (left == 1.0).sum(axis=1)
    opened = (used & (left == 1.0)).sum(axis=1)
    shared = np.floor(np.where(used, np.floor(np.where(used, left, 0.0) * FULL_SCORE + ROUNDING), 0.0).sum(axis=1) / 10)
    on_shared = np.maximum(FULL_SCORE - shared, FULL_SCORE // 2)
    on_used = np.maximum(FULL_SCORE // 2 - opened, FULL_SCORE // 3)
    on_free = np.maximum(FULL_SCORE // 3 - free, free)
    is_free = free == np.nan_to_num(nodes.total[:, DEVICES], nan=0.0)
    return np.asarray(np.where(is_free, on_free, np.where(opened > 0, on_used, on_shared)))


def gpu_clustering(nodes: NodesView, asked: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 75 where only workers of the same kind stand, 50 where they stand among others, 25 on a node without any, 0 where
    others stand, plus floor(25 x devices in use / largest node). A kind is how many devices a worker asks for, all shares being
    one. 0 where no device is asked; float64 [n_nodes].

    Source: GpuClusteringScore, as above, gpu_clustering_score.go.
    """
    if asked[DEVICES] <= 0:
        return np.zeros(len(nodes.free))
    kind = kind_of(float(asked[DEVICES]))
    base = [(75.0 if len(there) == 1 else 50.0) if kind in there else (0.0 if there else 25.0) for there in map(set, nodes.kinds)]
    most = nodes.most[DEVICES]
    return np.asarray(np.array(base) + np.floor(25.0 * (most - nodes.free[:, DEVICES]) / most + ROUNDING))


def kind_of(devices: float) -> float:
    """Return what kind of worker one that asks for so many devices is: 0.5 for every share of one."""
    return 0.5 if 0 < devices < 1 else devices
