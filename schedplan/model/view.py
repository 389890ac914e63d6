"""What a policy may look at, and nothing else: no true run time, no later arrival.

The kernel keeps one view per lane (jobs that differ only in time) and reuses it; a policy reads, and gives back integers or an
array.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Rows = Sequence[Sequence[float]]
"""Amounts, per tenant and resource."""


@dataclass(slots=True)
class LaneView:
    """The first job of a lane, and the lane. Seconds; devices and cores of the whole gang; waiting: jobs in the lane.

    rank: the job's place in the order of submission, then name. of_machine: share of the machine's counted resource that it asks
    for.
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
    of_machine: float = 0.0


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


@dataclass(frozen=True, slots=True)
class QueuesView:
    """All tenants at one decision, a row each; columns are the resources that every node states.

    asked: held and waiting together; promised and most: by quota, 0 and the whole machine without one; weight: of each tenant;
    total: of the machine, per resource.
    """

    asked: Rows
    promised: Rows
    most: Rows
    weight: Sequence[float]
    total: Sequence[float]


@dataclass(slots=True)
class TenantView:
    """A tenant at an instant: what it holds and is promised.

    held: counted resource (devices where the machine has any, else cores). dominant: the largest share of the machine that it holds
    of any stated resource. past: counted resource-seconds held so far, older ones counting less by the policy's half-life.
    guaranteed: what its quota promises, None without one. weight: of its quota, 1 without. of_due: the largest held_r / due_r, by
    the policy's rule of what is due to each, and is_sated: it holds all that is due; both only where the share has such a rule.
    """

    tenant: str = ""
    held: float = 0.0
    dominant: float = 0.0
    past: float = 0.0
    guaranteed: float | None = None
    weight: float = 1.0
    of_due: float = 0.0
    is_sated: bool = False
