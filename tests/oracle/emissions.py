"""What nodes, jobs and replicas emit, by hand: from power, share of the node, load and intensity. It knows no weight."""

from __future__ import annotations

from schedplan.measures.latency import least_replicas
from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Service, WorkerShape


def idle_g(problem: Problem, pool: Pool, slot: int) -> float:
    """Return what one node emits in a slot with nothing on it."""
    if pool.power_idle_w is None:
        return 0.0
    return pool.power_idle_w / 1000 * _g_per_kw(problem, pool, slot)


def worker_g(problem: Problem, pool: Pool, shape: WorkerShape, slot: int) -> float:
    """Return what one busy worker adds on a node in a slot: its part of the node, of the power between idle and full."""
    if pool.power_idle_w is None or pool.power_max_w is None:
        return 0.0
    part = shape.gpus / pool.gpus if pool.gpus else shape.cpus / (pool.cpus or 1.0)
    return part * (pool.power_max_w - pool.power_idle_w) / 1000 * _g_per_kw(problem, pool, slot)


def replica_g(problem: Problem, pool: Pool, service: Service, slot: int) -> float:
    """Return what one replica adds: as busy as each would be if as few of them as meet the target carried the expected load."""
    speeds = {(row.accelerator, row.kind): row.speed for row in problem.cluster.speeds}
    speed = speeds.get((pool.accelerator or "", service.name)) or speeds.get((pool.accelerator or "", "service")) or 1.0
    demand, service_ms = problem.demand_of[service.name], service.service_ms / speed
    least = least_replicas(service, service_ms, float(demand.peak_rps[slot]), problem.limits.max_utilization)
    if not least:
        return 0.0
    load = float(demand.mean_rps[slot]) * (1 - service.cache_hit_ratio) * service_ms / 1000 / service.concurrency
    return min(load / least, 1.0) * worker_g(problem, pool, service.shape, slot)


def _g_per_kw(problem: Problem, pool: Pool, slot: int) -> float:
    """Grams for a kilowatt drawn over a slot; 0 where the region is not known."""
    for series in problem.intensities:
        if series.region == pool.region:
            return pool.pue * float(problem.grid.hours[slot]) * float(series.g_per_kwh[slot])
    return 0.0
