"""Devices: which ones of a node each worker holds, slot by slot, so that none is used twice.

Jobs keep their devices for their whole run; a replica keeps its device while it stays on the node. A share takes its slices of
one device. `device_board` gives them away, in the orders of `device_claims`; here stands what came of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.device_board import DeviceBoard
from schedplan.measures.device_claims import Claim, claims_by_node, devices_needed
from schedplan.measures.device_text import device_texts
from schedplan.measures.gang_family import is_in_one_group
from schedplan.measures.runs import Run
from schedplan.model.cluster import Pool
from schedplan.model.plan import ReplicaPart
from schedplan.model.problem import Problem
from schedplan.model.workload import WorkerShape


@dataclass(frozen=True, slots=True)
class Unassigned:
    """A node whose work has no assignment of devices. slot: where the slices alone do not suffice, None where they do.

    rule: what stands in the way: `capacity`, or `slices` or `device_group` where there is an assignment without legal starts, or
    without device groups.
    """

    node: str
    slot: int | None
    message: str
    rule: str = "capacity"


@dataclass(frozen=True, slots=True)
class DeviceUse:
    """device_slots per (job, node, first slot): `0,1`, or `0:0-2` for slices of device 0 (its memory slices where a profile holds
    them), empty for a worker without devices.

    whole_free int64 [node, slot]: devices that nothing holds; widest_free float64 [node, slot]: the largest share of a single
    device that is free, beside profiles that of the largest profile that still has a place. unassigned: nodes where no assignment
    was found; their jobs have no device_slots.
    """

    device_slots: dict[tuple[str, str, int], str]
    whole_free: NDArray[np.int64]
    widest_free: NDArray[np.float64]
    unassigned: tuple[Unassigned, ...]


def assign_devices(problem: Problem, runs: Sequence[Run], replicas: Sequence[ReplicaPart]) -> DeviceUse:
    """Return who holds which device. Same input, same answer."""
    return _assigned(problem, claims_by_node(problem, runs, replicas), problem.cluster.nodes)


def unassigned_nodes(problem: Problem, runs: Sequence[Run], replicas: Sequence[ReplicaPart]) -> tuple[Unassigned, ...]:
    """Return the nodes whose work finds no single devices, as `assign_devices` does, without giving devices away where all of it
    takes whole ones.

    There it always finds some where no slot asks for more than there are: taken in order of their first slots, each finds as many
    free as it asks for, since what began before and still stands holds no more than the rest.
    """
    doubtful = _doubtful(problem, runs, replicas)
    if not doubtful:
        return ()
    claims = claims_by_node(problem, runs, replicas)
    return _assigned(problem, claims, tuple(node for node in problem.cluster.nodes if node in doubtful)).unassigned


def _doubtful(problem: Problem, runs: Sequence[Run], replicas: Sequence[ReplicaPart]) -> set[str]:
    """Return the nodes on which some work takes shares of devices, or devices of one group, or more are held than there are."""
    cluster, held = problem.cluster, np.zeros((len(problem.cluster.nodes), problem.grid.n_slots), dtype=np.int64)
    found: set[str] = set()
    known: dict[tuple[str, WorkerShape], tuple[int, int]] = {}

    def hold(node: str, shape: WorkerShape, count: int, slots: slice) -> None:
        key = (cluster.pool_of_node[node].name, shape)
        if key not in known:
            known[key] = devices_needed(cluster, node, shape)
        whole, slices = known[key]
        held[cluster.node_idx[node], slots] += whole * count
        if slices:
            found.add(node)

    for stand in replicas:
        hold(stand.node, problem.service_by_name[stand.service].shape, stand.replicas, slice(stand.slot, stand.slot + 1))
    for run in runs:
        for part in run.parts:
            hold(part.node, run.job.shape, part.workers, run.slots)
        if is_in_one_group(run.job):
            found.update(part.node for part in run.parts)
    most = np.array([cluster.pool_of_node[node].gpus for node in cluster.nodes], dtype=np.int64)
    return found | {cluster.nodes[row] for row in np.flatnonzero((held > most[:, None]).any(axis=1))}


def _assigned(problem: Problem, claims_of: dict[str, list[Claim]], nodes: Sequence[str]) -> DeviceUse:
    """Return who holds which device of some nodes; of others nothing is said."""
    cluster = problem.cluster
    shape = (len(cluster.nodes), problem.grid.n_slots)
    whole_free = np.zeros(shape, dtype=np.int64)
    widest_free = np.zeros(shape)
    slots_of: dict[tuple[str, str, int], str] = {}
    unassigned = []
    for node in nodes:
        row, pool = cluster.node_idx[node], cluster.pool_of_node[node]
        if pool.gpus == 0 and node not in claims_of:
            continue
        board = DeviceBoard(pool, problem.grid.n_slots)
        claims = claims_of.get(node, [])
        chosen = board.fill(claims)
        if isinstance(chosen, str):
            slot = board.overloaded_slot(claims)
            rule = "capacity" if slot is not None else _rule(pool, claims, problem.grid.n_slots)
            unassigned.append(Unassigned(node, slot, chosen, rule))
            whole_free[row], widest_free[row] = board.free_by_sums(claims)
            continue
        whole_free[row], widest_free[row] = board.free_now()
        for (job, slot), text in device_texts(claims, chosen, pool.slices_per_gpu, problem.grid.n_slots).items():
            slots_of[job, node, slot] = text
    return DeviceUse(slots_of, whole_free, widest_free, tuple(unassigned))


def _rule(pool: Pool, claims: list[Claim], n_slots: int) -> str:
    """Return the rule without which there is an assignment, `capacity` where there is none either way."""
    without = {
        "slices": [replace(claim, profile=None) for claim in claims],
        "device_group": [replace(claim, grouped=False) for claim in claims],
    }
    for rule, others in without.items():
        if others != claims and not isinstance(DeviceBoard(pool, n_slots).fill(others), str):
            return rule
    return "capacity"
