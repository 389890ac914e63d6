"""Grafts of the constraints that a plan has had from the first: each puts one of them into a problem drawn for another.

A graft returns None where the problem has the constraint already or can't have it. It keeps the problem small enough to try
everything: it adds no job and no node, and at most one service.
"""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np

from schedplan.measures.work import run_minutes
from schedplan.model.cluster import Market, NodeStatus, Pool, Speed, Taint
from schedplan.model.problem import PriceSeries, Problem
from schedplan.model.quota import Quota
from schedplan.model.workload import DeadlineKind, Job, JobState, Placed, Toleration, Topology
from tests.oracle.drawing import HOUR_S, START_S, a_quota, of_tenants, with_services


def _capacity(source: random.Random, problem: Problem) -> Problem | None:
    """A counted resource of which the first pool has one per node, asked for by some jobs."""
    if any(pool.resources for pool in problem.cluster.pools):
        return None
    first, *others = problem.cluster.pools
    jobs = [
        replace(job, shape=replace(job.shape, resources=(("rdma", source.choice((0.5, 1.0))),)))
        if job.state is JobState.PENDING and source.random() < 0.4
        else job
        for job in problem.jobs
    ]
    return _with_pools(replace(problem, jobs=tuple(jobs)), [replace(first, resources=(("rdma", 1.0),)), *others])


def _gang(source: random.Random, problem: Problem) -> Problem | None:
    """Two or three workers where there was one, some with a limit per node."""
    jobs = []
    for job in problem.jobs:
        if job.workers == 1 and job.state is JobState.PENDING and source.random() < 0.6:
            shape = replace(job.shape, max_per_node=source.choice((None, 1, 2)))
            jobs.append(replace(job, workers=source.choice((2, 2, 3)), shape=shape))
        else:
            jobs.append(job)
    return _changed(problem, jobs)


def _topology(source: random.Random, problem: Problem) -> Problem | None:
    """Zones and racks of pools, and jobs that keep to one of them."""
    if any(pool.rack or pool.zone for pool in problem.cluster.pools) or not problem.jobs:
        return None
    pools = [
        replace(pool, zone=source.choice(("z1", "z1", "z2")), rack=source.choice(("r1", "r2", None)))
        for pool in problem.cluster.pools
    ]
    jobs = [
        job
        if job.state is JobState.RUNNING
        else replace(job, topology=source.choice((Topology.CLUSTER, Topology.NODE, Topology.RACK, Topology.ZONE)))
        for job in problem.jobs
    ]
    return _with_pools(replace(problem, jobs=tuple(jobs)), pools)


def _window(source: random.Random, problem: Problem) -> Problem | None:
    """Earliest starts and deadlines, hard and soft, on and beside the edges of slots."""
    step_s = problem.grid.edges_s[1] - problem.grid.edges_s[0]
    jobs = []
    for job in problem.jobs:
        if job.state is JobState.RUNNING or job.deadline_s is not None or source.random() < 0.3:
            jobs.append(job)
            continue
        jobs.append(
            replace(
                job,
                earliest_start_s=source.choice((None, None, START_S + step_s, START_S + step_s + 600)),
                deadline_s=START_S + source.choice((2, 3)) * step_s + source.choice((0, 0, -600)),
                deadline_kind=source.choice((DeadlineKind.HARD, DeadlineKind.SOFT)),
            )
        )
    return _changed(problem, jobs)


def _spot(source: random.Random, problem: Problem) -> Problem | None:
    """A rented pool becomes a spot pool, which some jobs may use."""
    rented = [pool for pool in problem.cluster.pools if pool.market is Market.ON_DEMAND]
    if not rented or not problem.jobs:
        return None
    chosen = source.choice(rented)
    spot = replace(chosen, market=Market.SPOT, interruptions_per_hour=source.choice((0.0, 0.05, 0.5)))
    jobs = [
        replace(job, spot_ok=source.random() < 0.7, checkpoint_minutes=source.choice((None, 30.0)))
        if job.state is JobState.PENDING
        else job
        for job in problem.jobs
    ]
    if any(placed.node in chosen.node_names() for job in jobs for placed in job.placement):
        return None
    pools = [spot if pool is chosen else pool for pool in problem.cluster.pools]
    return _with_pools(replace(problem, jobs=tuple(jobs)), pools)


def _service(source: random.Random, problem: Problem) -> Problem | None:
    """A service beside the jobs."""
    if problem.services or not problem.cluster.has_devices:
        return None
    return with_services(source, problem, 1)


def _budget(source: random.Random, problem: Problem) -> Problem | None:
    """Money for part of what may be rented; now and then the day changes within the horizon."""
    if problem.limits.budget_per_day is not None:
        return None
    sunk = sum(pool.always_on * float(problem.price_per_h(pool) @ problem.grid.hours) for pool in problem.cluster.pools)
    budget = sunk + source.choice((0, 4, 8, 16))
    zone = source.choice(("UTC", "UTC", "Etc/GMT+1"))
    return replace(problem, timezone=zone, limits=replace(problem.limits, budget_per_day=float(budget)))


def _startup(source: random.Random, problem: Problem) -> Problem | None:
    """Rented nodes take half an hour to an hour and a half to come up."""
    if not any(not pool.market.is_sunk and pool.startup_minutes == 0 for pool in problem.cluster.pools):
        return None
    lag = source.choice((30.0, 60.0, 90.0))
    return _with_pools(
        problem, [pool if pool.market.is_sunk else replace(pool, startup_minutes=lag) for pool in problem.cluster.pools]
    )


def _required(source: random.Random, problem: Problem) -> Problem | None:
    """Some jobs must be placed."""
    return _changed(
        problem,
        [replace(job, required=True) if job.state is JobState.PENDING and source.random() < 0.4 else job for job in problem.jobs],
    )


