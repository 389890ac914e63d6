"""Outages in the slots of a problem: which nodes are away when, and in what words. It knows no work."""

from __future__ import annotations

from collections.abc import Iterable

from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem


def is_down(problem: Problem, nodes: tuple[str, ...], start_slot: int, end_edge: int) -> bool:
    """Whether nodes alike in every slot are in an outage in some slot from start_slot to before end_edge."""
    return bool(problem.outages) and bool(problem.is_down[problem.cluster.node_idx[nodes[0]], start_slot:end_edge].any())


def down_pattern(problem: Problem, node: str, *, merged: bool) -> object:
    """Return what nodes of one cell have in common: the slots of their outages; the outages themselves where rules are named."""
    if not problem.outages:
        return None
    if merged:
        return problem.is_down[problem.cluster.node_idx[node]].tobytes()
    return problem.outages_of.get(node, ())


def outage_evidence(problem: Problem, subject: str) -> str:
    """Return when what a subject names is away, in words."""
    return "; ".join(outage.told(problem.zone) for outage in problem.outages if outage.subject == subject)


def outages_told(problem: Problem, pools: Iterable[Pool], shown: int = 3) -> str:
    """Return the outages of pools, or of nodes of theirs, that touch the horizon, in words; at most `shown` of them."""
    names = {name for pool in pools for name in pool.node_names()}
    grid = problem.grid
    found = [
        f"{outage.place} ({outage.told(problem.zone)})"
        for outage in problem.outages
        if outage.start_s < grid.end_s and outage.end_s > grid.start_s and names.intersection(outage.nodes(problem.cluster))
    ]
    more = f" and {len(found) - shown} more" if len(found) > shown else ""
    return f"{'; '.join(found[:shown])}{more}"
