"""Replicas on nodes, slot by slot, on nodes that are on anyway first, and where they stood before. It does not say how many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import floor

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.coverage import Mix, coverage, least_on
from schedplan.measures.domains import SINGLE_NODE
from schedplan.model.plan import ReplicaPart
from schedplan.model.problem import Problem, Reserve
from schedplan.model.workload import Service
from schedplan.packing.board import Board, Hold
from schedplan.packing.footprint import shape_on_nodes


@dataclass(frozen=True, slots=True)
class FleetTerms:
    """What single nodes must heed in a slot: replicas on at least so many nodes, on none more than `most_on` of its device model
    (a model that is no key has no limit). stayed: replicas per node that stood there in the slot before and stay if they can,
    those that came last leave first. until: room must be left up to this slot, so that they can stay, beside those of
    the service that stand on a node already (`beside`); None: in the slot alone."""

    least_nodes: int = 0
    most_on: Mapping[str | None, int] = field(default_factory=dict)
    stayed: Mapping[int, int] = field(default_factory=dict)
    until: int | None = None
    beside: Mapping[int, int] = field(default_factory=dict)


NO_TERMS = FleetTerms()


def place_replicas(
    board: Board, nodes: NDArray[np.intp], service: Service, count: int, slot: int, terms: FleetTerms = NO_TERMS
) -> tuple[ReplicaPart, ...] | None:
    """Take room for `count` replicas in one slot and return where; None, and nothing taken, where it is not there."""
    holds = take_replicas(board, nodes, service, count, slot, terms)
    if holds is None:
        return None
    return tuple(ReplicaPart(service.name, slot, board.cluster.nodes[hold.node_idx], hold.workers) for hold in holds)


def take_replicas(
    board: Board, nodes: NDArray[np.intp], service: Service, count: int, slot: int, terms: FleetTerms = NO_TERMS
) -> tuple[Hold, ...] | None:
    """Take the same and return what was taken, one hold per node."""
    if count == 0:
        return ()
    room = replica_room(board, nodes, service, slot, terms)
    if int(room.clip(max=count).sum()) < count:
        return None
    least_nodes = min(terms.least_nodes, count, int((room > 0).sum()))
    taken = _stays(nodes, room, count, terms.stayed)
    order = _order(board, nodes, room, slot)
    _take_apart(taken, room, order, count, least_nodes)
    for idx in order:
        more = min(count - int(taken.sum()), int(room[idx] - taken[idx]))
        taken[idx] += max(more, 0)
    return tuple(_take(board, service, int(nodes[idx]), int(taken[idx]), slot) for idx in order if taken[idx])


def replica_room(board: Board, nodes: NDArray[np.intp], service: Service, slot: int, terms: FleetTerms) -> NDArray[np.int64]:
    """Return how many replicas each of `nodes` can take under the terms; int64 [len(nodes)]."""
    room = board.room(nodes, shape_on_nodes(service), slot, slot + 1)
    if terms.until is not None and terms.until > slot + 1:
        later = board.room(nodes, shape_on_nodes(service), slot + 1, terms.until)
        room = np.minimum(room, (later - [terms.beside.get(int(node), 0) for node in nodes]).clip(min=0))
    for idx, node in enumerate(nodes):
        most = terms.most_on.get(board.pools[int(node)].accelerator)
        room[idx] = room[idx] if most is None else min(int(room[idx]), most)
    return room


def give_back_replicas(board: Board, service: Service, hold: Hold) -> None:
    """Undo what `take_replicas` took on one node."""
    board.give_back(hold)
    slots = slice(hold.first_slot, hold.end_slot)
    board.allowance.add(service, board.pools[hold.node_idx].accelerator, -hold.workers, slots)


def node_terms(problem: Problem, service: Service, slot: int, mix: Mix, stayed: Mapping[int, int] | None = None) -> FleetTerms:
    """Return what single nodes must heed where a service has so many replicas per device model in a slot.

    What a node takes must be left over beyond the demand, where the loss of any one node is provided for.
    """
    kind, least = service.spread or ("", 0)
    most_on: dict[str | None, int] = {}
    if problem.limits.reserve is Reserve.NODE:
        spare = coverage(problem, service, slot, mix) - 1.0
        for accelerator in mix:
            needed = least_on(problem, service, accelerator, slot)
            if needed:
                most_on[accelerator] = max(floor(spare * needed + 1e-6), 0)
    return FleetTerms(least if kind == SINGLE_NODE else 0, most_on, stayed or {})


def _take(board: Board, service: Service, node: int, replicas: int, slot: int) -> Hold:
    board.allowance.add(service, board.pools[node].accelerator, replicas, slice(slot, slot + 1))
    return board.take(node, shape_on_nodes(service), replicas, slot, slot + 1)


def _order(board: Board, nodes: NDArray[np.intp], room: NDArray[np.int64], slot: int) -> NDArray[np.intp]:
    was_used = board.held[nodes, slot - 1] > 0 if slot else np.zeros(len(nodes), dtype=bool)
    return np.lexsort((nodes, room, ~was_used, board.held[nodes, slot] == 0, room == 0))


def _stays(nodes: NDArray[np.intp], room: NDArray[np.int64], count: int, stayed: Mapping[int, int]) -> NDArray[np.int64]:
    taken = np.zeros(len(nodes), dtype=np.int64)
    place = {int(node): idx for idx, node in enumerate(nodes)}
    for node, replicas in stayed.items():
        if node in place:
            idx = place[node]
            taken[idx] = min(replicas, int(room[idx]), count - int(taken.sum()))
    return taken


def _take_apart(taken: NDArray[np.int64], room: NDArray[np.int64], order: NDArray[np.intp], count: int, least_nodes: int) -> None:
    """Give new nodes one replica each until there are enough of them; where all are given out, the fullest gives one up."""
    for idx in order:
        if int((taken > 0).sum()) >= least_nodes:
            return
        if taken[idx] or not room[idx]:
            continue
        if int(taken.sum()) == count:
            taken[int(np.argmax(taken))] -= 1
        taken[idx] = 1
