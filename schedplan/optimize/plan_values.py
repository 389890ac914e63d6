"""The values that a plan gives the variables of a model: starts, left out jobs, replicas and nodes.

What a solver completes itself, and the variables that single rules bring along, are left to it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ortools.sat.python import cp_model

from schedplan.measures.pieces import Piece, piece_at, pieces_of
from schedplan.model.plan import Decisions, JobPart
from schedplan.optimize.layout import Layout
from schedplan.optimize.variables import Variables

_Key = tuple[str, int, int | None, Piece]


def plan_values(variables: Variables, decisions: Decisions) -> dict[int, int]:
    """Return the value of every variable that decisions speak of, by its index."""
    cell_of = {name: cell.idx for cell in variables.layout.cells for name in cell.nodes}
    return {
        **dict(_starts(variables, decisions, cell_of)),
        **dict(_replicas(variables, decisions, cell_of)),
        **dict(_nodes(variables, decisions)),
    }


def _starts(variables: Variables, decisions: Decisions, cell_of: dict[str, int]) -> Iterator[tuple[int, int]]:
    layout = variables.layout
    starts: dict[_Key, dict[int, int]] = {}
    for part, piece in _with_pieces(decisions):
        cells = starts.setdefault((part.job, part.start_slot, part.end_edge, piece), {})
        if part.node in cell_of:
            cells[cell_of[part.node]] = cells.get(cell_of[part.node], 0) + part.workers
    placed = {part.job for part in decisions.parts}
    for start in variables.starts:
        job_class, site = layout.classes[start.column.class_idx], set(layout.site(start.column).cells)
        column = start.column
        end_edge = None if column.piece is Piece.WHOLE else column.end_edge
        keys = [(job.name, column.start_slot, end_edge, column.piece) for job in job_class.jobs]
        here = [starts[key] for key in keys if key in starts]
        is_known = job_class.fixed is not None
        matching = [cells for cells in here if set(cells) <= site and (is_known or sum(cells.values()) == start.column.workers)]
        yield start.gangs.index, len(matching)
        for cell_idx, amount in start.workers:
            if isinstance(amount, cp_model.IntVar) and amount.index != start.gangs.index:
                yield amount.index, sum(cells.get(cell_idx, 0) for cells in matching)
    for job_class, left_out in zip(layout.classes, variables.left_out, strict=True):
        yield left_out.index, sum(job.name not in placed for job in job_class.jobs)


def _with_pieces(decisions: Decisions) -> Iterator[tuple[JobPart, Piece]]:
    """Give the parts of a plan, each with which piece of its job it is of."""
    parts_of: dict[str, list[JobPart]] = {}
    for part in decisions.parts:
        parts_of.setdefault(part.job, []).append(part)
    for parts in parts_of.values():
        pieces = pieces_of(parts)
        for number, piece in enumerate(pieces):
            yield from ((part, piece_at(number, len(pieces))) for part in piece)


def _replicas(variables: Variables, decisions: Decisions, cell_of: dict[str, int]) -> Iterator[tuple[int, int]]:
    count: dict[tuple[str, int, int], int] = {}
    for part in decisions.replicas:
        if part.node in cell_of:
            key = (part.service, cell_of[part.node], part.slot)
            count[key] = count.get(key, 0) + part.replicas
    for service, replicas in zip(variables.layout.problem.services, variables.replicas, strict=True):
        for cell_idx, amounts in replicas.items():
            for slot, amount in enumerate(amounts):
                yield amount.index, count.get((service.name, cell_idx, slot), 0)


def _nodes(variables: Variables, decisions: Decisions) -> Iterator[tuple[int, int]]:
    layout: Layout = variables.layout
    for cell, on in zip(layout.cells, variables.on, strict=True):
        rows = [layout.problem.cluster.node_idx[name] for name in cell.nodes]
        for slot, amount in enumerate(on):
            if isinstance(amount, cp_model.IntVar):
                yield amount.index, int(decisions.on[rows, slot].sum())
