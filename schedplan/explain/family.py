"""Families: pools that one gang may span and that a person takes for one kind of node. It knows nothing of a plan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from schedplan.measures.gang_family import gang_family, is_on_one_node
from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Job

_NAMES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Family:
    """Pools that one gang may span, or those of them with one price and status, in the order of the cluster."""

    pools: tuple[Pool, ...]

    @property
    def name(self) -> str:
        """Return its pools as people read them: `a100-od`, or `n1, n2, n3 and 5 more`."""
        names = [pool.name for pool in self.pools]
        if len(names) <= _NAMES_SHOWN + 1:
            return ", ".join(names)
        return f"{', '.join(names[:_NAMES_SHOWN])} and {len(names) - _NAMES_SHOWN} more"


def families(problem: Problem, job: Job | None = None) -> tuple[Family, ...]:
    """Return all pools in families, by the first pool of each.

    For a job whose workers may stand on several nodes a family is what it may span, at whatever prices. Otherwise nothing is
    spanned, and pools of another price or status are another place.
    """
    if job is not None and job.workers > 1 and not is_on_one_node(job.topology):
        return _grouped((pool, gang_family(problem, pool)) for pool in problem.cluster.pools)
    return by_price(problem, Family(problem.cluster.pools))


def by_price(problem: Problem, family: Family) -> tuple[Family, ...]:
    """Return the parts of a family with one price and status each, by the first pool of each."""
    return _grouped(
        (pool, (*gang_family(problem, pool), problem.price_per_h(pool).tobytes(), pool.status)) for pool in family.pools
    )


def _grouped(keyed: Iterable[tuple[Pool, tuple[object, ...]]]) -> tuple[Family, ...]:
    members: dict[tuple[object, ...], list[Pool]] = {}
    for pool, key in keyed:
        members.setdefault(key, []).append(pool)
    return tuple(Family(tuple(pools)) for pools in members.values())
