"""Least replicas per service, slot and device model, tabulated once before solving."""

from __future__ import annotations

from schedplan.measures.eligibility import pools_for_service
from schedplan.measures.latency import latency_ms, least_replicas
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


def alone_latency_ms(problem: Problem, service: Service) -> float | None:
    """Return the latency of a request that never waits, at the service's quantile, on the fastest nodes that take it.

    None where no node takes it.
    """
    models = {pool.accelerator for pool in pools_for_service(problem.cluster, service)}
    fastest_ms = min((problem.service_ms(service, model) for model in models), default=None)
    if fastest_ms is None:
        return None
    return latency_ms(fastest_ms, service.service_cv, service.slo_quantile, 1, 0.0)
