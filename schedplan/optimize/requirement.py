"""Least replicas per service, slot and device model, tabulated once before solving."""

from __future__ import annotations

from schedplan.measures.latency import least_replicas
from schedplan.model.problem import Problem
from schedplan.model.workload import Service


def least_replicas_by_slot(problem: Problem, service: Service, accelerator: str | None) -> tuple[int | None, ...]:
    """Return r[t]: the least replicas on one device model that meet the target at the demand planned for; None = no number does.

    min_replicas is not in it: it holds for all device models together.
    """
    demand = problem.demand_of[service.name]
    service_ms = problem.service_ms(service, accelerator)
    ceiling = problem.limits.max_utilization
    return tuple(least_replicas(service, service_ms, float(rate), ceiling) for rate in demand.peak_rps)
