"""Thrift: all work that was placed, on fewer nodes. The relaxation says how many of each type could do; dives fill those alone.

What no node of them holds goes where it fits best, and nodes that others can relieve are emptied. It places no less than before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from schedplan.model.problem import Problem
from schedplan.optimize.static.assembly import Assembly
from schedplan.optimize.static.dives import Dives, Site
from schedplan.optimize.static.fewest import nodes_in_use
from schedplan.optimize.static.instance import Instance, Integers, can_hold
from schedplan.optimize.static.ladder import NEARLY_WHOLE
from schedplan.optimize.static.nodes import Flags
from schedplan.optimize.static.program import Floats
from schedplan.optimize.static.recipe import searched
from schedplan.optimize.static.relaxation import Relaxation
from schedplan.optimize.static.residual import residual
from schedplan.optimize.static.standing import Standing, held_of_cuts, nodes_with

OPENING_SLACKS = (0.0, 0.01)
BESIDE_RENT = 1e-3
"""What a node counts for beside the dearest rent of one."""


def on_fewer_nodes(
    problem: Problem, whole: Instance, standing: Standing, built: Assembly, keep: Callable[[Assembly], None]
) -> Assembly:
    """Return an assembly of the same work for less rent or on fewer nodes, or the one given; `keep` is told of every better one.

    One in which work is left out that some node could hold has other worries, and stays as it is.
    """
    nodes = nodes_with(problem, whole, standing)
    left, rows_of = residual(nodes)
    left = replace(left, held=held_of_cuts(problem, whole, standing))
    if any(built.wanted[k] and any(can_hold(one, left.needs[k][one.idx]) for one in left.types) for k in range(len(left.classes))):
        return built
    is_in_use = np.array([bool(nodes.n_holds[rows[0]]) for rows in rows_of], dtype=np.bool_)
    dives = Dives(problem, whole, standing, keep, is_thrifty=True)
    dives.rank(built)
    tried: set[tuple[int, ...]] = set()
    for slack in OPENING_SLACKS:
        opened = _opened(left, is_in_use, slack)
        if opened is None or not opened.any() or not _is_less(left, opened, dives.best) or tuple(opened) in tried:
            break
        tried.add(tuple(opened))
        site = _first(Site(left, rows_of), opened)
        searched(dives, site, site.left)
    return dives.best


def _opened(left: Instance, is_in_use: Flags, slack: float) -> Integers | None:
    """Nodes of each type that could do, int64 [type]: all of those on which something stands before any other work."""
    opened = nodes_in_use(Relaxation(left), np.where(is_in_use, 0.0, _rates(left)), slack)
    if opened is None:
        return None
    counts = np.array([one.count for one in left.types], dtype=np.int64)
    return np.where(is_in_use, counts, np.minimum(np.ceil(opened - NEARLY_WHOLE).astype(np.int64), counts))


def _rates(left: Instance) -> Floats:
    """What a node of each type counts for: its rent, and far less than that the node itself."""
    rents = np.array([0.0 if one.pool.market.is_sunk else one.price for one in left.types])
    dearest = float(rents.max(initial=0.0))
    return rents / dearest + BESIDE_RENT if dearest else np.ones(len(rents))


def _is_less(left: Instance, opened: Integers, best: Assembly) -> bool:
    """Whether so many nodes of each type would be less rent, or as much for fewer nodes."""
    rent = float(sum(0.0 if one.pool.market.is_sunk else one.price * opened[one.idx] for one in left.types))
    return (rent, int(opened.sum())) < best.upkeep()


def _first(site: Site, opened: Integers) -> Site:
    """The site with the first nodes alone of each type, so many as are opened."""
    kept = [int(t) for t in np.flatnonzero(opened)]
    left = site.left
    types = tuple(replace(left.types[t], idx=idx, node_idx=left.types[t].node_idx[: int(opened[t])]) for idx, t in enumerate(kept))
    needs = tuple(tuple(row[t] for t in kept) for row in left.needs)
    families = tuple(tuple(row[t] for t in kept) for row in left.families)
    few = replace(left, types=types, needs=needs, families=families)
    return Site(few, tuple(site.rows_of[t][: int(opened[t])] for t in kept))
