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
from schedplan.measures.device_claims import Claim, claims_by_node
from schedplan.measures.device_text import device_texts
from schedplan.measures.runs import Run
from schedplan.model.cluster import Pool
from schedplan.model.plan import ReplicaPart
from schedplan.model.problem import Problem


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
    cluster = problem.cluster
    shape = (len(cluster.nodes), problem.grid.n_slots)
    whole_free = np.zeros(shape, dtype=np.int64)
    widest_free = np.zeros(shape)
    slots_of: dict[tuple[str, str, int], str] = {}
    unassigned = []
    claims_of = claims_by_node(problem, runs, replicas)
    for row, node in enumerate(cluster.nodes):
        pool = cluster.pool_of_node[node]
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
