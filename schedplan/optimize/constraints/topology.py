"""topology: all workers of a gang stand inside one domain of the kind it asks for.

Sets: domains B of a kind (device group, node, block, rack, zone, cluster), sites of a job = eligible cells of one domain.
Formula: Σ_{cells of one site} w[c,cell,t] = W_c x[c,site,t], one site per domain; for node and device group W_c workers fit one.
Intuition: a site is a domain, so a gang that picks a site is inside it. A node without a value is in no domain of that kind.
"""

from __future__ import annotations

from collections.abc import Iterable

from schedplan.model.cluster import Pool
from schedplan.model.workload import Job, Topology

_ATTRIBUTE = {Topology.BLOCK: "block", Topology.RACK: "rack", Topology.ZONE: "zone"}


def domain_of(pool: Pool, topology: Topology) -> str | None:
    """Return the domain of that kind in which a pool stands; None = in none, and so not eligible."""
    if topology is Topology.BLOCK:
        return pool.block
    if topology is Topology.RACK:
        return pool.rack
    return pool.zone if topology is Topology.ZONE else pool.cluster


def domains_asked(jobs: Iterable[Job]) -> tuple[str, ...]:
    """Return the attributes (block, rack, zone) by which some job wants cells told apart."""
    return tuple(sorted({_ATTRIBUTE[job.topology] for job in jobs if job.topology in _ATTRIBUTE}))


def is_on_one_node(topology: Topology) -> bool:
    """Whether the whole gang must share one node."""
    return topology in (Topology.NODE, Topology.DEVICE_GROUP)
