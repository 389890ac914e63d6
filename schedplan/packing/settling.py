"""Settling: the same numbers of replicas per pool and slot on nodes where they stay, for a plan that people can roll out.

A solver is indifferent between equal nodes and moves replicas about. It changes neither jobs nor how many replicas a pool
holds; whether the outcome costs more is for the caller to judge.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.gang_family import is_in_one_group
from schedplan.measures.work import booked_slots, placed_workers
from schedplan.model.plan import Decisions, ReplicaPart
from schedplan.model.problem import Problem
from schedplan.packing.assignment import has_work
from schedplan.packing.board import Board
from schedplan.packing.fleet import FleetTerms, node_terms
from schedplan.packing.footprint import shape_on_nodes
from schedplan.packing.supply import close_supply

Standing = dict[int, int]


def settlings(problem: Problem, decisions: Decisions) -> tuple[Decisions, ...]:
    """Return other ways to put the replicas of a plan on nodes: where they stood before, and always the first nodes first."""
    found = (_settled(problem, decisions, stays=stays) for stays in (True, False))
    return tuple(one for one in found if one is not None)


def replica_starts(decisions: Decisions) -> int:
    """Return how many replicas are started on a node over the whole plan, the first slot aside."""
    count: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for part in decisions.replicas:
        count[(part.service, part.node)][part.slot] = part.replicas
    return sum(
        max(replicas - by_slot.get(slot - 1, 0), 0) for by_slot in count.values() for slot, replicas in by_slot.items() if slot
    )


def _settled(problem: Problem, decisions: Decisions, *, stays: bool) -> Decisions | None:
    """Return the plan with its replicas placed anew; None where they find no room or a node could not be up for them."""
    board = Board(problem)
    try:
        _take_jobs(problem, board, decisions)
    except ValueError:
        return None
    replicas = _place(problem, board, decisions, stays=stays)
    if replicas is None:
        return None
    on = close_supply(problem, has_work(problem, decisions.parts, replicas))
    return None if on is None else Decisions(decisions.parts, replicas, on)


def _take_jobs(problem: Problem, board: Board, decisions: Decisions) -> None:
    workers = placed_workers(decisions.parts)
    for part in decisions.parts:
        node_idx, job = problem.cluster.node_idx[part.node], problem.job_by_name[part.job]
        slots, grouped = booked_slots(problem, part, workers[part.job]), is_in_one_group(job)
        board.take_running(node_idx, job.shape, part.workers, slots.start, slots.stop, grouped=grouped)


def _place(problem: Problem, board: Board, decisions: Decisions, *, stays: bool) -> tuple[ReplicaPart, ...] | None:
    wanted: dict[tuple[int, str, str], int] = defaultdict(int)
    mixes: dict[tuple[int, str], dict[str | None, int]] = defaultdict(lambda: defaultdict(int))
    for part in decisions.replicas:
        pool_of_part = problem.cluster.pool_of_node[part.node]
        wanted[(part.slot, part.service, pool_of_part.name)] += part.replicas
        mixes[(part.slot, part.service)][pool_of_part.accelerator] += part.replicas
    standing: dict[tuple[str, str], Standing] = {}
    found: list[ReplicaPart] = []
    for (slot, service, pool), count in sorted(wanted.items()):
        nodes = _nodes(problem, pool)
        before = standing.get((service, pool), {}) if stays else {}
        terms = node_terms(problem, problem.service_by_name[service], slot, mixes[(slot, service)], before)
        placed = _place_slot(problem, board, nodes, service, slot, count, terms)
        if placed is None:
            return None
        standing[(service, pool)] = placed
        found.extend(ReplicaPart(service, slot, board.cluster.nodes[node], replicas) for node, replicas in placed.items())
    return tuple(sorted(found))


def _place_slot(
    problem: Problem, board: Board, nodes: NDArray[np.intp], service: str, slot: int, count: int, terms: FleetTerms
) -> Standing | None:
    """Take room for `count` replicas: first those that stay on their nodes, then the rest on nodes in use anyway, by order.

    What single nodes must heed is heeded but for their least number, which the check of the outcome asks for.
    """
    shape = shape_on_nodes(problem.service_by_name[service])
    placed: Standing = defaultdict(int)
    standing = np.array([terms.stayed.get(int(node), 0) for node in nodes], dtype=np.int64)
    in_use = board.held[nodes, slot] > 0
    order = np.lexsort((nodes, ~in_use, -standing))
    limit = terms.most_on.get(board.pools[int(nodes[0])].accelerator, count) if len(nodes) else 0
    for most in (standing, np.full(len(nodes), count, dtype=np.int64)):
        for idx in order:
            node = int(nodes[idx])
            room = int(board.room(nodes[idx : idx + 1], shape, slot, slot + 1)[0])
            taken = min(count, int(most[idx]), limit - placed[node], room)
            if taken > 0:
                board.take(node, shape, taken, slot, slot + 1)
                placed[node] += taken
                count -= taken
    return None if count else {node: replicas for node, replicas in sorted(placed.items()) if replicas}


def _nodes(problem: Problem, pool: str) -> NDArray[np.intp]:
    found = problem.cluster.by_name[pool]
    return np.array([problem.cluster.node_idx[name] for name in found.node_names()[: found.nodes]], dtype=np.intp)
