"""Warm-up: how long a new replica holds its devices before it serves, and which replicas serve in a slot. It knows no demand.

What stands in the first slot is warm. On one node the replicas that came last leave first, so those that serve in a slot are the
fewest that stood there in any slot since the last one from which a new replica would be ready by now.
"""

from __future__ import annotations

from collections.abc import Iterable

from schedplan.model.cluster import Pool
from schedplan.model.plan import ReplicaPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, Service
from schedplan.timegrid import TimeGrid


def lag_minutes(service: Service, pool: Pool) -> float:
    """Return the minutes from the request of a replica until it serves: its start-up, and the load of its model where the pool does
    not hold it in its cache."""
    return service.startup_minutes + load_minutes_on(service, pool)


def load_minutes_on(work: Job | Service, pool: Pool) -> float:
    """Return the minutes that loading its model or data takes on a pool: none where the pool's cache holds it.

    The caches are those of the inventory; that a node holds what was loaded on it once is not followed through the plan.
    """
    is_cached = work.affinity is not None and work.affinity in pool.caches
    return 0.0 if is_cached else work.load_minutes


def cache_keys_asked(problem: Problem) -> tuple[str, ...]:
    """Return the cache keys by which some work wants pools told apart."""
    works: tuple[Job | Service, ...] = (*problem.jobs, *problem.services)
    asked = {work.affinity for work in works if work.load_minutes > 0}
    return tuple(sorted(key for key in asked if key is not None))


def serves_since(grid: TimeGrid, minutes: float) -> tuple[int, ...]:
    """Return, per slot, the last slot from which a replica must have stood to serve in it; 0 at the earliest: those are warm."""
    if minutes <= 0:
        return tuple(range(grid.n_slots))
    ready = [grid.end_edge(slot, minutes) for slot in range(grid.n_slots)]
    return tuple(
        max((begun for begun in range(slot + 1) if (edge := ready[begun]) is not None and edge <= slot), default=0)
        for slot in range(grid.n_slots)
    )


def serving_parts(problem: Problem, service: Service, parts: Iterable[ReplicaPart]) -> tuple[tuple[ReplicaPart, ...], ...]:
    """Return per slot what of a service's replicas serves in it, in the order given; a node where none does is left out."""
    by_slot: list[list[ReplicaPart]] = [[] for _ in range(problem.grid.n_slots)]
    count: dict[tuple[str, int], int] = {}
    for part in parts:
        by_slot[part.slot].append(part)
        count[part.node, part.slot] = count.get((part.node, part.slot), 0) + part.replicas
    if service.startup_minutes <= 0 and service.load_minutes <= 0:
        return tuple(tuple(stands) for stands in by_slot)
    pool_of = problem.cluster.pool_of_node
    lags = {lag_minutes(service, pool_of[node]) for node, _ in count}
    since = {lag: serves_since(problem.grid, lag) for lag in lags}
    found = []
    for slot, stands in enumerate(by_slot):
        serving = []
        for part in stands:
            first = since[lag_minutes(service, pool_of[part.node])][slot]
            ready = min(count.get((part.node, other), 0) for other in range(first, slot + 1))
            if ready:
                serving.append(ReplicaPart(part.service, slot, part.node, min(ready, part.replicas)))
        found.append(tuple(serving))
    return tuple(found)
