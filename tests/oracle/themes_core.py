"""Themes of the constraints that a plan has had from the first: each draws a problem in which one of them often binds."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np

from schedplan.model.cluster import Market, NodeStatus, Speed, Taint
from schedplan.model.problem import PriceSeries, Problem
from schedplan.model.quota import Quota, QuotaResource
from schedplan.model.workload import DeadlineKind, JobState, Placed, Toleration, Topology, WorkerShape
from tests.oracle.drawing import (
    HOUR_S,
    START_S,
    a_job,
    a_pool,
    a_problem,
    a_quota,
    device_pools,
    of_tenants,
    some_jobs,
    with_services,
)


def _plain(source: random.Random) -> Problem:
    return a_problem(source, device_pools(source), some_jobs(source, source.randint(3, 6)))


def _capacity(source: random.Random) -> Problem:
    """Cores, memory or a counted resource run out before the devices do."""
    pools = [replace(a_pool(source, "p0", 2, 2), resources=(("rdma", 1.0),)), a_pool(source, "p1", 1, 4)]
    jobs = []
    for idx in range(source.randint(3, 5)):
        shape = WorkerShape(
            gpus=float(source.choice((0, 1))),
            cpus=source.choice((1.5, 3.0, 5.0, 8.0)),
            memory_gib=source.choice((4.0, 12.5, 17.0, 30.0)),
            resources=source.choice(((), (), (("rdma", 1.0),), (("rdma", 0.5),))),
        )
        jobs.append(a_job(source, f"j{idx}", source.choice((1, 1, 2)), shape=shape))
    return a_problem(source, pools, jobs, n_slots=3)


def _cores_only(source: random.Random) -> Problem:
    """No node has a device: cores are what is counted."""
    pools = [
        a_pool(source, "c0", source.randint(1, 2), 0),
        replace(a_pool(source, "c1", source.randint(1, 2), 0), cpus=8.0, memory_gib=20.0),
    ]
    jobs = []
    for idx in range(source.randint(2, 4)):
        shape = WorkerShape(cpus=source.choice((1.0, 2.0, 3.0, 4.5)), memory_gib=source.choice((0.0, 4.0, 9.0)))
        jobs.append(a_job(source, f"j{idx}", source.choice((1, 2, 3)), shape=shape))
    return a_problem(source, pools, jobs, n_slots=3)


def _gang(source: random.Random) -> Problem:
    """Gangs of two and three over nodes of different sizes and two clusters, some with a limit per node."""
    pools = [a_pool(source, "p0", 2, 2), a_pool(source, "p1", 1, source.choice((1, 2))), a_pool(source, "p2", 1, 3)]
    if source.random() < 0.4:
        pools[2] = replace(pools[2], cluster="west")
    jobs = []
    for idx in range(4):
        shape = WorkerShape(
            gpus=float(source.choice((1, 1, 2))), cpus=1.0, memory_gib=2.0, max_per_node=source.choice((None, None, 1))
        )
        jobs.append(a_job(source, f"j{idx}", source.choice((2, 2, 3)), shape=shape))
    return a_problem(source, pools, jobs, n_slots=3)


def _topology(source: random.Random) -> Problem:
    """Racks, blocks and zones of one or two nodes; a node may be in none."""
    zones, racks = (
        source.choice((("z1", "z1", "z2", "z2"), ("z1", "z1", "z1", "z2"))),
        source.choice((("r1", "r1", "r2", "r2"), ("r1", "r2", "r2", None))),
    )
    pools = [
        replace(
            a_pool(source, f"p{idx}", 1, source.choice((1, 2))),
            zone=zones[idx],
            rack=racks[idx],
            block=source.choice((None, f"b{racks[idx]}")),
        )
        for idx in range(4)
    ]
    kinds = (Topology.NODE, Topology.RACK, Topology.ZONE, Topology.BLOCK, Topology.CLUSTER)
    jobs = [
        a_job(source, f"j{idx}", source.choice((1, 2, 2, 3)), topology=source.choice(kinds), shape=WorkerShape(gpus=1.0, cpus=1.0))
        for idx in range(4)
    ]
    return a_problem(source, pools, jobs, n_slots=3)


def _window(source: random.Random) -> Problem:
    """Releases, hard and soft deadlines, some inside a slot; slots of half an hour or an hour."""
    step = source.choice((30, 60))
    jobs = []
    for idx in range(source.randint(2, 4)):
        earliest = source.choice((None, START_S, START_S + step * 60, START_S + step * 60 + 600))
        deadline = source.choice((None, START_S + 2 * step * 60, START_S + 3 * step * 60, START_S + 3 * step * 60 - 600))
        kind = source.choice((DeadlineKind.HARD, DeadlineKind.SOFT))
        jobs.append(
            a_job(source, f"j{idx}", source.choice((1, 1, 2)), earliest_start_s=earliest, deadline_s=deadline, deadline_kind=kind)
        )
    return a_problem(source, device_pools(source), jobs, n_slots=4, step_minutes=step)


def _spot(source: random.Random) -> Problem:
    """Cheap nodes that may be reclaimed beside dear ones that are not; gangs that may and may not use them."""
    gpus = source.choice((1, 2))
    spot = replace(
        a_pool(source, "spot", 2, gpus, Market.SPOT),
        price_per_hour=float(gpus),
        interruptions_per_hour=source.choice((0.0, 0.01, 0.1, 0.5)),
    )
    pools = [spot, replace(a_pool(source, "steady", 2, gpus, Market.ON_DEMAND), price_per_hour=3.0 * gpus)]
    jobs = []
    for idx in range(4):
        checkpoint = source.choice((None, 30.0))
        shape = WorkerShape(gpus=float(source.randint(1, gpus)), cpus=1.0, memory_gib=2.0)
        job = a_job(
            source, f"j{idx}", source.choice((1, 2)), shape=shape, spot_ok=source.random() < 0.75, checkpoint_minutes=checkpoint
        )
        jobs.append(replace(job, runtime_minutes=float(source.choice((60, 120)))))
    return a_problem(source, pools, jobs, n_slots=source.choice((3, 4)))


def _spot_markets(source: random.Random) -> Problem:
    """Two spot pools of unlike price and reclaim rate: a gang keeps to one of them."""
    problem = _spot(source)
    other = replace(
        a_pool(source, "spot2", 1, source.choice((1, 2)), Market.SPOT),
        price_per_hour=0.5,
        interruptions_per_hour=source.choice((0.0, 0.02, 0.3)),
    )
    pools = tuple(sorted((*problem.cluster.pools, other), key=lambda pool: pool.name))
    return replace(problem, cluster=replace(problem.cluster, pools=pools))


def _service(source: random.Random) -> Problem:
    problem = a_problem(source, device_pools(source), [], n_slots=4)
    return with_services(source, problem, source.choice((1, 1, 2)))


def _service_and_jobs(source: random.Random) -> Problem:
    problem = a_problem(source, device_pools(source), some_jobs(source, source.randint(1, 4)), n_slots=4)
    return with_services(source, problem, 1)


def _service_mix(source: random.Random) -> Problem:
    """One service on two device models, one of which serves faster."""
    fast = replace(a_pool(source, "fast", source.randint(1, 2), 2), accelerator="H100", gpu_memory_gib=80.0)
    pools = [fast, a_pool(source, "slow", source.randint(1, 2), 2)]
    problem = a_problem(source, pools, some_jobs(source, source.randint(0, 3)), n_slots=3)
    speeds = (Speed("H100", "service", source.choice((1.5, 2.0, 3.0))),)
    return with_services(source, replace(problem, cluster=replace(problem.cluster, speeds=speeds)), 1)


def _budget(source: random.Random) -> Problem:
    """Money for part of the work: rented nodes, now and then over two calendar days or with a service."""
    pools = [
        a_pool(source, "p0", 2, source.choice((1, 2)), Market.ON_DEMAND),
        a_pool(source, "p1", 1, 2, source.choice((Market.ON_DEMAND, Market.OWNED))),
    ]
    problem = a_problem(source, pools, some_jobs(source, 4), n_slots=4)
    if source.random() < 0.3:
        problem = with_services(source, problem, 1)
    if source.random() < 0.3:
        problem = replace(problem, timezone=source.choice(("Etc/GMT+1", "Etc/GMT+2")))
    return replace(problem, limits=replace(problem.limits, budget_per_day=float(source.choice((0, 4, 8, 12, 20, 30)))))


def _startup(source: random.Random) -> Problem:
    """Rented nodes that take half an hour to two hours to come up, some of them warm."""
    lag = source.choice((30.0, 60.0, 90.0, 120.0))
    pools = [replace(a_pool(source, "p0", 2, source.choice((1, 2)), Market.ON_DEMAND), startup_minutes=lag)]
    pools.append(replace(a_pool(source, "p1", 1, 2), startup_minutes=source.choice((0.0, 60.0))))
    problem = a_problem(source, pools, some_jobs(source, source.randint(1, 3)), n_slots=4)
    if source.random() < 0.4:
        problem = with_services(source, problem, 1)
    if source.random() < 0.2:
        problem = replace(problem, limits=replace(problem.limits, budget_per_day=float(source.choice((10, 20, 40)))))
    return problem


def _required(source: random.Random) -> Problem:
    """Jobs that must be placed, often more than there is room for."""
    jobs = [replace(job, required=source.random() < 0.6) for job in some_jobs(source, source.randint(3, 5))]
    if source.random() < 0.5:
        jobs[0] = replace(jobs[0], deadline_s=START_S + 2 * HOUR_S)
    return a_problem(source, [a_pool(source, "p0", source.randint(1, 2), 2), a_pool(source, "p1", 1, 1)], jobs, n_slots=3)


def _speeds(source: random.Random) -> Problem:
    """Two device models, one of them faster for some kinds of work."""
    fast = replace(a_pool(source, "fast", source.randint(1, 2), 2), accelerator="H100", gpu_memory_gib=80.0)
    pools = [fast, a_pool(source, "slow", source.randint(1, 2), 2)]
    jobs = []
    for job in some_jobs(source, source.randint(2, 4)):
        models = source.choice(((), (), ("A100",), ("H100",), ("A100", "H100")))
        jobs.append(replace(job, shape=replace(job.shape, accelerators=models)))
    problem = a_problem(source, pools, jobs, n_slots=4)
    speeds = (Speed("H100", "training", source.choice((1.5, 2.0))), Speed("H100", "j0", 3.0))
    problem = replace(problem, cluster=replace(problem.cluster, speeds=speeds))
    if source.random() < 0.3:
        problem = with_services(source, problem, 1)
        one_model = replace(problem.services[0], shape=replace(problem.services[0].shape, accelerators=("A100",)))
        problem = replace(problem, services=(one_model,))
    return problem


def _markets(source: random.Random) -> Problem:
    """Owned, rented and spot nodes side by side."""
    gpus = source.choice((1, 2))
    spot = replace(a_pool(source, "spot", 1, gpus, Market.SPOT), price_per_hour=0.5 * gpus, interruptions_per_hour=0.05)
    pools = [a_pool(source, "mine", 1, gpus, Market.OWNED), a_pool(source, "rented", 2, gpus, Market.ON_DEMAND), spot]
    jobs = [replace(job, spot_ok=source.random() < 0.5, checkpoint_minutes=30.0) for job in some_jobs(source, 4)]
    jobs = [replace(job, runtime_minutes=float(source.choice((60, 120)))) for job in jobs]
    problem = a_problem(source, pools, jobs, n_slots=3)
    return with_services(source, problem, 1) if source.random() < 0.3 else problem


def _eligibility(source: random.Random) -> Problem:
    """Taints and tolerations, device memory, nodes that are cordoned or down."""
    taint = Taint("team", "a", source.choice(("NoSchedule", "NoExecute", "PreferNoSchedule")))
    pools = [
        replace(a_pool(source, "p0", source.randint(1, 2), 2), taints=(taint,)),
        replace(a_pool(source, "p1", 1, 2), gpu_memory_gib=source.choice((None, 16.0, 80.0))),
        replace(a_pool(source, "p2", 1, 2), status=source.choice((NodeStatus.READY, NodeStatus.CORDONED, NodeStatus.DOWN))),
    ]
    jobs = []
    for job in some_jobs(source, 4):
        tolerations = source.choice(((), (Toleration("team", "a"),), (Toleration("team", ""),), (Toleration("team", "b"),)))
        jobs.append(
            replace(job, shape=replace(job.shape, gpu_memory_gib=source.choice((None, 24.0, 40.0)), tolerations=tolerations))
        )
    return a_problem(source, pools, jobs, n_slots=3)


def _prices(source: random.Random) -> Problem:
    """Prices that change from slot to slot."""
    pools = [a_pool(source, "p0", 2, source.choice((1, 2)), Market.ON_DEMAND), a_pool(source, "p1", 1, 2)]
    problem = a_problem(source, pools, some_jobs(source, 4), n_slots=4)
    per_hour = np.array([float(source.choice((1, 2, 6))) for _ in range(4)])
    return replace(problem, prices=(PriceSeries("p0", per_hour),))


def _running(source: random.Random) -> Problem:
    """Jobs that already run, on nodes that may be wanted for something else."""
    gpus = source.choice((2, 3))
    pools = [a_pool(source, "p0", 2, gpus, Market.OWNED), replace(a_pool(source, "p1", 1, 2, Market.ON_DEMAND), count=1)]
    nodes = source.choice((("p0/1",), ("p0/2", "p1"), ("p0/1", "p0/2"), ("p1",)))
    jobs = [replace(job, shape=replace(job.shape, cpus=1.0, memory_gib=2.0)) for job in some_jobs(source, 5)]
    for idx, node in enumerate(nodes):
        shape = replace(jobs[idx].shape, gpus=float(source.choice((1, 2))))
        begun_s = START_S - source.choice((0, 1800, HOUR_S, 5 * HOUR_S))
        jobs[idx] = replace(
            jobs[idx],
            state=JobState.RUNNING,
            shape=shape,
            workers=1,
            placement=(Placed(node, 1),),
            submit_s=begun_s,
            start_s=begun_s,
            runtime_minutes=float(source.choice((60, 150, 180))),
        )
    return a_problem(source, pools, jobs, n_slots=4)


def _quota(source: random.Random) -> Problem:
    """Caps and priced borrowing of two tenants, on devices of one or all models, or cores; at times a service or a budget."""
    fast = replace(a_pool(source, "fast", source.randint(1, 2), 2), accelerator="H100", gpu_memory_gib=80.0)
    pools = [fast, a_pool(source, "slow", source.randint(1, 2), source.choice((1, 2)))]
    jobs = [
        replace(job, required=source.random() < 0.15) for job in of_tenants(source, some_jobs(source, source.randint(3, 4)), "ab")
    ]
    problem = a_problem(source, pools, jobs, n_slots=3)
    speeds = (Speed("H100", "training", 2.0),)
    problem = replace(problem, cluster=replace(problem.cluster, speeds=source.choice(((), speeds))))
    if source.random() < 0.3:
        problem = with_services(source, problem, 1)
        problem = replace(problem, services=tuple(replace(one, tenant="b") for one in problem.services))
    if source.random() < 0.3:
        problem = replace(problem, limits=replace(problem.limits, budget_per_day=float(source.choice((10, 20, 40)))))
    rows = [a_quota(source, "a"), a_quota(source, "b")]
    if source.random() < 0.4:
        rows.append(Quota("a", float(source.choice((2, 3))), resource=QuotaResource.CPUS, max=float(source.choice((3, 4)))))
    if source.random() < 0.4:
        rows.append(a_quota(source, "a", accelerator="H100"))
    return replace(problem, quotas=tuple(rows))


def _quota_cohort(source: random.Random) -> Problem:
    """Three tenants of one cohort, some of which lend only a part; at times a parent with a row of its own between them."""
    jobs = of_tenants(source, some_jobs(source, 4), "abc")
    problem = a_problem(source, device_pools(source), jobs, n_slots=3)
    rows = [
        replace(
            a_quota(source, tenant, parent="team"),
            lend=source.choice((None, None, 0.0, 1.0)),
            max=source.choice((None, None, 2.0 if tenant != "c" else 3.0)),
        )
        for tenant in "abc"
    ]
    rows = [row if row.max is None or row.max >= row.nominal else replace(row, nominal=row.max) for row in rows]
    if source.random() < 0.4:
        rows.append(replace(a_quota(source, "team", parent="all"), max=source.choice((None, 3.0, 4.0))))
        rows.append(Quota("d", 1.0, parent="all", lend=source.choice((None, 0.0))))
    if source.random() < 0.3:
        problem = with_services(source, problem, 1)
        problem = replace(problem, services=tuple(replace(one, tenant="c") for one in problem.services))
    return replace(problem, quotas=tuple(rows))


def _quota_running(source: random.Random) -> Problem:
    """Jobs that already run beyond a quota: they stay, and nothing is added."""
    problem = _running(source)
    jobs = tuple(of_tenants(source, list(problem.jobs), "aab"))
    parent = source.choice((None, "team"))
    rows = tuple(replace(a_quota(source, tenant, parent=parent), nominal=source.choice((0.0, 1.0, 2.0))) for tenant in "ab")
    rows = tuple(replace(row, lend=source.choice((None, 0.0)), max=source.choice((None, row.nominal))) for row in rows)
    return replace(problem, jobs=jobs, quotas=rows)


THEMES = {
    "place": _plain,
    "capacity": _capacity,
    "cores_only": _cores_only,
    "gang": _gang,
    "topology": _topology,
    "window": _window,
    "spot": _spot,
    "spot_markets": _spot_markets,
    "service": _service,
    "service_and_jobs": _service_and_jobs,
    "service_mix": _service_mix,
    "budget": _budget,
    "startup": _startup,
    "required": _required,
    "speeds": _speeds,
    "markets": _markets,
    "eligibility": _eligibility,
    "prices": _prices,
    "running": _running,
    "quota": _quota,
    "quota_cohort": _quota_cohort,
    "quota_running": _quota_running,
}
