"""Coverage: the share of a slot's demand that replicas on several device models take together. It knows one slot, not a plan.

A replica on a model takes 1 / r of the demand planned for, r = the least replicas that would meet the target and the highest
utilization on that model alone. On one model that is exact: count / r >= 1 where count >= r. On a mix it is a linear stand-in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from schedplan.measures.latency import least_replicas, reaching_rps
from schedplan.model.cluster import Cluster
from schedplan.model.plan import ReplicaPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Service

Mix = Mapping[str | None, int]

FORGIVEN_PER_REPLICA = 1e-9
"""Whoever counts shares in billionths rounds each of them up."""


def mix_of(cluster: Cluster, parts: Iterable[ReplicaPart]) -> dict[str | None, int]:
    """Return the replicas on each device model, in the order in which they come."""
    found: dict[str | None, int] = {}
    for part in parts:
        model = cluster.pool_of_node[part.node].accelerator
        found[model] = found.get(model, 0) + part.replicas
    return found


def least_on(problem: Problem, service: Service, accelerator: str | None, slot: int) -> int | None:
    """Return r: the least replicas on one device model that meet a slot's demand; None where no number does."""
    demand = problem.demand_of.get(service.name)
    rate_rps = 0.0 if demand is None else float(demand.peak_rps[slot])
    return least_replicas(service, problem.service_ms(service, accelerator), rate_rps, problem.limits.max_utilization)


def coverage(problem: Problem, service: Service, slot: int, mix: Mix) -> float:
    """Return the share of a slot's demand that replicas per device model take, above 1 where there are more than needed.

    A model on which no number meets the target takes none of it; a slot without demand is covered by nothing.
    """
    demand = problem.demand_of.get(service.name)
    if demand is None or reaching_rps(service, float(demand.peak_rps[slot])) <= 0:
        return 1.0
    needs = ((count, least_on(problem, service, accelerator, slot)) for accelerator, count in mix.items())
    return sum(count / least for count, least in needs if least)


def is_covered(problem: Problem, service: Service, slot: int, mix: Mix) -> bool:
    """Whether replicas per device model take all of a slot's demand."""
    return coverage(problem, service, slot, mix) >= 1.0 - FORGIVEN_PER_REPLICA * max(sum(mix.values()), 1)
