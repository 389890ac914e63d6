"""What services ask for in every slot, as the relaxation of a long horizon prices it. It knows no jobs and no prices.

Of all rules of a service it keeps two: that its replicas meet its target, and that they are not fewer than it says.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.eligibility import pools_for_service
from schedplan.measures.missed import BILLION, is_priced
from schedplan.measures.work import counted_share
from schedplan.model.problem import Problem
from schedplan.model.workload import Service
from schedplan.optimize.nodes.rates import Rates
from schedplan.optimize.requirement import least_replicas_by_slot

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Ask:
    """Of one service, [pool, slot]: the least units of the counted resource that serve all demand on a pool alone (infinite where
    none do), the units of `min_replicas` there (infinite where none may stand), and what a unit emits, as F."""

    service: Service
    by_demand: Floats
    by_number: Floats
    emitted: Floats


def asks(problem: Problem, rates: Rates) -> tuple[Ask, ...]:
    """Return what all services ask for; nothing where demand may be missed, for none need be served then."""
    return () if is_priced(problem) else tuple(_ask(problem, rates, service) for service in problem.services)


def _ask(problem: Problem, rates: Rates, service: Service) -> Ask:
    shape = (len(problem.cluster.pools), problem.grid.n_slots)
    by_demand, by_number, emitted = np.full(shape, np.inf), np.full(shape, np.inf), np.zeros(shape)
    unit = counted_share(service.shape, problem.cluster)
    number = {pool.name: idx for idx, pool in enumerate(problem.cluster.pools)}
    for pool in pools_for_service(problem.cluster, service):
        row = number[pool.name]
        for slot, least in enumerate(least_replicas_by_slot(problem, service, pool.accelerator)):
            if least is not None:
                by_demand[row, slot] = unit * _whole_demand(least)
        by_number[row] = unit * service.min_replicas
        if unit > 0:
            emitted[row] = rates.replica(service, pool) / unit
    return Ask(service, by_demand, by_number, emitted)


def _whole_demand(least: int) -> float:
    """Return the replicas that serve all demand where each takes as much as its row counts for it, in fractions."""
    return BILLION / -(-BILLION // least) if least else 0.0
