"""Gangs on nodes: which nodes take the workers of one gang, best fit. It does not choose when, or in which family of nodes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedplan.model.workload import WorkerShape
from schedplan.packing.board import Board, Hold


def place_gang(
    board: Board,
    nodes: NDArray[np.intp],
    shape: WorkerShape,
    workers: int,
    first_slot: int,
    end_slot: int,
    *,
    one_node: bool,
    grouped: bool = False,
    most_nodes: int | None = None,
) -> tuple[Hold, ...] | None:
    """Take room for all workers on `nodes` (equal slices per device) and return it; None, and nothing taken, where it is not there.

    grouped: those of a node within one of its device groups. most_nodes: on no more nodes than that, the roomiest where others
    would be too many. Nodes with the fewest slots that would have to be switched on come first, then the one that is left with
    least room, if a single one holds the rest of the gang, else the roomiest; ties by the order of the cluster's nodes.
    """
    room = board.room(nodes, shape, first_slot, end_slot, grouped=grouped)
    if one_node:
        room = np.where(room >= workers, room, 0)
    return _taken(board, nodes, room, shape, workers, first_slot, end_slot, grouped, most_nodes)


def _taken(
    board: Board,
    nodes: NDArray[np.intp],
    room: NDArray[np.int64],
    shape: WorkerShape,
    workers: int,
    first_slot: int,
    end_slot: int,
    grouped: bool,
    most_nodes: int | None,
) -> tuple[Hold, ...] | None:
    if int(room.clip(max=workers).sum()) < workers:
        return None
    is_fitting = room > 0
    nodes, room = nodes[is_fitting], room[is_fitting]
    roomiest = np.lexsort((nodes, -room))[:most_nodes] if most_nodes is not None else None
    first_room = room.copy()
    idle_slots = board.idle_slots(nodes, first_slot, end_slot)
    holds = []
    missing = workers
    while missing:
        best = _best(nodes, room, idle_slots, missing)
        taken = min(missing, int(room[best]))
        holds.append(board.take(int(nodes[best]), shape, taken, first_slot, end_slot, grouped=grouped))
        missing -= taken
        room[best] = 0
    if roomiest is None or len(holds) <= len(roomiest):
        return tuple(holds)
    for hold in holds:
        board.give_back(hold)
    return _taken(board, nodes[roomiest], first_room[roomiest], shape, workers, first_slot, end_slot, grouped, None)


def _best(nodes: NDArray[np.intp], room: NDArray[np.int64], idle_slots: NDArray[np.int64], missing: int) -> int:
    """Return which node comes first of those that have room, of which there must be some."""
    here = np.flatnonzero(room)
    idle = idle_slots[here]
    here = here[idle == idle.min()]
    left = room[here]
    holds_rest = left >= missing
    if holds_rest.any():
        here = here[holds_rest]
        left = left[holds_rest]
        here = here[left == left.min()]
    else:
        here = here[left == left.max()]
    return int(here[nodes[here].argmin()])
