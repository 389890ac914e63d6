"""Emissions: the energy that nodes draw and what it emits, per pool. It knows what a pool draws, not what stands on it.

    power of a node that is on   = power_idle_w + (power_max_w - power_idle_w) x duty
    energy                       = power x pue x hours / 1000
    carbon                       = energy x g_per_kwh of the pool's region in the slot

duty of a node: what its work bears of its price (`node_share`), times how busy that work keeps it. A job does so in full. A replica
is as busy as one of the least replicas that meet the target would be at the expected load: the load is not spread thinner over
replicas beyond these, so that energy stays linear in what a plan decides and is never understated by replicas to spare.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.latency import least_replicas, offered_replicas
from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Service

W_PER_KW = 1000.0


@dataclass(frozen=True)
class Draw:
    """What one node of a pool draws per slot, float64 [n_slots] each: while on with nothing on it, and what full duty adds.

    In kWh, or in the gCO2e that this emits.
    """

    idle: NDArray[np.float64]
    duty: NDArray[np.float64]


def draw_of(problem: Problem, pool: Pool) -> Draw | None:
    """Return what a node of a pool draws in kWh, None where the table of nodes does not state its power."""
    if pool.power_idle_w is None or pool.power_max_w is None:
        return None
    kwh_per_w = pool.pue * problem.grid.hours / W_PER_KW
    return Draw(pool.power_idle_w * kwh_per_w, (pool.power_max_w - pool.power_idle_w) * kwh_per_w)


def emission_of(problem: Problem, pool: Pool) -> Draw | None:
    """Return what a node of a pool emits in gCO2e, None where the power of a pool or the intensity of its region is not known."""
    draw, intensity = draw_of(problem, pool), problem.g_per_kwh(pool)
    if draw is None or intensity is None:
        return None
    return Draw(draw.idle * intensity, draw.duty * intensity)


def replica_duty(problem: Problem, service: Service, accelerator: str | None) -> NDArray[np.float64]:
    """Return how busy a replica on a device model counts, 0 to 1, float64 [n_slots]; 0 where no number of them meets the target."""
    demand = problem.demand_of.get(service.name)
    if demand is None:
        return np.zeros(problem.grid.n_slots)
    service_ms, ceiling = problem.service_ms(service, accelerator), problem.limits.max_utilization
    found = []
    for peak_rps, mean_rps in zip(demand.peak_rps, demand.mean_rps, strict=True):
        least = least_replicas(service, service_ms, float(peak_rps), ceiling)
        found.append(min(offered_replicas(service, service_ms, float(mean_rps)) / least, 1.0) if least else 0.0)
    return np.array(found)


def unknown_emissions(problem: Problem) -> tuple[tuple[str, str], ...]:
    """Return (pool, why) of each pool with nodes whose emissions are not known."""
    found = []
    for pool in problem.cluster.pools:
        if not pool.max_count or emission_of(problem, pool) is not None:
            continue
        if draw_of(problem, pool) is None:
            found.append((pool.name, "no power_idle_w and power_max_w"))
        elif pool.region is None:
            found.append((pool.name, "no region"))
        else:
            found.append((pool.name, f"no intensity of its region {pool.region} for the whole horizon"))
    return tuple(found)
