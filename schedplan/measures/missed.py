"""Missed demand: the share of a slot's demand that the replicas which serve leave over, and what it weighs, where it has a price.

    missed share     = max(0, 1 - sum over device models of serving replicas / r)
    importance       = urgency x size of the least fleet that meets the target x hours of the slot, were all of it missed
    latency goal     + missed rate x missed share x importance
    work left out    + missed share x importance, over the importance of all jobs and all demand
    idle             + missed share x reference work: what is not served keeps nothing busy

r: the least replicas on one model that meet target and highest utilization at the demand planned for. The least fleet is that on
the model which needs fewest, counted as a gang of so many workers; where no model meets the target, it is the replicas that the
load alone would keep busy at reference speed. The urgency is that of a job with the service's priority. Both are our choice: a
device-hour of demand then weighs what a device-hour of a job does.

Shares are counted in whole parts: of one model r of them, so that a replica takes one; of several models so many that every
1 / r is whole; in billionths, each rounded up, where these would be more than a million.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, fsum, lcm

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.coverage import Mix, least_on
from schedplan.measures.eligibility import pools_for_service
from schedplan.measures.latency import offered_replicas, reaching_rps
from schedplan.measures.work import reference_work_per_h, shape_size
from schedplan.model.problem import MissedDemand, Problem
from schedplan.model.workload import Service

BILLION = 10**9
MOST_EXACT_PARTS = 10**6

Shares = Mapping[str, NDArray[np.float64]]
"""Missed share per service and slot, float64 [n_slots] by name; empty where no demand may be missed."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a slot asks of a service: `whole` parts (0: nothing is asked), of which a replica takes `part` by device model.

    importance: counted-resource-hours by urgency; work_h: counted-resource-hours at reference speed. Both if all of it is missed.
    """

    whole: int
    part: Mapping[str | None, int]
    importance: float
    work_h: float

    @property
    def is_hopeless(self) -> bool:
        """Whether no replica on any node takes some of it."""
        return self.whole > 0 and not self.part

    def missed(self, mix: Mix) -> float:
        """Return the share that serving replicas per device model leave over, 0 to 1."""
        if self.whole == 0:
            return 0.0
        return max(self.whole - sum(count * self.part.get(model, 0) for model, count in mix.items()), 0) / self.whole


def is_priced(problem: Problem) -> bool:
    """Whether demand may be missed at a price."""
    return problem.limits.missed_demand is MissedDemand.PRICE


def asked(problem: Problem, service: Service) -> tuple[Asked, ...]:
    """Return what every slot asks of a service."""
    models = tuple(dict.fromkeys(pool.accelerator for pool in pools_for_service(problem.cluster, service)))
    return tuple(_asked_in(problem, service, models, slot) for slot in range(problem.grid.n_slots))


def service_urgency(problem: Problem, service: Service) -> int:
    """Return the urgency that a job of the service's priority has: 1 + the distinct priorities of jobs below it."""
    return 1 + sum(priority < service.priority for priority in problem.urgency)


def services_importance(problem: Problem) -> float:
    """Return the importance of all demand; 0 where none may be missed, so that it has no part in what is left out."""
    if not is_priced(problem):
        return 0.0
    return fsum(one.importance for service in problem.services for one in asked(problem, service))


def missed_importance(problem: Problem, shares: Shares) -> float:
    """Return the importance of what is missed."""
    return fsum(share * one.importance for share, one in _by_slot(problem, shares))


def missed_work_h(problem: Problem, shares: Shares) -> float:
    """Return the reference work of what is missed, counted-resource-hours."""
    return fsum(share * one.work_h for share, one in _by_slot(problem, shares))


def hopeless_shares(problem: Problem) -> Shares:
    """Return what every plan misses: all of it where no node takes any, else nothing."""
    if not is_priced(problem):
        return {}
    return {service.name: np.array([float(one.is_hopeless) for one in asked(problem, service)]) for service in problem.services}


def _by_slot(problem: Problem, shares: Shares) -> list[tuple[float, Asked]]:
    return [
        (float(share), one)
        for service in problem.services
        if service.name in shares
        for share, one in zip(shares[service.name], asked(problem, service), strict=True)
    ]


def _asked_in(problem: Problem, service: Service, models: tuple[str | None, ...], slot: int) -> Asked:
    demand = problem.demand_of.get(service.name)
    if demand is None or reaching_rps(service, float(demand.peak_rps[slot])) <= 0:
        return Asked(0, {}, 0.0, 0.0)
    found = {model: least_on(problem, service, model, slot) for model in models}
    needs = {model: least for model, least in found.items() if least}
    part, whole = _parts(needs)
    offered = offered_replicas(service, service.service_ms, float(demand.peak_rps[slot]))
    least_fleet = min(needs.values(), default=max(ceil(offered), 1))
    hours = float(problem.grid.hours[slot])
    size = shape_size(problem.cluster, service.shape, least_fleet)
    return Asked(
        whole=whole,
        part=part,
        importance=service_urgency(problem, service) * size * hours,
        work_h=reference_work_per_h(service, problem.cluster, float(demand.mean_rps[slot])) * hours,
    )


def _parts(needs: Mapping[str | None, int]) -> tuple[dict[str | None, int], int]:
    """Return what a replica on each model takes, and all there is."""
    whole = lcm(*needs.values()) if needs else 1
    if whole <= MOST_EXACT_PARTS or len(set(needs.values())) == 1:
        return {model: whole // least for model, least in needs.items()}, whole
    return {model: -(-BILLION // least) for model, least in needs.items()}, BILLION