def _speeds(source: random.Random, problem: Problem) -> Problem | None:
    """The devices of one pool are of another model, on which some work runs faster; some jobs want one model."""
    if problem.cluster.speeds or len(problem.cluster.pools) < 2 or not problem.cluster.has_devices:
        return None
    chosen = source.choice([pool for pool in problem.cluster.pools if pool.gpus])
    pools = [replace(pool, accelerator="H100") if pool is chosen else pool for pool in problem.cluster.pools]
    jobs = [
        replace(job, shape=replace(job.shape, accelerators=source.choice(((), (), ("A100",), ("H100",)))))
        if job.state is JobState.PENDING
        else job
        for job in problem.jobs
    ]
    speeds = (Speed("H100", "training", 2.0), Speed("H100", "service", 1.5))
    changed = _with_pools(replace(problem, jobs=tuple(jobs)), pools)
    return replace(changed, cluster=replace(changed.cluster, speeds=speeds))


def _eligibility(source: random.Random, problem: Problem) -> Problem | None:
    """One pool is tainted or takes nothing new; some work tolerates the taint."""
    chosen = source.choice(problem.cluster.pools)
    if chosen.taints or chosen.status is not NodeStatus.READY:
        return None
    if any(placed.node in chosen.node_names() for job in problem.jobs for placed in job.placement):
        return None
    if source.random() < 0.2:
        changed = replace(chosen, status=source.choice((NodeStatus.CORDONED, NodeStatus.DOWN)))
    else:
        changed = replace(chosen, taints=(Taint("team", "a", source.choice(("NoSchedule", "NoExecute", "PreferNoSchedule"))),))
    tolerations = ((), (Toleration("team", "a"),), (Toleration("team", ""),), (Toleration("team", "b"),))
    jobs = [replace(job, shape=replace(job.shape, tolerations=source.choice(tolerations))) for job in problem.jobs]
    pools = [changed if pool is chosen else pool for pool in problem.cluster.pools]
    return _with_pools(replace(problem, jobs=tuple(jobs)), pools)


def _prices(source: random.Random, problem: Problem) -> Problem | None:
    """The price of a pool changes from slot to slot."""
    if problem.prices:
        return None
    per_hour = np.array([float(source.choice((1, 2, 6))) for _ in range(problem.grid.n_slots)])
    return replace(problem, prices=(PriceSeries(source.choice(problem.cluster.pools).name, per_hour),))


def _running(source: random.Random, problem: Problem) -> Problem | None:
    """One job of one worker already runs, on a node that is there when the plan begins."""
    if any(job.state is JobState.RUNNING for job in problem.jobs):
        return None
    able = [
        (job, node)
        for job in problem.jobs
        if job.workers == 1 and job.deadline_s is None and not job.required
        for pool in problem.cluster.pools
        for node in pool.node_names()[: min(pool.count, pool.nodes)]
        if _holds(pool, job)
    ]
    if not able:
        return None
    job, node = source.choice(able)
    left_minutes = (problem.grid.end_s - problem.grid.start_s) / 60
    begun_s = START_S - source.choice((0, 1800, HOUR_S))
    runs = replace(
        job,
        state=JobState.RUNNING,
        placement=(Placed(node, 1),),
        submit_s=begun_s,
        start_s=begun_s,
        earliest_start_s=None,
        topology=Topology.CLUSTER,
        runtime_minutes=min(float(source.choice((60, 150))), left_minutes),
    )
    ends_in_time = run_minutes(problem, runs, problem.cluster.pool_of_node[node]) <= left_minutes
    return replace(problem, jobs=tuple(runs if other is job else other for other in problem.jobs)) if ends_in_time else None


def _holds(pool: Pool, job: Job) -> bool:
    shape = job.shape
    asked = dict(shape.resources)
    return (
        pool.market.is_sunk
        and not pool.taints
        and shape.slice_profile is None
        and (not shape.accelerators or pool.accelerator in shape.accelerators)
        and (shape.gpu_memory_gib is None or pool.gpu_memory_gib is None or shape.gpu_memory_gib <= pool.gpu_memory_gib)
        and shape.gpus <= pool.gpus
        and shape.cpus <= (pool.cpus or 0)
        and shape.memory_gib <= (pool.memory_gib or 0)
        and all(dict(pool.resources).get(name, 0.0) >= amount for name, amount in asked.items())
    )


def _quota(source: random.Random, problem: Problem) -> Problem | None:
    """Two tenants with a cap or priced borrowing each, at times in one cohort."""
    if problem.quotas or not problem.cluster.has_devices:
        return None
    parent = source.choice((None, None, "team"))
    rows: list[Quota] = [replace(a_quota(source, tenant), parent=parent) for tenant in "ab"]
    jobs = of_tenants(source, list(problem.jobs), "ab")
    services = tuple(replace(service, tenant="b") for service in problem.services)
    return replace(problem, jobs=tuple(jobs), services=services, quotas=tuple(rows))


def _changed(problem: Problem, jobs: list[Job]) -> Problem | None:
    return None if tuple(jobs) == problem.jobs else replace(problem, jobs=tuple(jobs))


def _with_pools(problem: Problem, pools: list[Pool]) -> Problem:
    return replace(problem, cluster=replace(problem.cluster, pools=tuple(pools)))


GRAFTS = {
    "capacity": _capacity,
    "gang": _gang,
    "topology": _topology,
    "window": _window,
    "spot": _spot,
    "service": _service,
    "budget": _budget,
    "startup": _startup,
    "required": _required,
    "speeds": _speeds,
    "eligibility": _eligibility,
    "prices": _prices,
    "running": _running,
    "quota": _quota,
}
