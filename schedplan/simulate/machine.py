"""The machine of a replay: every ready node by itself, in whole numbers. It knows no job.

Cores and other resources in millionths; memory in millionths of a GiB; devices in slices. What a node does not state is so large
that it never binds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.model.cluster import Cluster, Pool
from schedplan.units import micro

UNSTATED = 1 << 60


@dataclass(frozen=True)
class Machine:
    """Nodes in the order of Cluster.nodes. resources: names of the counted amounts beside devices, cores and memory first.

    amounts: per node, in the order of resources. total: float64 [n_nodes, 1 + n_resources] as policies see it, devices first, NaN =
    not stated. counted: devices, or cores where no node has devices.
    """

    nodes: tuple[str, ...]
    pools: tuple[Pool, ...]
    resources: tuple[str, ...]
    amounts: tuple[tuple[int, ...], ...]
    total: NDArray[np.float64]
    has_devices: bool
    price_per_h: float

    @property
    def counted(self) -> NDArray[np.float64]:
        """Counted resource per node, float64 [n_nodes]."""
        return np.nan_to_num(self.total[:, 0 if self.has_devices else 1], nan=0.0)


def machine_of(cluster: Cluster) -> Machine:
    """Return the machine that the ready pools of a cluster make; on-demand and spot pools at their largest count."""
    names = [(name, pool) for pool in cluster.pools for name in pool.node_names()[: pool.nodes]]
    others = sorted({name for pool in cluster.pools for name, _ in pool.resources})
    return Machine(
        nodes=tuple(name for name, _ in names),
        pools=tuple(pool for _, pool in names),
        resources=("cpus", "memory_gib", *others),
        amounts=tuple(_amounts(pool, others) for _, pool in names),
        total=np.array([_stated(pool, others) for _, pool in names], dtype=np.float64).reshape(len(names), 3 + len(others)),
        has_devices=any(pool.gpus > 0 for pool in cluster.pools),
        price_per_h=float(sum(pool.price_per_hour for _, pool in names)),
    )


def _amounts(pool: Pool, others: list[str]) -> tuple[int, ...]:
    offered = dict(pool.resources)
    first = tuple(UNSTATED if value is None else micro(value) for value in (pool.cpus, pool.memory_gib))
    return (*first, *(micro(offered.get(name, 0.0)) for name in others))


def _stated(pool: Pool, others: list[str]) -> tuple[float, ...]:
    offered = dict(pool.resources)
    unstated = float("nan")
    first = tuple(unstated if value is None else value for value in (pool.cpus, pool.memory_gib))
    return (float(pool.gpus), *first, *(offered.get(name, 0.0) for name in others))
