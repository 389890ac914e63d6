"""Themes of jobs that wait for others, gangs of unlike rows, and gangs that may have fewer workers."""

from __future__ import annotations

import random
from dataclasses import replace

from schedplan.model.cluster import Market, Speed
from schedplan.model.problem import Problem
from schedplan.model.workload import DeadlineKind, Job, JobState, Placed, Topology, WorkerShape
from tests.oracle.drawing import HOUR_S, START_S, a_job, a_pool, a_problem, device_pools, some_jobs, with_services


def _after(source: random.Random) -> Problem:
    """Chains and forks, some to a deadline or required; names of the past; at times one that runs already."""
    jobs = some_jobs(source, source.randint(3, 5))
    jobs = [replace(job, runtime_minutes=float(source.choice((30, 60, 60, 120)))) for job in jobs]
    jobs = in_sequence(source, jobs)
    if source.random() < 0.3:
        idx = source.randrange(1, len(jobs))
        kind = source.choice((DeadlineKind.HARD, DeadlineKind.SOFT))
        jobs[idx] = replace(jobs[idx], deadline_s=START_S + source.choice((2, 3)) * HOUR_S, deadline_kind=kind)
    if source.random() < 0.3:
        idx = source.randrange(len(jobs))
        jobs[idx] = replace(jobs[idx], required=True)
    pools = device_pools(source)
    if source.random() < 0.25:
        pools[0] = replace(pools[0], count=pools[0].max_count)
        node = pools[0].node_names()[0]
        begun_s = START_S - source.choice((0, 1800, HOUR_S))
        jobs[0] = replace(
            jobs[0],
            state=JobState.RUNNING,
            workers=1,
            shape=WorkerShape(gpus=1.0, cpus=1.0, memory_gib=2.0),
            placement=(Placed(node, 1),),
            submit_s=begun_s,
            start_s=begun_s,
            runtime_minutes=float(source.choice((60, 150))),
            after=(),
        )
    return a_problem(source, pools, jobs, n_slots=4)


def in_sequence(source: random.Random, jobs: list[Job]) -> list[Job]:
    """Let each job but the first wait for none, one or two of those before it, or for one of long ago."""
    found = list(jobs[:1])
    for idx, job in enumerate(jobs[1:], start=1):
        names = [other.name for other in source.sample(jobs[:idx], min(idx, source.choice((0, 1, 1, 2))))]
        found.append(replace(job, after=(*names, *source.choice(((), (), ("of old",))))))
    return found


def _gang_rows(source: random.Random) -> Problem:
    """Two or three rows of unlike shape, length, site and market that start together, beside jobs of their own."""
    pools = [a_pool(source, "p0", 2, source.choice((1, 2))), a_pool(source, "p1", 1, source.choice((1, 2)))]
    if source.random() < 0.5:
        pools.append(replace(a_pool(source, "cpu", 1, 0), cpus=4.0))
    if source.random() < 0.3:
        pools[1] = replace(pools[1], market=Market.SPOT, min_count=0, interruptions_per_hour=source.choice((0.0, 0.1)))
    rows = [
        replace(
            a_job(source, f"g{idx}", source.choice((1, 1, 2)), gang="g"),
            shape=WorkerShape(gpus=float(source.choice((0, 1, 1, 2))), cpus=source.choice((1.0, 2.0)), memory_gib=2.0),
            topology=source.choice((Topology.CLUSTER, Topology.CLUSTER, Topology.NODE)),
            spot_ok=source.random() < 0.5,
            required=source.random() < 0.1,
            deadline_s=source.choice((None, None, None, START_S + 3 * HOUR_S)),
        )
        for idx in range(source.choice((2, 2, 3)))
    ]
    others = some_jobs(source, source.randint(1, 5 - len(rows)))
    if source.random() < 0.3:
        others = [replace(job, gang="h") for job in others[:2]] + others[2:]
    return a_problem(source, pools, [*rows, *others], n_slots=3)


