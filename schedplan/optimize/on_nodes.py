"""From a solution on pools to decisions on nodes: packing, other starts for what found no room, and the nodes that are paid.

It does not ask whether they keep every rule.
"""

from __future__ import annotations

from dataclasses import replace

from schedplan.model.plan import Decisions
from schedplan.model.problem import Problem, Reserve
from schedplan.model.workload import JobState, Service
from schedplan.optimize.reference.insertion import inserted
from schedplan.optimize.reference.services import reference_replicas
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
    if any(_is_bound(problem, service) for service in problem.services):
        found.append(_services_first(problem, gangs, fleets))
    return [decisions for one in found if (decisions := _closed(problem, one)) is not None]


def _is_bound(problem: Problem, service: Service) -> bool:
    """Whether where the replicas of a service stand is bound by more than room."""
    lags = service.startup_minutes > 0 or service.load_minutes > 0
    return lags or service.spread is not None or problem.limits.reserve is not Reserve.NONE


def _services_first(problem: Problem, gangs: tuple[GangStart, ...], fleets: tuple[FleetSlot, ...]) -> Assignment:
    """Return the plan with its replicas on nodes before its jobs: these would stand in the way of what must stay or spread."""
    board = Board(problem)
    running = tuple(gang for gang in gangs if gang.job.state is JobState.RUNNING)
    stays = assign(problem, board, running, ())
    replicas = reference_replicas(problem, board, fleets)
    packed = assign(problem, board, tuple(gang for gang in gangs if gang.job.state is not JobState.RUNNING), ())
    parts = tuple(sorted((*stays.parts, *packed.parts)))
    return _reinserted(problem, board, replace(packed, parts=parts, replicas=replicas))


def _reinserted(problem: Problem, board: Board, packed: Assignment) -> Assignment:
    """Give jobs that found no room at their start, and what waits for them, the earliest other one."""
    jobs = tuple(dict.fromkeys(gang.job for gang in packed.homeless))
    parts = (*packed.parts, *inserted(problem, board, jobs, packed.parts))
    return replace(packed, parts=tuple(sorted(parts)), homeless=())


def _closed(problem: Problem, packed: Assignment) -> Decisions | None:
    on = close_supply(problem, has_work(problem, packed.parts, packed.replicas))
    return None if on is None else Decisions(packed.parts, packed.replicas, on)
