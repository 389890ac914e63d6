"""Gang families: which nodes the workers of one gang may span, by family and by domain. It knows nothing of room or of a plan."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.domains import domain_of_pool
from schedplan.measures.warm_up import load_minutes_on
from schedplan.model.cluster import Market, Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState, Topology

NAMED_DOMAINS = (Topology.BLOCK, Topology.RACK, Topology.ZONE)
"""Topologies whose domain the nodes name; the value of each is the column (and the field of a pool) that does."""


def gang_family(problem: Problem, pool: Pool) -> tuple[str, ...]:
    """Return the key of nodes that one gang may span: one cluster, device model, market; on spot also one `spot_market`."""
    return family_key(pool, problem.price_per_h(pool) if pool.market is Market.SPOT else None)


def loads_on(job: Job, pool: Pool) -> bool:
    """Whether a job loads its model or data on a pool: a gang does on all of its nodes or on none, so that it has one run time."""
    return load_minutes_on(job, pool) > 0


def family_key(pool: Pool, price_per_h: NDArray[np.float64] | None) -> tuple[str, ...]:
    """Return the same for a price per slot, float64 [n_slots]; None where it is not known, and then it tells no nodes apart."""
    return (pool.cluster, pool.accelerator or "", pool.market.value, *spot_market(pool, price_per_h))


def spot_market(pool: Pool, price_per_h: NDArray[np.float64] | None) -> tuple[str, ...]:
    """Return what all spot nodes of one gang have in common beyond the market: price, reclaim rate and size; empty elsewhere.

    Only so has the rework of a gang one price, and its reclaim rate is that of one node times their number.
    """
    if pool.market is not Market.SPOT:
        return ()
    price = "" if price_per_h is None else price_per_h.tobytes().hex()
    return (price, repr(pool.interruptions_per_hour), repr(pool.gpus), repr(pool.cpus))


def domain_of(pool: Pool, topology: Topology) -> str | None:
    """Return the domain of that kind in which a pool stands, its cluster where none is named; None = in none, so not eligible."""
    return domain_of_pool(topology.value if topology in NAMED_DOMAINS else Topology.CLUSTER.value, pool)


def is_in_one_group(job: Job) -> bool:
    """Whether the workers of a job must share one device group of their node; what runs already stays as it stands."""
    return job.topology is Topology.DEVICE_GROUP and job.state is not JobState.RUNNING


def is_on_one_node(topology: Topology) -> bool:
    """Whether the whole gang must share one node."""
    return topology in (Topology.NODE, Topology.DEVICE_GROUP)
