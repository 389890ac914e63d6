"""What Ray computes for the bundles of a placement group: the share that a node keeps of what is free, over all that is asked.

Source: LeastResourceScorer in ray-project/ray src/ray/raylet/scheduling/policy/scorer.cc, used by bundle_scheduling_policy.cc
beside it (read 2026-12-01); held against Ray 2.60.0 in tests/real/test_ray.py.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedplan.model.view import NodesView


def bundle_score(nodes: NodesView, asked: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of (free - asked) / free over the resources that are asked for; float64 [n_nodes]."""
    columns = asked > 0
    free = np.nan_to_num(nodes.free[:, columns], nan=0.0)
    left = free - asked[columns]
    return np.asarray(np.divide(left, free, out=np.zeros_like(left), where=free > 0).sum(axis=1))
