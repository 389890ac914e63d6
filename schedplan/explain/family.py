"""Families: pools that one gang may span and that a person takes for one kind of node. It knows nothing of a plan."""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.model.cluster import Market, Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Topology

_NAMES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Family:
    """Pools of one cluster, device model, market and price, in the order of the cluster."""

    pools: tuple[Pool, ...]

    @property
    def name(self) -> str:
        """Return its pools as people read them: `a100-od`, or `n1, n2, n3 and 5 more`."""
        names = [pool.name for pool in self.pools]
        if len(names) <= _NAMES_SHOWN + 1:
            return ", ".join(names)
        return f"{', '.join(names[:_NAMES_SHOWN])} and {len(names) - _NAMES_SHOWN} more"


def families(problem: Problem) -> tuple[Family, ...]:
    """Return all pools in families, by the first pool of each."""
    members: dict[tuple[object, ...], list[Pool]] = {}
    for pool in problem.cluster.pools:
        members.setdefault(_key(problem, pool), []).append(pool)
    return tuple(Family(tuple(pools)) for pools in members.values())


def domain_of(pool: Pool, topology: Topology) -> str | None:
    """Return the domain of a pool that must hold a whole gang; the cluster where the gang asks for nothing narrower."""
    named = {Topology.BLOCK: pool.block, Topology.RACK: pool.rack, Topology.ZONE: pool.zone}
    return named.get(topology, pool.cluster)


def _key(problem: Problem, pool: Pool) -> tuple[object, ...]:
    reclaim = pool.interruptions_per_hour if pool.market is Market.SPOT else 0.0
    return (pool.cluster, pool.accelerator, pool.market, problem.price_per_h(pool).tobytes(), reclaim, pool.status)
