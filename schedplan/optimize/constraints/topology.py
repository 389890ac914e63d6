"""topology: all workers of a gang stand inside one domain of the kind it asks for.

Sets: domains B of a kind (device group, node, block, rack, zone, cluster), sites of a job = eligible cells of one domain.
Formula: Σ_{cells of one site} w[c,cell,t] = W_c x[c,site,t], one site per domain; for node and device group W_c workers fit one.
Intuition: a site is a domain, so a gang that picks a site is inside it. A node without a value is in no domain of that kind.
"""

from __future__ import annotations

from collections.abc import Iterable

from schedplan.measures.gang_family import NAMED_DOMAINS, domain_of, is_on_one_node
from schedplan.model.workload import Job

__all__ = ["domain_of", "domains_asked", "is_on_one_node"]


def domains_asked(jobs: Iterable[Job]) -> tuple[str, ...]:
    """Return the attributes (block, rack, zone) by which some job wants cells told apart."""
    return tuple(sorted({job.topology.value for job in jobs if job.topology in NAMED_DOMAINS}))
