"""How many nodes of each type all work of a static placement takes, by the relaxation with the nodes of a type as a variable.

Variables beside those of the relaxation: n_t nodes of type t in use, 0 <= n_t <= N_t. min Σ rate_t n_t, every unit placed, and in
every row about a type its limit per node times n_t in place of N_t. What stands on so many real nodes satisfies it, so its value is
a bound; its n_t say where a plan on few nodes should stand.
"""

from __future__ import annotations

from math import ceil

import numpy as np

from schedplan.optimize.static.program import Floats, Program, matrix_of
from schedplan.optimize.static.relaxation import Relaxation

PER_NODE = ("resource", "device", "count", "most")
# What a solver's tolerances may hide of a number of nodes.
TOLERATED = 1e-4


def fewest_nodes(relaxation: Relaxation) -> int | None:
    """Return how many nodes any placement of all work takes at least; None where not all of it fits, or not every cut is listed."""
    if not relaxation.lists_all_cuts or len({k for _, k in relaxation.units}) < len(relaxation.instance.classes):
        return None
    opened = nodes_in_use(relaxation, np.ones(len(relaxation.instance.types)))
    return None if opened is None else ceil(float(opened.sum()) - TOLERATED)


def nodes_in_use(relaxation: Relaxation, rates: Floats, slack: float = 0.0) -> Floats | None:
    """Return n_t at its optimum, float64 [type], a share `slack` of cores and memory set aside; None where not all work fits.

    All work: that of classes which some empty node holds.
    """
    types = relaxation.instance.types
    low, high = relaxation.limits(slack)
    held = {k for _, k in relaxation.units}
    opened: list[list[tuple[int, float]]] = [[] for _ in types]
    for idx, row in enumerate(relaxation.rows):
        if row.kind in PER_NODE:
            of = types[row.item if row.kind == "most" else row.of]
            opened[of.idx].append((idx, -high[idx] / of.count))
            high[idx] = 0.0
        elif row.kind == "demand" and row.of in held:
            low[idx] = high[idx]
    columns = [*relaxation.columns, *opened]
    gain = np.concatenate((np.zeros(len(relaxation.columns)), -rates))
    upper = np.full(len(columns), np.inf)
    upper[len(relaxation.columns) :] = [one.count for one in types]
    answer = Program(matrix_of(len(relaxation.rows), columns), gain, high, low=low, upper=upper).solve()
    return None if answer is None else answer.x[len(relaxation.columns) :]
