"""What Ray computes for tasks and actors: 0 below a threshold of utilisation, else the utilisation; the least first.

Utilisation is the largest of cores and memory; devices don't count. Bundles of a placement group with PACK fill the best node, then
the next. Source: ray-project/ray src/ray/raylet/scheduling/policy/hybrid_scheduling_policy.cc and
doc/source/ray-core/scheduling, read 2026-11.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.engines.formulas.kube import CORES, DEVICES, MEMORY, used_shares
from schedplan.model.view import NodesView


@dataclass(frozen=True, slots=True)
class RayScore:
    """Minus the hybrid score, then fuller nodes by devices (pack) or emptier ones (spread) in thousandths of it."""

    threshold: float = 0.5
    packs: bool = True

    def __call__(self, nodes: NodesView, asked: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the score of every node, float64 [n_nodes]."""
        used = np.nan_to_num(used_shares(nodes, asked), nan=0.0)
        critical = used[:, [CORES, MEMORY]].max(axis=1)
        hybrid = np.where(critical < self.threshold, 0.0, critical)
        full = used[:, DEVICES]
        return np.asarray((full if self.packs else -full) - hybrid / 1000.0)
