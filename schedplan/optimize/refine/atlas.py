"""The atlas of a model: of which job class, slots and group of nodes each variable speaks, so that a box can be drawn around some.

A variable that it does not know (one that a rule brought along) is free in a box as soon as a row ties it to a free one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

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

    def of(self, columns: NDArray[np.intp]) -> Atlas:
        """Return the atlas of some variables alone, numbered in their order."""
        per_variable = ("job_class", "first_slot", "last_slot", "family", "cell", "is_known", "start", "is_gang")
        return replace(self, **{name: getattr(self, name)[columns] for name in per_variable})

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
    indices, columns = variables.indices, layout.arrays
    is_gang[indices.gangs] = True
    cell[indices.gangs] = np.where(indices.n_cells == 1, indices.cell, NONE)
    cell[indices.worker] = indices.worker_cell
    of_cell = np.array([*family_of, NONE], dtype=np.int64)
    for own, start in ((indices.gangs, np.arange(len(indices.gangs))), (indices.worker, indices.worker_column)):
        job_class[own], number[own], is_known[own] = columns.class_idx[start], start, True
        first_slot[own], last_slot[own] = columns.start_slot[start], columns.end_edge[start] - 1
        family[own] = of_cell[indices.cell[start]]
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
