"""Stranded capacity: free, paid for, and of no use to any worker one could expect.

A node's free devices are stranded in a slot when the node is on and no worker fits there: neither one of a job left out (that the
node may hold by its attributes) nor the average worker, which asks for the mean over all workers of the problem's jobs that use
the counted resource (over replicas where there are no such jobs; devices above one rounded up). Where nothing asks for the counted
resource, nothing is stranded.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.devices import DeviceUse
from schedplan.measures.eligibility import refusal
from schedplan.measures.usage import Usage
from schedplan.measures.work import counted, counted_share
from schedplan.model.cluster import NodeStatus, Pool
from schedplan.model.plan import Decisions
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, WorkerShape
from schedplan.units import slices_of

FORGIVEN = 1e-6


def stranded(
    problem: Problem, decisions: Decisions, usage: Usage, devices: DeviceUse, left_out: Sequence[Job]
) -> NDArray[np.float64]:
    """Return the stranded counted resource per node and slot, float64 [node, slot]."""
    cluster = problem.cluster
    average = average_worker(problem)
    found = np.zeros(decisions.on.shape)
    if average is None:
        return found
    waiting = [shape for shape in dict.fromkeys(job.shape for job in left_out) if counted_share(shape, cluster) > 0]
    for row, node in enumerate(cluster.nodes):
        pool = cluster.pool_of_node[node]
        free = np.maximum(counted(pool, cluster) - usage.held[row], 0.0)
        if pool.status is not NodeStatus.READY or not (free > FORGIVEN).any():
            continue
        shapes = [shape for shape in waiting if refusal(pool, shape) is None]
        useful = np.zeros(len(free), dtype=np.bool_)
        for shape in (average, *shapes):
            useful |= _fits(pool, shape, row, usage, devices)
        found[row] = np.where(decisions.on[row] & ~useful & (free > FORGIVEN), free, 0.0)
    return found


def average_worker(problem: Problem) -> WorkerShape | None:
    """Return the mean worker by devices, cores and memory; None where nothing asks for the counted resource."""
    cluster = problem.cluster
    jobs = [(job.shape, job.workers) for job in problem.jobs if counted_share(job.shape, cluster) > 0]
    counts = jobs or [(service.shape, 1) for service in problem.services if counted_share(service.shape, cluster) > 0]
    total = sum(count for _, count in counts)
    if total == 0:
        return None
    gpus = sum(shape.gpus * count for shape, count in counts) / total
    return WorkerShape(
        gpus=ceil(gpus - FORGIVEN) if gpus > 1 else gpus,
        cpus=sum(shape.cpus * count for shape, count in counts) / total,
        memory_gib=sum(shape.memory_gib * count for shape, count in counts) / total,
    )


def _fits(pool: Pool, shape: WorkerShape, row: int, usage: Usage, devices: DeviceUse) -> NDArray[np.bool_]:
    room = np.ones(usage.held.shape[1], dtype=np.bool_)
    if shape.gpus >= 1:
        room &= devices.whole_free[row] >= shape.gpus - FORGIVEN
    elif shape.gpus > 0:
        room &= devices.widest_free[row] * pool.slices_per_gpu >= slices_of(shape.gpus, pool.slices_per_gpu) - FORGIVEN
    if pool.cpus is not None:
        room &= pool.cpus - usage.cpus[row] >= shape.cpus - FORGIVEN
    if pool.memory_gib is not None:
        room &= pool.memory_gib - usage.memory_gib[row] >= shape.memory_gib - FORGIVEN
    return room
