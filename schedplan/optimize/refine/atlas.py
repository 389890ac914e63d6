"""The atlas of a model: of which job class, slots and group of nodes each variable speaks, so that a box can be drawn around some.

A variable that it does not know (one that a rule brought along) is free in a box as soon as a row ties it to a free one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from schedplan.measures.gang_family import gang_family
from schedplan.optimize.formulation import Formulation
from schedplan.optimize.solvers.program import Program
from schedplan.optimize.solvers.starts import Starts

NONE = -1


@dataclass(frozen=True)
class Atlas:
    """int64 and bool arrays, [variable]; -1 where it does not apply.

    job_class: of starts and left out work; first_slot, last_slot: in which it counts (of a start: its whole run); family: number
    of the gang family of its nodes; cell; start: number of the start that it belongs to, is_gang: of it the number of gangs;
    is_known False for variables of single rules.
    """

    job_class: NDArray[np.int64]
    first_slot: NDArray[np.int64]
    last_slot: NDArray[np.int64]
    family: NDArray[np.int64]
    cell: NDArray[np.int64]
    is_known: NDArray[np.bool_]
    n_families: int
    family_of_cell: tuple[int, ...]
    start: NDArray[np.int64]
    is_gang: NDArray[np.bool_]

    @property
    def starts(self) -> Starts:
        """What prices need to know of the columns."""
        place = np.where(self.is_gang, self.family * (len(self.family_of_cell) + 1) + self.cell + 1, NONE)
        return Starts(self.job_class, self.start, self.is_gang, place, self.first_slot)

    def closed(self, program: Program, free: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the free variables with the unknown ones that a row ties to any of them."""
        pattern = program.pattern
        touched = pattern @ free.astype(np.int64) > 0
        tied = pattern.T @ touched.astype(np.int64) > 0
        return np.asarray(free | (tied & ~self.is_known), dtype=np.bool_)


def atlas(formulation: Formulation) -> Atlas:
    """Return the atlas of a formulation."""
    variables = formulation.variables
    layout = variables.layout
    n_columns = len(formulation.model.proto.variables)
    job_class, first_slot, last_slot, family, cell, number = (np.full(n_columns, NONE, dtype=np.int64) for _ in range(6))
    is_gang = np.zeros(n_columns, dtype=np.bool_)
    is_known = np.zeros(n_columns, dtype=np.bool_)
    numbers: dict[tuple[str, ...], int] = {}
    family_of = tuple(numbers.setdefault(gang_family(layout.problem, one.pool), len(numbers)) for one in layout.cells)
    for start_idx, start in enumerate(variables.starts):
        column = start.column
        indices = [start.gangs.index, *(amount.index for _, amount in start.workers if isinstance(amount, cp_model.IntVar))]
        job_class[indices], number[indices], is_gang[start.gangs.index] = column.class_idx, start_idx, True
        first_slot[indices], last_slot[indices] = column.start_slot, column.end_edge - 1
        if start.workers:
            family[indices] = family_of[start.workers[0][0]]
        if len(start.workers) == 1:
            cell[start.gangs.index] = start.workers[0][0]
        for cell_idx, amount in start.workers:
            if isinstance(amount, cp_model.IntVar):
                cell[amount.index] = cell_idx
        is_known[indices] = True
    for class_idx, left_out in enumerate(variables.left_out):
        job_class[left_out.index], is_known[left_out.index] = class_idx, True
    per_slot = [(cell_idx, amounts) for replicas in variables.replicas for cell_idx, amounts in replicas.items()]
    for cell_idx, amounts in (*per_slot, *enumerate(variables.on), *enumerate(variables.requested)):
        for slot, amount in enumerate(amounts):
            if isinstance(amount, cp_model.IntVar):
                idx = amount.index
                first_slot[idx] = last_slot[idx] = slot
                cell[idx], family[idx], is_known[idx] = cell_idx, family_of[cell_idx], True
    return Atlas(job_class, first_slot, last_slot, family, cell, is_known, len(numbers), family_of, number, is_gang)
