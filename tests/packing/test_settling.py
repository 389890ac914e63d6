"""Settling: replicas that a solver moves about for nothing stay where they stand, and nothing else changes."""

from __future__ import annotations

import numpy as np

from schedplan.model.cluster import Cluster, Pool
from schedplan.model.plan import Decisions, ReplicaPart
from schedplan.model.problem import Demand, Problem
from schedplan.model.workload import Service, WorkerShape
from schedplan.packing.settling import replica_starts, settlings
from schedplan.timegrid import TimeGrid

SERVICE = Service("s", slo_ms=500, service_ms=100, shape=WorkerShape(gpus=1))


def problem(nodes: int, gpus: int, n_slots: int) -> Problem:
    rates = np.ones(n_slots)
    pool = Pool("n", nodes, nodes, nodes, gpus=gpus)
    grid = TimeGrid.regular(0, 60, n_slots)
    return Problem("settling", grid, Cluster((pool,)), services=(SERVICE,), demands=(Demand("s", rates, rates),))


def decisions(nodes: int, *slots: dict[str, int]) -> Decisions:
    parts = tuple(sorted(ReplicaPart("s", slot, node, count) for slot, where in enumerate(slots) for node, count in where.items()))
    return Decisions((), parts, np.ones((nodes, len(slots)), dtype=bool))


def where(found: Decisions, slot: int) -> dict[str, int]:
    return {part.node: part.replicas for part in found.replicas if part.slot == slot}


def test_replicas_stay_on_their_nodes() -> None:
    moving = decisions(3, {"n/1": 1, "n/2": 1}, {"n/2": 1, "n/3": 1}, {"n/1": 1, "n/3": 1})
    stays, first = settlings(problem(3, 1, 3), moving)

    # one start in slot 1 (n/3) and one in slot 2 (n/1); none when two nodes hold two replicas throughout
    assert 2 == replica_starts(moving)
    assert [0, 0] == [replica_starts(stays), replica_starts(first)]
    assert [2, 2, 2] == [sum(where(stays, slot).values()) for slot in range(3)]


def test_growth_stays_on_a_node_that_has_room() -> None:
    moving = decisions(2, {"n/1": 4}, {"n/2": 5}, {"n/1": 3})
    stays, _ = settlings(problem(2, 8, 3), moving)

    # the fifth joins the four on their node of 8; two leave; so a single start
    assert [{"n/1": 4}, {"n/1": 5}, {"n/1": 3}] == [where(stays, slot) for slot in range(3)]
    assert 1 == replica_starts(stays)


def test_what_finds_no_room_is_no_settling() -> None:
    assert () == settlings(problem(1, 1, 1), decisions(1, {"n": 2}))
