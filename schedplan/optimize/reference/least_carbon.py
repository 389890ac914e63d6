"""The least that work can emit, by arithmetic and without a solver: each job and service where and when it emits least by itself.

sunk  = idle power of the nodes that are on in every slot
work  = duty of each job and service on its cleanest eligible pool and start, with its share of the idle power of nodes that are
        on for work alone
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.eligibility import pools_for_job, pools_for_service
from schedplan.measures.emissions import emission_of, replica_duty
from schedplan.measures.missed import Shares
from schedplan.measures.work import node_share
from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState, Service
from schedplan.optimize.constraints.elastic import choice_duty, choices
from schedplan.optimize.requirement import least_replicas_by_slot


def sunk_carbon(problem: Problem) -> float:
    """Return what nodes that are on in every slot emit with nothing on them, gCO2e."""
    found = ((pool, emission_of(problem, pool)) for pool in problem.cluster.pools if pool.always_on)
    return sum(pool.always_on * float(emission.idle.sum()) for pool, emission in found if emission is not None)


def least_carbon(problem: Problem, jobs: tuple[Job, ...], missed: Shares) -> float:
    """Return emissions that no plan which places `jobs` and serves the demand but for what is missed can go below, gCO2e."""
    if not problem.intensities:
        return 0.0
    per_pool = {pool.name: _full_node_g(problem, pool) for pool in problem.cluster.pools}
    work = sum(_least_job(problem, job, per_pool) for job in jobs)
    return sunk_carbon(problem) + work + sum(_least_service(problem, service, missed) for service in problem.services)


def _idle_g(problem: Problem, pool: Pool) -> NDArray[np.float64]:
    """Return the idle emissions per slot that work on a pool must bear: none where some node is on anyway, or nothing is known."""
    emission = emission_of(problem, pool)
    return np.zeros(problem.grid.n_slots) if emission is None or pool.always_on else emission.idle


def _full_node_g(problem: Problem, pool: Pool) -> NDArray[np.float64]:
    emission = emission_of(problem, pool)
    return np.zeros(problem.grid.n_slots) if emission is None else emission.duty + _idle_g(problem, pool)


def _least_job(problem: Problem, job: Job, per_pool: dict[str, NDArray[np.float64]]) -> float:
    if job.state is JobState.RUNNING:
        stands = ((problem.cluster.pool_of_node[placed.node], placed.workers) for placed in job.placement)
        return sum(workers * _least_start(problem, job, pool, per_pool) for pool, workers in stands)
    pools = pools_for_job(problem.cluster, job)
    least = min((job.workers * _least_start(problem, job, pool, per_pool) for pool in pools), default=np.inf)
    return least if least < np.inf else 0.0


def _least_start(problem: Problem, job: Job, pool: Pool, per_pool: dict[str, NDArray[np.float64]]) -> float:
    """Return the least that one worker emits on a pool over its possible starts; infinite where there is none.

    Of an elastic gang what all emit is shared by all that it asks for; idle emissions count by its busy hours alone, no more.
    """
    whole = np.concatenate(([0.0], np.cumsum(per_pool[pool.name])))
    per_worker = (
        float(whole[choice.end_edge] - whole[choice.start_slot])
        * (choice.workers / job.standing_workers * choice_duty(problem, job, pool, choice) if job.is_elastic else 1.0)
        for choice in choices(problem, job, pool)
    )
    return node_share(pool, job.shape) * min(per_worker, default=np.inf)


def _least_service(problem: Problem, service: Service, missed: Shares) -> float:
    pools = pools_for_service(problem.cluster, service)
    found = np.full(problem.grid.n_slots, np.inf)
    for pool in pools:
        emission = emission_of(problem, pool)
        duty = replica_duty(problem, service, pool.accelerator)
        for slot, needed in enumerate(least_replicas_by_slot(problem, service, pool.accelerator)):
            if needed is None:
                continue
            per_replica = 0.0 if emission is None else float(duty[slot] * emission.duty[slot] + _idle_g(problem, pool)[slot])
            found[slot] = min(found[slot], needed * node_share(pool, service.shape) * per_replica)
    served = found * (1.0 - missed[service.name]) if missed else found
    return float(served[found < np.inf].sum())
