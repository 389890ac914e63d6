"""Replicas on nodes, slot by slot, on nodes that are on anyway first, and where they stood before. It does not say how many."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedplan.model.plan import ReplicaPart
from schedplan.model.workload import Service
from schedplan.packing.board import Board


def place_replicas(
    board: Board, nodes: NDArray[np.intp], service: Service, count: int, slot: int
) -> tuple[ReplicaPart, ...] | None:
    """Take room for `count` replicas in one slot and return where; None, and nothing taken, where it is not there."""
    if count == 0:
        return ()
    room = board.room(nodes, service.shape, slot, slot + 1)
    if int(room.sum()) < count:
        return None
    was_used = board.held[nodes, slot - 1] > 0 if slot else np.zeros(len(nodes), dtype=bool)
    order = np.lexsort((nodes, room, ~was_used, board.held[nodes, slot] == 0, room == 0))
    parts = []
    for idx in order:
        taken = min(count, int(room[idx]))
        if taken == 0:
            break
        board.take(int(nodes[idx]), service.shape, taken, slot, slot + 1)
        board.allowance.add(service, board.pools[int(nodes[idx])].accelerator, taken, slice(slot, slot + 1))
        parts.append(ReplicaPart(service.name, slot, board.cluster.nodes[int(nodes[idx])], taken))
        count -= taken
    return tuple(parts)
