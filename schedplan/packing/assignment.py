"""From a plan on pools to one on nodes. It keeps starts and pools; what the nodes cannot hold is returned, never dropped unsaid."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from schedplan.measures.gang_family import is_in_one_group
from schedplan.measures.min_on_time import most_nodes
from schedplan.measures.warm_up import lag_minutes
from schedplan.measures.work import booked_slots, placed_workers
from schedplan.model.plan import JobPart, ReplicaPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState
from schedplan.packing.board import Board, Hold
from schedplan.packing.fleet import node_terms, place_replicas
from schedplan.packing.gang import place_gang


@dataclass(frozen=True, slots=True)
class GangStart:
    """A gang to be put on nodes: `groups` = (node names, workers on them), each group of identical nodes.

    is_piece: whether it is one of several pieces of its job; all of them find room, or none does.
    """

    job: Job
    start_slot: int
    end_edge: int
    groups: tuple[tuple[tuple[str, ...], int], ...]
    one_node: bool
    is_piece: bool = False

    def part(self, node: str, workers: int) -> JobPart:
        """Return workers of it on a node."""
        return JobPart(self.job.name, node, self.start_slot, workers, self.end_edge if self.is_piece else None)


@dataclass(frozen=True, slots=True)
class FleetSlot:
    """Replicas of a service to be put on identical nodes in one slot."""

    service: str
    slot: int
    nodes: tuple[str, ...]
    replicas: int


@dataclass(frozen=True, slots=True)
class Assignment:
    """What stands on nodes, and what found no room there."""

    parts: tuple[JobPart, ...]
    replicas: tuple[ReplicaPart, ...]
    homeless: tuple[GangStart, ...]
    short: tuple[FleetSlot, ...]


def assign(problem: Problem, board: Board, gangs: tuple[GangStart, ...], fleets: tuple[FleetSlot, ...]) -> Assignment:
    """Put gangs (running ones first, then by start, longest, widest) and replicas on the nodes of a board.

    What waits for a gang that found no room has no place either: it starts later, so that this is known when its turn comes.
    Rows of one gang find room together or not at all.
    """
    parts: list[JobPart] = []
    homeless: list[GangStart] = []
    lost: set[str] = set()
    for together in _together(problem, sorted(gangs, key=_order)):
        waits = any(name in lost for gang in together for name in problem.waits_for[gang.job.name])
        placed = None if waits else _placed(problem, board, together)
        if placed is None:
            homeless.extend(together)
            lost.update(gang.job.name for gang in together)
        else:
            parts.extend(placed)
    replicas, short = _place_fleets(problem, board, fleets)
    return Assignment(tuple(sorted(parts)), merged(replicas), tuple(homeless), short)


def _place_fleets(problem: Problem, board: Board, fleets: tuple[FleetSlot, ...]) -> tuple[list[ReplicaPart], tuple[FleetSlot, ...]]:
    """Place the fleets slot by slot; return the replicas, and the fleets without room."""
    replicas: list[ReplicaPart] = []
    short: list[FleetSlot] = []
    mixes: dict[tuple[str, int], dict[str | None, int]] = {}
    for fleet in fleets:
        mix = mixes.setdefault((fleet.service, fleet.slot), {})
        accelerator = problem.cluster.pool_of_node[fleet.nodes[0]].accelerator
        mix[accelerator] = mix.get(accelerator, 0) + fleet.replicas
    used: dict[tuple[str, int], int] = {}
    standing: dict[tuple[str, tuple[str, ...]], tuple[int, dict[int, int]]] = {}
    for fleet in sorted(fleets, key=lambda fleet: (fleet.slot, fleet.service, fleet.nodes)):
        service, key = problem.service_by_name[fleet.service], (fleet.service, fleet.slot)
        last_slot, before = standing.get((fleet.service, fleet.nodes), (-1, {}))
        stays = lag_minutes(service, problem.cluster.pool_of_node[fleet.nodes[0]]) > 0 and last_slot == fleet.slot - 1
        terms = node_terms(problem, service, fleet.slot, mixes[key], before if stays else None)
        terms = replace(terms, least_nodes=max(terms.least_nodes - used.get(key, 0), 0))
        found = place_replicas(board, _indices(problem, fleet.nodes), service, fleet.replicas, fleet.slot, terms)
        if found is None:
            short.append(fleet)
            continue
        replicas.extend(found)
        used[key] = used.get(key, 0) + len(found)
        here = {problem.cluster.node_idx[part.node]: part.replicas for part in found}
        in_order = {node: here.pop(node) for node in before if node in here}
        standing[fleet.service, fleet.nodes] = (fleet.slot, in_order | here)
    return replicas, tuple(short)


def as_solved(gangs: tuple[GangStart, ...], fleets: tuple[FleetSlot, ...]) -> Assignment | None:
    """Return gangs and replicas on the nodes they name; None where some of them name several nodes to choose from.

    Nothing is looked for: what stands there need not fit.
    """
    groups = [group for gang in gangs if gang.job.state is not JobState.RUNNING for group in gang.groups]
    if any(len(nodes) != 1 for nodes, _ in groups) or any(len(fleet.nodes) != 1 for fleet in fleets):
        return None
    parts = [
        gang.part(node, workers)
        for gang in gangs
        for node, workers in (
            [(placed.node, placed.workers) for placed in gang.job.placement]
            if gang.job.state is JobState.RUNNING
            else [(nodes[0], workers) for nodes, workers in gang.groups]
        )
    ]
    replicas = [ReplicaPart(fleet.service, fleet.slot, fleet.nodes[0], fleet.replicas) for fleet in fleets]
    return Assignment(tuple(sorted(parts)), merged(replicas), (), ())


def has_work(
    problem: Problem, parts: tuple[JobPart, ...], replicas: tuple[ReplicaPart, ...]
) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return where anything stands, bool [node, slot]."""
    cluster, grid = problem.cluster, problem.grid
    found = np.zeros((len(cluster.nodes), grid.n_slots), dtype=np.bool_)
    workers = placed_workers(parts)
    for part in parts:
        found[cluster.node_idx[part.node], booked_slots(problem, part, workers[part.job])] = True
    for replica in replicas:
        found[cluster.node_idx[replica.node], replica.slot] = True
    return found


