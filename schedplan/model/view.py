"""What a policy may look at, and nothing else: no true run time, no later arrival.

The kernel keeps one view per lane (jobs that differ only in time) and reuses it; a policy reads, and gives back integers or an
array.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(slots=True)
class LaneView:
    """The first job of a lane, and the lane. Seconds; devices of the whole gang; waiting: jobs in the lane.

    rank: the job's place in the order of submission, then name.
    """

    now_s: int = 0
    rank: int = 0
    submit_s: int = 0
    estimate_s: int = 0
    workers: int = 1
    devices: float = 0.0
    priority: int = 0
    tenant: str = ""
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class NodesView:
    """Some nodes, float64 [n_nodes, n_resources]; columns are devices, cores, GiB of memory, then other counted resources.

    free, total: now and when empty; NaN where a node does not say (it never binds) or has none. most: the largest total of the
    machine per column, float64 [n_resources], NaN likewise.
    """

    free: NDArray[np.float64]
    total: NDArray[np.float64]
    most: NDArray[np.float64]