def _gangs_in_sequence(source: random.Random) -> Problem:
    """Rows of a gang that wait for other jobs, and jobs that wait for one row of it; at times a service or a budget."""
    jobs = [replace(job, runtime_minutes=float(source.choice((30, 60, 60, 90)))) for job in some_jobs(source, 4)]
    waiting = source.choice((("j0",), ("j0",), ()))
    row, other = source.sample((1, 2), 2)
    jobs[row] = replace(jobs[row], gang="g", after=waiting)
    jobs[other] = replace(jobs[other], gang="g")
    jobs[3] = replace(jobs[3], after=(f"j{source.choice((1, 2))}",))
    problem = a_problem(source, device_pools(source), jobs, n_slots=4)
    if source.random() < 0.25:
        problem = with_services(source, problem, 1)
    if source.random() < 0.25:
        problem = replace(problem, limits=replace(problem.limits, budget_per_day=float(source.choice((8, 20, 40)))))
    return problem


def elastic(source: random.Random, job: Job) -> Job:
    """Let a gang of two to four run with fewer workers."""
    workers = source.choice((2, 3, 4))
    minutes = float(source.choice((30, 45, 60, 90, 100)))
    return replace(job, workers=workers, min_workers=source.randint(1, workers), runtime_minutes=minutes)


def _elastic(source: random.Random) -> Problem:
    """Gangs that may have fewer workers, on nodes of one or two sizes and models, to deadlines, inside one node or rack."""
    pools = [a_pool(source, "p0", 2, source.choice((1, 2))), a_pool(source, "p1", 1, source.choice((1, 2, 3)))]
    if source.random() < 0.3:
        pools[1] = replace(pools[1], accelerator="H100")
    speeds = (Speed("H100", "training", 1.5),)
    jobs = []
    for job in some_jobs(source, source.choice((2, 3))):
        shape = WorkerShape(gpus=1.0, cpus=1.0, memory_gib=2.0, max_per_node=source.choice((None, None, 1)))
        jobs.append(
            replace(
                elastic(source, job),
                shape=shape,
                topology=source.choice((Topology.CLUSTER, Topology.CLUSTER, Topology.NODE)),
                deadline_s=source.choice((None, None, START_S + 2 * HOUR_S, START_S + 3 * HOUR_S)),
                deadline_kind=source.choice((DeadlineKind.HARD, DeadlineKind.SOFT)),
                required=source.random() < 0.1,
            )
        )
    if source.random() < 0.2:
        begun_s = START_S - source.choice((0, 1800, HOUR_S))
        pools[0] = replace(pools[0], count=pools[0].max_count)
        placement = (Placed("p0/1", 1),)
        jobs[0] = replace(jobs[0], state=JobState.RUNNING, placement=placement, min_workers=1, submit_s=begun_s, start_s=begun_s)
        # 45 min of four workers are 180 min of one, which end within the horizon
        jobs[0] = replace(jobs[0], topology=Topology.CLUSTER, deadline_s=None, runtime_minutes=source.choice((30.0, 45.0)))
    problem = a_problem(source, pools, jobs, n_slots=source.choice((3, 4)))
    return replace(problem, cluster=replace(problem.cluster, speeds=source.choice(((), speeds))))


def _elastic_spot(source: random.Random) -> Problem:
    """Elastic gangs on nodes that may be taken back: fewer workers hold fewer nodes, and for longer."""
    gpus = source.choice((1, 2))
    spot = replace(a_pool(source, "spot", 3, gpus, Market.SPOT), price_per_hour=float(gpus), min_count=0)
    spot = replace(spot, interruptions_per_hour=source.choice((0.0, 0.02, 0.2, 0.5)))
    pools = [spot, replace(a_pool(source, "steady", 1, gpus, Market.ON_DEMAND), price_per_hour=3.0 * gpus)]
    jobs = []
    for job in some_jobs(source, 2):
        checkpoint = source.choice((None, None, 30.0))
        shape = WorkerShape(gpus=1.0, cpus=1.0, memory_gib=2.0)
        jobs.append(replace(elastic(source, job), shape=shape, spot_ok=True, checkpoint_minutes=checkpoint))
    problem = a_problem(source, pools, jobs, n_slots=source.choice((3, 4)))
    if source.random() < 0.3:
        problem = replace(problem, limits=replace(problem.limits, budget_per_day=float(source.choice((3, 6, 10)))))
    return problem


THEMES = {
    "after": _after,
    "gang_rows": _gang_rows,
    "gangs_in_sequence": _gangs_in_sequence,
    "elastic": _elastic,
    "elastic_spot": _elastic_spot,
}
