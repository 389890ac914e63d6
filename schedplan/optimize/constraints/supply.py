"""supply: capacity is what is paid for, and a node carries work only after its start-up.

Sets: cells p with N nodes, n_p of them up at the start, min_p never fewer paid; slots t; L_p start-up in slots.
Formula: min_p <= y[p,t] <= N; z[p,t] >= y[p,t] − y[p,t−1], y[p,−1] = n_p; usable[p,t] = y[p,t] − Σ_{t−L_p < τ <= t} z[p,τ] >= 0.
Owned and reserved nodes: y is their count. Without start-up usable = y.
Intuition: a node that is switched on is paid for from its request, and useful only when it is up.
"""

from __future__ import annotations

from collections import defaultdict

from ortools.sat.python import cp_model

from schedplan.optimize.rows import Rows
from schedplan.optimize.variables import Variables


def add(variables: Variables, rows: Rows) -> None:
    """Add the rows of `supply`."""
    for cell, on, requested in zip(variables.layout.cells, variables.on, variables.requested, strict=True):
        for slot, switched_on in enumerate(requested):
            before = on[slot - 1] if slot else cell.warm
            rows.always(switched_on >= on[slot] - before)
            rows.always(variables.usable(cell.idx, slot) >= 0)
    _add_minimum(variables, rows)


def _add_minimum(variables: Variables, rows: Rows) -> None:
    cells_of_pool = defaultdict(list)
    for cell in variables.layout.cells:
        cells_of_pool[cell.pool.name].append(cell)
    for cells in cells_of_pool.values():
        pool = cells[0].pool
        if pool.market.is_sunk or sum(cell.min_on for cell in cells) >= pool.min_count:
            continue
        for slot in range(variables.layout.problem.grid.n_slots):
            total = cp_model.LinearExpr.sum([variables.on[cell.idx][slot] for cell in cells])
            rows.always(total >= min(pool.min_count, sum(cell.count for cell in cells)))
