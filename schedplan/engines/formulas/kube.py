"""Scores of the kube-scheduler: NodeResourcesFit and NodeResourcesBalancedAllocation, each 0 to 100, in whole hundredths.

    LeastAllocated     per resource floor(100 x (capacity - requested) / capacity), 0 where too much is requested; weighted mean
    MostAllocated      per resource floor(100 x requested / capacity); weighted mean
    Balanced           floor(100 x (1 - standard deviation of requested / capacity))

Requested includes the worker that is placed. Source: kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources
(least_allocated.go, most_allocated.go, balanced_allocation.go, read 2026-11); weights: pkg/scheduler/apis/config/v1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.model.view import NodesView

DEVICES, CORES, MEMORY = 0, 1, 2
FULL_SCORE = 100.0
ROUNDING = 1e-9

Weights = tuple[float, float, float]
"""Of devices, cores and memory, in this order."""


@dataclass(frozen=True, slots=True)
class KubeScore:
    """Fit (least or most allocated, with a weight per resource) plus balance of cores and memory, both with the plugins'
    weights.
    """

    packs: bool = False
    weights: Weights = (0.0, 1.0, 1.0)
    fit_weight: float = 1.0
    balance_weight: float = 1.0

    def __call__(self, nodes: NodesView, asked: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the score of every node, float64 [n_nodes]."""
        fit = most_allocated(nodes, asked, self.weights) if self.packs else least_allocated(nodes, asked, self.weights)
        return self.fit_weight * fit + self.balance_weight * balanced(nodes, asked, (CORES, MEMORY))


def least_allocated(nodes: NodesView, asked: NDArray[np.float64], weights: Weights) -> NDArray[np.float64]:
    """Return floor of the weighted mean over the stated resources of floor(100 x free after the worker / total), [n_nodes]."""
    return _weighted(FULL_SCORE * np.maximum(1.0 - used_shares(nodes, asked), 0.0), weights)


def most_allocated(nodes: NodesView, asked: NDArray[np.float64], weights: Weights) -> NDArray[np.float64]:
    """Return floor of the weighted mean over the stated resources of floor(100 x used after the worker / total), [n_nodes]."""
    return _weighted(FULL_SCORE * used_shares(nodes, asked), weights)


def balanced(nodes: NodesView, asked: NDArray[np.float64], columns: Sequence[int]) -> NDArray[np.float64]:
    """Return floor(100 x (1 - standard deviation of the used shares after the worker)), float64 [n_nodes]."""
    used = np.clip(used_shares(nodes, asked)[:, list(columns)], 0.0, 1.0)
    mean = _stated_mean(used)
    spread = np.sqrt(_stated_mean((used - mean[:, None]) ** 2))
    return np.asarray(np.floor(FULL_SCORE * (1.0 - spread) + ROUNDING))


def used_shares(nodes: NodesView, asked: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return used / total of devices, cores and memory with the worker on each node; NaN where a node doesn't state one, [n, 3]."""
    first = slice(0, MEMORY + 1)
    return np.asarray(1.0 - (nodes.free[:, first] - asked[first]) / nodes.total[:, first])


def _weighted(scores: NDArray[np.float64], weights: Weights) -> NDArray[np.float64]:
    whole = np.floor(scores + ROUNDING)
    weight = np.where(np.isnan(whole), 0.0, np.array(weights))
    total = weight.sum(axis=1)
    sums = (np.nan_to_num(whole, nan=0.0) * weight).sum(axis=1)
    return np.asarray(np.floor(np.divide(sums, total, out=np.zeros(len(whole)), where=total > 0) + ROUNDING))


def _stated_mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean per row over what is a number, 0 where nothing is."""
    stated = ~np.isnan(values)
    counts = stated.sum(axis=1)
    sums = np.where(stated, values, 0.0).sum(axis=1)
    return np.asarray(np.divide(sums, counts, out=np.zeros(len(values)), where=counts > 0))