def merged(replicas: list[ReplicaPart]) -> tuple[ReplicaPart, ...]:
    """Return the replicas sorted, one part per service, slot and node."""
    total: dict[tuple[str, int, str], int] = {}
    for part in replicas:
        key = (part.service, part.slot, part.node)
        total[key] = total.get(key, 0) + part.replicas
    return tuple(ReplicaPart(service, slot, node, count) for (service, slot, node), count in sorted(total.items()))


def _order(gang: GangStart) -> tuple[bool, int, int, float, str]:
    is_waiting = gang.job.state is not JobState.RUNNING
    return (is_waiting, gang.start_slot, gang.start_slot - gang.end_edge, -gang.job.devices, gang.job.name)


def _together(problem: Problem, gangs: list[GangStart]) -> list[tuple[GangStart, ...]]:
    """Return gangs by what is placed together, in their order: all rows of a gang where its first one stands, and all pieces of
    a job where its first piece does."""
    found: dict[str, list[GangStart]] = {}
    for gang in gangs:
        rows = problem.gang_rows.get(gang.job.name, (gang.job,))
        found.setdefault(rows[0].name, []).append(gang)
    return [tuple(rows) for rows in found.values()]


def _placed(problem: Problem, board: Board, together: tuple[GangStart, ...]) -> list[JobPart] | None:
    """Take room for all of some gangs and return their parts; None, and nothing taken, where one finds none."""
    if together[0].job.state is JobState.RUNNING:
        return [part for gang in together for part in _running_parts(board, gang)]
    taken: list[tuple[GangStart, list[Hold]]] = []
    for gang in together:
        holds = _holds(problem, board, gang)
        if holds is None:
            for other, found in taken:
                _give_back(board, other, found)
            return None
        _allow(board, gang, holds, 1)
        taken.append((gang, holds))
    names = board.cluster.nodes
    return [gang.part(names[hold.node_idx], hold.workers) for gang, holds in taken for hold in holds]


def _running_parts(board: Board, gang: GangStart) -> list[JobPart]:
    parts = []
    for placed in gang.job.placement:
        node_idx = board.cluster.node_idx[placed.node]
        board.take_running(node_idx, gang.job.shape, placed.workers, gang.start_slot, gang.end_edge)
        parts.append(JobPart(gang.job.name, placed.node, gang.start_slot, placed.workers))
    return parts


def _holds(problem: Problem, board: Board, gang: GangStart) -> list[Hold] | None:
    in_all = sum(workers for _, workers in gang.groups)
    holds = _as_before(problem, board, gang)
    if holds:
        return holds
    for nodes, workers in gang.groups:
        pool = problem.cluster.pool_of_node[nodes[0]]
        most = most_nodes(problem, gang.job, pool, gang.start_slot, in_all)
        found = place_gang(
            board,
            _indices(problem, nodes),
            gang.job.shape,
            workers,
            gang.start_slot,
            gang.end_edge,
            one_node=gang.one_node,
            grouped=is_in_one_group(gang.job),
            most_nodes=None if most is None else max(most - len(holds), 0),
        )
        if found is None:
            for hold in holds:
                board.give_back(hold)
            return None
        holds.extend(found)
    return holds


def _as_before(problem: Problem, board: Board, gang: GangStart) -> list[Hold]:
    """Take room where the earlier plan had a gang at the same time, if in the same groups; nothing taken where it is not."""
    stay = None if gang.is_piece else problem.stay_of_job.get(gang.job.name)
    if stay is None or stay.start_s != problem.grid.slot_start_s(gang.start_slot) or is_in_one_group(gang.job):
        return []
    before = dict(stay.nodes)
    if any(sum(before.get(node, 0) for node in nodes) != workers for nodes, workers in gang.groups):
        return []
    holds: list[Hold] = []
    for node in (node for nodes, _ in gang.groups for node in nodes if node in before):
        idx, span = problem.cluster.node_idx[node], (gang.start_slot, gang.end_edge)
        if int(board.room(np.array([idx]), gang.job.shape, *span)[0]) < before[node]:
            for hold in holds:
                board.give_back(hold)
            return []
        holds.append(board.take(idx, gang.job.shape, before[node], *span))
    return holds


def _give_back(board: Board, gang: GangStart, holds: list[Hold]) -> None:
    for hold in holds:
        board.give_back(hold)
    _allow(board, gang, holds, -1)


def _allow(board: Board, gang: GangStart, holds: list[Hold], sign: int) -> None:
    """Let the tenant of a gang hold what it takes (1), or no longer hold it (-1)."""
    for hold in holds:
        accelerator = board.pools[hold.node_idx].accelerator
        board.allowance.add(gang.job, accelerator, sign * hold.workers, slice(gang.start_slot, gang.end_edge))


def _indices(problem: Problem, nodes: tuple[str, ...]) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
    return np.array([problem.cluster.node_idx[name] for name in nodes], dtype=np.intp)
