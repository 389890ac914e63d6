"""Domains: the zone, rack, block or region that a node stands in, or the node itself. It does not know what stands there.

A node without a value is in no domain of that kind: it counts for no spread, and it is never lost with one.
"""

from __future__ import annotations

from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem, Reserve

SINGLE_NODE = "node"


def domain_of_node(kind: str, pool: Pool, node: str) -> str | None:
    """Return the domain of a kind (zone, rack, block, region, node) in which a node of a pool stands; None = in none."""
    return node if kind == SINGLE_NODE else domain_of_pool(kind, pool)


def domain_of_pool(kind: str, pool: Pool) -> str | None:
    """Return the domain of a kind other than single nodes in which all nodes of a pool stand; None = in none."""
    return {"zone": pool.zone, "rack": pool.rack, "block": pool.block, "region": pool.region, "cluster": pool.cluster}[kind]


def kinds_told_apart(problem: Problem) -> tuple[str, ...]:
    """Return the kinds of domains, single nodes aside, by which the rules of services tell nodes apart."""
    kinds = {service.spread[0] for service in problem.services if service.spread is not None}
    if problem.limits.reserve is not Reserve.NONE and problem.services:
        kinds.add(problem.limits.reserve.value)
    return tuple(sorted(kinds - {SINGLE_NODE}))
