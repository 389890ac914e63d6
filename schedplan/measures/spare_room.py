"""Spare room: how many workers of a job the nodes of a pool could still take over a span of slots, node by node.

It counts devices, cores and memory on each node, not which of its devices are free.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.gang_family import is_on_one_node
from schedplan.measures.usage import Usage
from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Job

FORGIVEN = 1e-6


def rows_of(problem: Problem, pool: Pool) -> slice:
    """Return the rows of the nodes of a pool that a plan may use; the nodes of a pool stand together."""
    rows = problem.cluster.nodes_of_pool[pool.name]
    return slice(rows[0], rows[-1] + 1) if rows else slice(0, 0)


def workers_free(problem: Problem, pool: Pool, job: Job, usage: Usage, window: slice) -> NDArray[np.int64]:
    """Return how many workers each node of a pool can take in all slots of a window beside what it holds, on or off; [nodes]."""
    rows, shape = rows_of(problem, pool), job.shape
    room = np.full(pool.nodes, float(job.workers if shape.max_per_node is None else min(shape.max_per_node, job.workers)))
    asks = (
        (float(pool.gpus), usage.devices, shape.gpus),
        (pool.cpus, usage.cpus, shape.cpus),
        (pool.memory_gib, usage.memory_gib, shape.memory_gib),
    )
    for has, held, ask in asks:
        if ask > 0 and has is not None and pool.nodes:
            room = np.minimum(room, np.floor((has - held[rows, window].max(axis=1)) / ask + FORGIVEN))
    room[problem.is_down[rows, window].any(axis=1)] = 0.0
    return np.asarray(np.maximum(room, 0.0), dtype=np.int64)


def holds(job: Job, free: NDArray[np.int64], workers: int) -> bool:
    """Whether nodes with so much room take so many workers of a gang, on one of them where it asks for that."""
    most = free.max(initial=0) if is_on_one_node(job.topology) else free.sum()
    return int(most) >= workers
