"""What a policy may look at, and nothing else: no true run time, no later arrival.

The kernel keeps one view per lane (jobs that differ only in time) and reuses it; a policy reads, and gives back integers or an
array.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(slots=True)
class LaneView:
    """The first job of a lane, and the lane. Seconds; devices and cores of the whole gang; waiting: jobs in the lane.

    rank: the job's place in the order of submission, then name.
    """

    now_s: int = 0
    rank: int = 0
    submit_s: int = 0
    estimate_s: int = 0
    workers: int = 1
    devices: float = 0.0
    cores: float = 0.0
    priority: int = 0
    tenant: str = ""
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class NodesView:
    """Some nodes, float64 [n_nodes, n_resources]; columns are devices, cores, GiB of memory, then other counted resources.

    free, total: now and when empty; NaN where a node does not say (it never binds) or has none. most: the largest total of the
    machine per column, float64 [n_resources], NaN likewise. devices: free share of each device, float64 [n_nodes, n_devices], 0
    where a node has fewer; kinds: per node, how many devices a worker of each kind that stands there asks for; both only where the
    policy's node choice looks at them. typical: the most frequent shapes of the work as (devices, share of each, cores, frequency),
    float64 [n_typical, 4].
    """

    free: NDArray[np.float64]
    total: NDArray[np.float64]
    most: NDArray[np.float64]
    devices: NDArray[np.float64] | None = None
    kinds: tuple[tuple[float, ...], ...] = ()
    typical: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 4)))


@dataclass(slots=True)
class TenantView:
    """A tenant at an instant: what it holds and is promised.

    held: counted resource (devices where the machine has any, else cores). dominant: the largest share of the machine that it holds
    of any stated resource. past: counted resource-seconds held so far, older ones counting less by the policy's half-life.
    guaranteed: what its quota promises, None without one. weight: of its quota, 1 without.
    """

    tenant: str = ""
    held: float = 0.0
    dominant: float = 0.0
    past: float = 0.0
    guaranteed: float | None = None
    weight: float = 1.0
