"""What would help a job that waits or is left out: changes with their price, cheapest first, each tried with all else in its place.

The price is exact for that: what all paid nodes, rework and borrowing would cost more, or the added nodes; nothing is solved anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from schedplan.explain.alternatives import family_refusal
from schedplan.explain.explanation import Help
from schedplan.explain.family import Family, families
from schedplan.explain.more_nodes import cheapest_pool, more_nodes, pools_of
from schedplan.explain.price import bill
from schedplan.explain.quota import held_back, larger_quota
from schedplan.explain.room import Room, Tightness
from schedplan.explain.wording import counted, instant, listed, stands
from schedplan.measures.costs import Prices
from schedplan.model.cluster import Market
from schedplan.model.plan import Decisions
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, Topology
from schedplan.optimize.rearrange import Rearrangement, fewest_moves


def helps(problem: Problem, decisions: Decisions, job: Job, before_slot: int | None = None) -> tuple[Help, ...]:
    """Return what would let a job start, or start before a slot, those with a price first, cheapest first, ties by name.

    None where there is room already: then it is not room that keeps it out.
    """
    if job.name in problem.gang_rows or job.name in {name for waits in problem.waits_for.values() for name in waits}:
        return ()
    room, prices = Room(problem, decisions, job.name), Prices.of(problem)
    open_families = [family for family in families(problem, job) if family_refusal(job, family) is None]
    berths = [berth for family in open_families if (berth := room.berth(job, family)) is not None]
    if any(before_slot is None or berth.stretch.start_slot < before_slot for berth in berths):
        return ()
    found: list[Help] = []
    for family in open_families:
        found += _in_family(problem, room, job, family, prices, before_slot)
    found += _elsewhere(problem, room, job, prices, before_slot)
    ordered = sorted(dict.fromkeys(found), key=lambda one: (one.cost is None, one.cost or 0.0, one.words))
    return tuple(ordered)


def _in_family(problem: Problem, room: Room, job: Job, family: Family, prices: Prices, before_slot: int | None) -> Iterator[Help]:
    held = held_back(room, job, family)
    if held is not None and (before_slot is None or held[1].stretch.start_slot < before_slot):
        yield Help(larger_quota(held[0]), None)
        return
    tight = room.tightness(job, family, before_slot=before_slot)
    if tight is None or tight.workers_fit >= job.least_workers:
        return
    pool = cheapest_pool(problem, job, pools_of(problem, tight))
    words, cost = more_nodes(problem, job, pool, job.least_workers - tight.workers_fit)
    yield Help(words, cost)
    moved = _moved(problem, room, job, tight)
    if moved is not None:
        yield _told(problem, room, moved, prices)


def _moved(problem: Problem, room: Room, job: Job, tight: Tightness) -> Rearrangement | None:
    """Return the fewest moves that gather what is free; None where less is free than it needs, or its workers are open."""
    if job.is_elastic or job.shape.gpus == 0 or tight.free_devices < job.devices:
        return None
    stretch = tight.stretch
    return fewest_moves(problem, room.decisions, job, tight.nodes, stretch.start_slot, stretch.end_edge)


def _told(problem: Problem, room: Room, moved: Rearrangement, prices: Prices) -> Help:
    steps = listed((f"{move.job} from {move.from_node} to {move.to_node}" for move in moved.moves), shown=3)
    count = counted(len(moved.moves), "move")
    before = bill(room, (), prices)
    after = bill(Room(problem, moved.decisions), (), prices)
    cost = None if before is None or after is None else after - before
    return Help(f"{count} of jobs, {counted(moved.devices, 'device')} in all: {steps}", cost, moved.devices)


def _elsewhere(problem: Problem, room: Room, job: Job, prices: Prices, before_slot: int | None) -> Iterator[Help]:
    """Places that open when the job allows spot, or a wider domain."""
    before = bill(room, (), prices)
    for words, changed in _allowing(job):
        changed_problem = replace(problem, jobs=tuple(changed if one.name == job.name else one for one in problem.jobs))
        changed_room = Room(changed_problem, room.decisions)
        for family in families(changed_problem, changed):
            berth = None if family_refusal(changed, family) is not None else changed_room.berth(changed, family)
            if berth is None or (before_slot is not None and berth.stretch.start_slot >= before_slot):
                continue
            after = bill(changed_room, berth.parts, prices)
            start = instant(problem, problem.grid.slot_start_s(berth.stretch.start_slot))
            cost = None if before is None or after is None else after - before
            yield Help(f"{words}: from {start} on {stands(berth.parts)}", cost)
            break


def wider_start(problem: Problem, decisions: Decisions, job: Job) -> int | None:
    """Return the first slot in which a job could start if it might span a cluster; None where it may already, or never could."""
    if job.topology in (Topology.CLUSTER, Topology.ANY):
        return None
    wide = replace(job, topology=Topology.CLUSTER)
    task = replace(problem, jobs=tuple(wide if one.name == job.name else one for one in problem.jobs))
    room = Room(task, decisions, job.name)
    open_families = (family for family in families(task, wide) if family_refusal(wide, family) is None)
    berths = (room.berth(wide, family) for family in open_families)
    return min((berth.stretch.start_slot for berth in berths if berth is not None), default=None)


def _allowing(job: Job) -> Iterator[tuple[str, Job]]:
    if not job.spot_ok:
        yield f"allow {Market.SPOT.value} (spot_ok)", replace(job, spot_ok=True)
    if job.topology not in (Topology.CLUSTER, Topology.ANY):
        yield f"let it span a cluster in place of one {job.topology.value}", replace(job, topology=Topology.CLUSTER)
