"""From a solution on pools to decisions on nodes: packing, other starts for what found no room, and the nodes that are paid.

It does not ask whether they keep every rule.
"""

from __future__ import annotations

from dataclasses import replace

from schedplan.model.plan import Decisions
from schedplan.model.problem import Problem
from schedplan.optimize.reference import inserted
from schedplan.packing.assignment import Assignment, FleetSlot, GangStart, as_solved, assign, has_work
from schedplan.packing.board import Board
from schedplan.packing.supply import close_supply


def on_nodes(problem: Problem, gangs: tuple[GangStart, ...], fleets: tuple[FleetSlot, ...]) -> list[Decisions]:
    """Return the plans on nodes that packing makes of one on pools, and where it fails, of one on nodes as it stands."""
    board = Board(problem)
    packed = assign(problem, board, gangs, fleets)
    found = [] if packed.short else [_reinserted(problem, board, packed)]
    if packed.homeless or packed.short:
        # The board takes one place at a time; where the solver chose the nodes itself, its own plan may hold all the same.
        solved = as_solved(gangs, fleets)
        found += [] if solved is None else [solved]
    return [decisions for one in found if (decisions := _closed(problem, one)) is not None]


def _reinserted(problem: Problem, board: Board, packed: Assignment) -> Assignment:
    """Give jobs that found no room at their start, and what waits for them, the earliest other one."""
    jobs = tuple(gang.job for gang in packed.homeless)
    parts = (*packed.parts, *inserted(problem, board, jobs, packed.parts))
    return replace(packed, parts=tuple(sorted(parts)), homeless=())


def _closed(problem: Problem, packed: Assignment) -> Decisions | None:
    on = close_supply(problem, has_work(problem, packed.parts, packed.replicas))
    return None if on is None else Decisions(packed.parts, packed.replicas, on)
