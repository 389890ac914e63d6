"""The variables of starts as arrays, so that models of very many starts need no object for each.

It knows which variable counts what, and no rule.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.optimize.layout import Column, Layout

NONE = -1
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class StartIndices:
    """int64 arrays. Per column of the layout: gangs, the variable that counts its gangs; cell, the first of its cells, -1 without;
    n_cells. Per variable that counts workers of a column with several cells on one: worker, worker_column, worker_cell.

    The variables of a layout begin with these, column by column, the gangs of each before its workers.
    """

    gangs: Numbers
    cell: Numbers
    n_cells: Numbers
    worker: Numbers
    worker_column: Numbers
    worker_cell: Numbers

    @classmethod
    def of(cls, layout: Layout) -> StartIndices:
        """Return the indices of the starts of a layout."""
        places = [cells_of(layout, column) for column in layout.columns]
        n_cells = np.array([len(cells) for cells in places], dtype=np.int64)
        has_own = np.array([has_own_workers(layout, column) for column in layout.columns], dtype=np.bool_)
        own = np.where(has_own, n_cells, 0)
        gangs = np.cumsum(own + 1) - own - 1
        column = np.repeat(np.arange(len(own)), own)
        nth = np.arange(len(column)) - np.repeat(np.cumsum(own) - own, own)
        return cls(
            gangs,
            np.array([cells[0] if cells else NONE for cells in places], dtype=np.int64),
            n_cells,
            gangs[column] + 1 + nth,
            column,
            np.array([cell for number in np.flatnonzero(own).tolist() for cell in places[number]], dtype=np.int64),
        )


def has_own_workers(layout: Layout, column: Column) -> bool:
    """Whether the workers that a start puts on each cell are chosen, and do not follow from the number of gangs."""
    return layout.classes[column.class_idx].fixed is None and len(layout.site(column).cells) > 1


def cells_of(layout: Layout, column: Column) -> tuple[int, ...]:
    """Return the cells that a start may put workers on; of several those that no outage closes."""
    job_class = layout.classes[column.class_idx]
    if job_class.fixed is not None:
        return tuple(cell_idx for cell_idx, _ in job_class.fixed)
    cells = layout.site(column).cells
    if len(cells) == 1:
        return cells
    return tuple(cell_idx for cell_idx in cells if not layout.is_closed(cell_idx, column.start_slot, column.end_edge))
