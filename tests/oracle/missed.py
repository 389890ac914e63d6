"""Priced missed demand by hand: what the replicas of a slot leave unserved, and what that adds to the objective.

Written anew from its words: with r the least replicas that would do on a model, a replica there serves 1 / r of the demand; what is
left of it counts like a job of as many workers as the least fleet has, at ten (`missed`) device-hours for each, as work left
out, and as work that keeps nothing busy.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil

from schedplan.measures.latency import least_replicas
from schedplan.model.cluster import NodeStatus, Pool
from schedplan.model.problem import MissedDemand, Problem
from schedplan.model.workload import Service
from tests.oracle.standing import is_closed


def may_miss(problem: Problem) -> bool:
    return problem.limits.missed_demand is MissedDemand.PRICE


def missed_share(problem: Problem, service: Service, slot: int, serving: Mapping[str, int]) -> float:
    """Return the share of a slot's demand that serving replicas, by the name of their pool, leave over."""
    if not _is_asked(problem, service, slot):
        return 0.0
    left = Fraction(1)
    for name, count in serving.items():
        least = _least(problem, service, slot, problem.cluster.by_name[name])
        left -= Fraction(count, least) if least else 0
    return float(max(left, Fraction(0)))


def demand_importance(problem: Problem, service: Service, slot: int) -> float:
    """Return urgency x size x hours of all demand of a slot."""
    if not _is_asked(problem, service, slot):
        return 0.0
    least = [_least(problem, service, slot, pool) for pool in problem.cluster.pools if _may_hold(problem, service, pool)]
    known = [count for count in least if count is not None]
    rate = float(problem.demand_of[service.name].peak_rps[slot]) * (1 - service.cache_hit_ratio)
    offered = rate * service.service_ms / 1000 / service.concurrency
    workers = min(known) if known else max(ceil(offered), 1)
    shape = service.shape
    cluster = [sum(pool.nodes * have(pool) for pool in problem.cluster.pools) for have in (_gpus, _cpus, _memory)]
    asked = (shape.gpus, shape.cpus, shape.memory_gib)
    shares = [workers * one / total for one, total in zip(asked, cluster, strict=True) if total > 0]
    size = (max(shares, default=0.0) or 1e-3) * (cluster[0] or 1.0)
    urgency = 1 + len({job.priority for job in problem.jobs if job.priority < service.priority})
    return float(urgency * size * float(problem.grid.hours[slot]))


def all_demand_importance(problem: Problem) -> float:
    if not may_miss(problem):
        return 0.0
    slots = range(problem.grid.n_slots)
    return sum(demand_importance(problem, service, slot) for service in problem.services for slot in slots)


def busy_h(problem: Problem, service: Service, slot: int) -> float:
    """Return what a slot's expected demand keeps busy at reference speed, devices (or cores) times hours."""
    rate = float(problem.demand_of[service.name].mean_rps[slot]) * (1 - service.cache_hit_ratio)
    each = service.shape.gpus if problem.cluster.has_devices else service.shape.cpus
    return rate * service.service_ms / 1000 / service.concurrency * each * float(problem.grid.hours[slot])


def _is_asked(problem: Problem, service: Service, slot: int) -> bool:
    return bool(problem.demand_of[service.name].peak_rps[slot] * (1 - service.cache_hit_ratio) > 0)


def _least(problem: Problem, service: Service, slot: int, pool: Pool) -> int | None:
    speeds = {(row.accelerator, row.kind): row.speed for row in problem.cluster.speeds}
    model = pool.accelerator or ""
    speed = speeds.get((model, service.name)) or speeds.get((model, "service")) or 1.0
    rate = float(problem.demand_of[service.name].peak_rps[slot])
    return least_replicas(service, service.service_ms / speed, rate, problem.limits.max_utilization)


def _may_hold(problem: Problem, service: Service, pool: Pool) -> bool:
    """Whether a replica may stand on an empty node of a pool."""
    shape = service.shape
    if not pool.nodes or pool.status is not NodeStatus.READY or pool.market not in service.markets:
        return False
    if (shape.accelerators and pool.accelerator not in shape.accelerators) or is_closed(problem, service, pool):
        return False
    if shape.gpu_memory_gib is not None and pool.gpu_memory_gib is not None and pool.gpu_memory_gib < shape.gpu_memory_gib:
        return False
    wants, has = (shape.gpus, shape.cpus, shape.memory_gib), (_gpus(pool), pool.cpus, pool.memory_gib)
    return all(have is None or want <= have + 1e-9 for want, have in zip(wants, has, strict=True))


def _gpus(pool: Pool) -> float:
    return float(pool.gpus)


def _cpus(pool: Pool) -> float:
    return pool.cpus or 0.0


def _memory(pool: Pool) -> float:
    return pool.memory_gib or 0.0
