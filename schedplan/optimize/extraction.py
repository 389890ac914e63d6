"""From values of variables to gangs and fleets on cells. It reads a solution, whichever solver it comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ortools.sat.python import cp_model

from schedplan.measures.pieces import Piece
from schedplan.optimize.constraints.topology import is_on_one_node
from schedplan.optimize.formulation import Formulation
from schedplan.optimize.layout import Layout
from schedplan.optimize.variables import Start
from schedplan.packing.assignment import FleetSlot, GangStart

Value = Callable[[cp_model.IntVar], int]


def gangs_of(formulation: Formulation, value: Value, numbers: Iterable[int] | None = None) -> tuple[GangStart, ...]:
    """Return every gang that is started, and every piece of one, with its workers per group of identical nodes.

    numbers: of the starts that have gangs, in their order; None: not known.
    """
    layout, starts = formulation.variables.layout, formulation.variables.starts
    taken = [0] * len(layout.classes)
    found = []
    for start in starts if numbers is None else (starts[number] for number in numbers):
        gangs = value(start.gangs)
        if not gangs:
            continue
        column, job_class = start.column, layout.classes[start.column.class_idx]
        left = _workers(start, column.workers, dict(job_class.fixed or ()), gangs, value)
        is_piece, first = column.piece is not Piece.WHOLE, taken[column.class_idx]
        for job in job_class.jobs[first : first + gangs]:
            groups = _share_out(layout, left, column.workers)
            found.append(GangStart(job, column.start_slot, column.end_edge, groups, is_on_one_node(job.topology), is_piece))
        taken[column.class_idx] += 0 if is_piece else gangs
    return tuple(found)


def fleets_of(formulation: Formulation, value: Value) -> tuple[FleetSlot, ...]:
    """Return the replicas of every service per slot and cell, where there are any."""
    layout = formulation.variables.layout
    return tuple(
        FleetSlot(service.name, slot, layout.cells[cell_idx].nodes, count)
        for service, replicas in zip(layout.problem.services, formulation.variables.replicas, strict=True)
        for cell_idx, amounts in replicas.items()
        for slot, amount in enumerate(amounts)
        if (count := value(amount))
    )


def _workers(start: Start, gang_size: int, fixed: dict[int, int], gangs: int, value: Value) -> dict[int, int]:
    """Return the workers of a column per cell: their own variable, or what follows from the number of gangs."""
    return {
        cell_idx: value(amount) if isinstance(amount, cp_model.IntVar) else fixed.get(cell_idx, gang_size) * gangs
        for cell_idx, amount in start.workers
    }


def _share_out(layout: Layout, left: dict[int, int], workers: int) -> tuple[tuple[tuple[str, ...], int], ...]:
    groups = []
    for cell_idx, available in left.items():
        share = min(available, workers)
        if share:
            left[cell_idx] = available - share
            workers -= share
            groups.append((layout.cells[cell_idx].nodes, share))
    return tuple(groups)
