"""What YuniKorn computes: how full a queue is, and how nodes are sorted.

    usage ratio   the largest allocated_r / guaranteed_r; where a queue is guaranteed nothing of a resource, against the whole of
    it;
                  guaranteed 0 counts as full as soon as anything is used
    nodes         fair: the least sum of w_r used_r / capacity_r / sum of w_r first; binpacking: the most

Source: apache/yunikorn-core pkg/scheduler/objects/{queue,nodesorting}.go, pkg/common/resources, read 2026-11.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.engines.formulas.kube import Weights, used_shares
from schedplan.model.view import NodesView, TenantView

BILLIONTHS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class YuniKornScore:
    """The node sort policy with the weights of devices, cores and memory, before the worker is placed."""

    packs: bool = False
    weights: Weights = (0.0, 1.0, 1.0)

    def __call__(self, nodes: NodesView, asked: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the score of every node, 0 to 1; float64 [n_nodes]."""
        used = np.nan_to_num(used_shares(nodes, np.zeros_like(asked)), nan=0.0)
        full = used @ np.array(self.weights) / max(sum(self.weights), 1e-12)
        return np.asarray(full if self.packs else 1.0 - full)


def usage_ratio(tenant: TenantView) -> float:
    """Return how full the queue of a tenant is."""
    if tenant.guaranteed is None:
        return tenant.dominant
    if tenant.guaranteed == 0:
        return max(tenant.dominant, 1.0) if tenant.held > 0 else tenant.dominant
    return max(tenant.dominant, tenant.held / tenant.guaranteed)


def by_usage_ratio(tenant: TenantView) -> int:
    """Return the usage ratio in billionths."""
    return round(usage_ratio(tenant) * BILLIONTHS)
