"""Usage: what work holds of each node in each slot, and how much of that is busy. It knows no prices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.emissions import replica_duty
from schedplan.measures.runs import Fleet, Run
from schedplan.measures.work import counted, counted_share, node_share
from schedplan.model.cluster import Cluster
from schedplan.model.plan import Decisions
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, Service, WorkerShape


@dataclass(frozen=True)
class Usage:
    """Arrays float64 [node, slot], rows = Cluster.nodes.

    held, busy: counted resource; held_share, busy_share: of the node's price; duty: what energy counts as busy of it (see
    emissions); devices, cpus, memory_gib: held, as asked;
    job_busy: counted resource that jobs keep busy. by_kind: busy counted resource per kind of job, and of services under `service`.
    """

    held: NDArray[np.float64]
    busy: NDArray[np.float64]
    held_share: NDArray[np.float64]
    busy_share: NDArray[np.float64]
    duty: NDArray[np.float64]
    devices: NDArray[np.float64]
    cpus: NDArray[np.float64]
    memory_gib: NDArray[np.float64]
    job_busy: NDArray[np.float64]
    by_kind: dict[str, NDArray[np.float64]]


def usage_of(problem: Problem, runs: Sequence[Run], fleets: Sequence[Fleet]) -> Usage:
    """Return what runs and fleets hold and keep busy: a job all that it holds (an elastic gang for its run time alone), a
    replica for its share of the expected load."""
    shape = (len(problem.cluster.nodes), problem.grid.n_slots)
    held, busy, held_share, busy_share, duty, devices, cpus, memory_gib, job_busy = (np.zeros(shape) for _ in range(9))
    found = Usage(held, busy, held_share, busy_share, duty, devices, cpus, memory_gib, job_busy, {})
    for run in runs:
        for part in run.parts:
            _add(found, problem.cluster, part.node, run.slots, part.workers, run.job, run.duty, run.duty)
    for fleet in fleets:
        duties = {
            accelerator: replica_duty(problem, fleet.service, accelerator)
            for accelerator in {problem.cluster.pool_of_node[stand.node].accelerator for parts in fleet.parts for stand in parts}
        }
        for slot, parts in enumerate(fleet.parts):
            serving = {part.node: part.replicas for part in fleet.serving[slot]}
            for stand in parts:
                share = serving.get(stand.node, 0) / stand.replicas
                _add(
                    found,
                    problem.cluster,
                    stand.node,
                    slice(slot, slot + 1),
                    stand.replicas,
                    fleet.service,
                    float(fleet.busy[slot]) * share,
                    float(duties[problem.cluster.pool_of_node[stand.node].accelerator][slot]),
                )
    return found


def counted_on(problem: Problem, decisions: Decisions) -> NDArray[np.float64]:
    """Return the counted resource of the nodes that are on, float64 [node, slot]."""
    per_node = [counted(problem.cluster.pool_of_node[node], problem.cluster) for node in problem.cluster.nodes]
    return np.asarray(decisions.on * np.array(per_node).reshape(-1, 1), dtype=np.float64)


def _add(
    found: Usage, cluster: Cluster, node: str, slots: slice, count: int, work: Job | Service, busy: float, duty: float
) -> None:
    row, pool, shape = cluster.node_idx[node], cluster.pool_of_node[node], work.shape
    amount, share = count * counted_share(shape, cluster), count * node_share(pool, shape)
    kind = work.kind.value if isinstance(work, Job) else "service"
    found.held[row, slots] += amount
    found.busy[row, slots] += amount * busy
    found.held_share[row, slots] += share
    found.busy_share[row, slots] += share * busy
    found.duty[row, slots] += share * duty
    if kind not in found.by_kind:
        found.by_kind[kind] = np.zeros_like(found.held)
    found.by_kind[kind][row, slots] += amount * busy
    if isinstance(work, Job):
        found.job_busy[row, slots] += amount * busy
    _add_room(found, row, slots, count, shape)


def _add_room(found: Usage, row: int, slots: slice, count: int, shape: WorkerShape) -> None:
    found.devices[row, slots] += count * shape.gpus
    found.cpus[row, slots] += count * shape.cpus
    found.memory_gib[row, slots] += count * shape.memory_gib
