"""The fewest nodes that could hold all work of a static placement, by the relaxation with the nodes of each type as a variable.

Variables beside those of the relaxation: n_t nodes of type t in use, 0 <= n_t <= N_t. min Σ n_t, every unit placed, and in every
row about a type its limit per node times n_t in place of N_t. What stands on so many real nodes satisfies it, so its value is a
bound.
"""

from __future__ import annotations

from math import ceil

import numpy as np

from schedplan.optimize.static.program import Program, matrix_of
from schedplan.optimize.static.relaxation import Relaxation

PER_NODE = ("resource", "device", "count", "most")
# What a solver's tolerances may hide of a number of nodes.
TOLERATED = 1e-4


def fewest_nodes(relaxation: Relaxation) -> int | None:
    """Return how many nodes any placement of all work takes at least; None where not all of it fits, or not every cut is listed."""
    if not relaxation.lists_all_cuts:
        return None
    types = relaxation.instance.types
    low, high = relaxation.limits()
    opened: list[list[tuple[int, float]]] = [[] for _ in types]
    for idx, row in enumerate(relaxation.rows):
        if row.kind in PER_NODE:
            of = types[row.item if row.kind == "most" else row.of]
            opened[of.idx].append((idx, -high[idx] / of.count))
            high[idx] = 0.0
        elif row.kind == "demand":
            low[idx] = high[idx]
    columns = [*relaxation.columns, *opened]
    gain = np.concatenate((np.zeros(len(relaxation.columns)), -np.ones(len(types))))
    upper = np.full(len(columns), np.inf)
    upper[len(relaxation.columns) :] = [one.count for one in types]
    answer = Program(matrix_of(len(relaxation.rows), columns), gain, high, low=low, upper=upper).solve()
    return None if answer is None else ceil(-answer.value - TOLERATED)
