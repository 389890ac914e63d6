"""Themes of single devices: profiles at legal starts, shares of devices, gangs inside one device group, and their mixes."""

from __future__ import annotations

import random
from dataclasses import replace

from schedplan.model.cluster import Market, Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState, Placed, Topology, WorkerShape
from tests.oracle.devices import A30_24, A100_40
from tests.oracle.drawing import HOUR_S, START_S, a_job, a_pool, a_problem, with_services


def _sliced(source: random.Random, name: str, nodes: int, gpus: int) -> Pool:
    """Return A100 nodes of 40 GB devices in seven slices, now and then A30 nodes of four."""
    pool = replace(a_pool(source, name, nodes, gpus), cpus=32.0, memory_gib=256.0)
    if source.random() < 0.2:
        return replace(pool, accelerator="A30", gpu_memory_gib=24.0, slices_per_gpu=4)
    return replace(pool, slices_per_gpu=7)


def _profiled(source: random.Random, name: str, *names: str, **fixed: object) -> Job:
    profile = source.choice(names)
    known = A100_40.get(profile) or A30_24[profile]
    share = known[0] / (7 if profile in A100_40 else 4)
    shape = WorkerShape(gpus=share, cpus=1.0, memory_gib=2.0, slice_profile=profile)
    return a_job(source, name, source.choice((1, 1, 1, 2)), shape=shape, **fixed)


def _slices(source: random.Random) -> Problem:
    """Four to six jobs of a few profiles on one or two devices: the sums often fit where the starts do not."""
    large = source.random() < 0.6
    pools = [_sliced(source, "p0", 1, 1)]
    if source.random() < 0.4:
        pools.append(_sliced(source, "p1", 1, source.choice((1, 2))))
    wanted = ("3g.20gb", "2g.10gb", "4g.20gb", "3g.20gb", "7g.40gb") if large else ("1g.5gb", "1g.10gb", "2g.10gb", "3g.20gb")
    if any(pool.accelerator == "A30" for pool in pools):
        wanted = (*wanted[:3], "1g.6gb", "2g.12gb", "4g.24gb")
    jobs = [_profiled(source, f"j{idx}", *wanted, required=source.random() < 0.1) for idx in range(source.randint(4, 5))]
    return a_problem(source, pools, jobs, n_slots=source.choice((3, 4)))


def _slices_held(source: random.Random) -> Problem:
    """What runs already, and long runs of small profiles that leave no start for a large one."""
    pools = [replace(_sliced(source, "p0", 1, 1), market=Market.OWNED, count=1, min_count=1, max_count=1)]
    is_a30 = pools[0].accelerator == "A30"
    small, large = (("1g.6gb", "2g.12gb"), ("2g.12gb", "4g.24gb")) if is_a30 else (("1g.10gb", "2g.10gb"), ("3g.20gb", "4g.20gb"))
    jobs = [_profiled(source, f"j{idx}", *(small if idx < 3 else large)) for idx in range(5)]
    begun_s = START_S - HOUR_S
    jobs[0] = replace(
        jobs[0],
        workers=1,
        state=JobState.RUNNING,
        placement=(Placed("p0", 1),),
        submit_s=begun_s,
        start_s=begun_s,
        runtime_minutes=float(source.choice((120, 180, 240))),
    )
    return a_problem(source, pools, jobs, n_slots=4)


def _slices_and_others(source: random.Random) -> Problem:
    """Profiles beside shares without a profile and whole devices, at times a service."""
    pools = [replace(_sliced(source, "p0", 1, source.choice((1, 2))), accelerator="A100", gpu_memory_gib=40.0, slices_per_gpu=7)]
    jobs = [_profiled(source, f"j{idx}", "1g.10gb", "2g.10gb", "3g.20gb") for idx in range(source.randint(2, 3))]
    for idx in range(2):
        shape = WorkerShape(gpus=source.choice((1.0, 3 / 7, 2 / 7, 0.5)), cpus=1.0, memory_gib=2.0)
        jobs.append(a_job(source, f"k{idx}", 1, shape=shape))
    problem = a_problem(source, pools, jobs, n_slots=3)
    if source.random() < 0.3:
        problem = with_services(source, problem, 1)
        if source.random() < 0.5:
            shape = replace(problem.services[0].shape, gpus=1 / 7, slice_profile="1g.5gb")
            service = replace(
                problem.services[0], shape=shape, max_replicas=2, min_replicas=min(problem.services[0].min_replicas, 2)
            )
            problem = replace(problem, services=(service,))
    return problem


def _shares(source: random.Random) -> Problem:
    """Shares of devices over time, beside whole ones: each keeps to one device."""
    pools = [replace(a_pool(source, "p0", 1, 2), slices_per_gpu=source.choice((4, 10)), cpus=32.0, memory_gib=64.0)]
    if source.random() < 0.4:
        pools.append(replace(a_pool(source, "p1", 1, 1), slices_per_gpu=source.choice((1, 4, 10)), cpus=32.0))
    jobs = []
    for idx in range(source.randint(4, 5)):
        shape = WorkerShape(gpus=source.choice((0.25, 0.5, 0.4, 0.6, 0.7, 1.0)), cpus=1.0, memory_gib=1.0)
        jobs.append(a_job(source, f"j{idx}", source.choice((1, 1, 2)), shape=shape))
    return a_problem(source, pools, jobs, n_slots=3)


def _device_group(source: random.Random) -> Problem:
    """Gangs of two or three devices on a node of two groups, beside work that may stand across both."""
    gpus, groups = source.choice(((4, 2), (4, 2), (6, 2), (6, 3)))
    pools = [replace(a_pool(source, "p0", 1, gpus), device_groups=groups, cpus=32.0, memory_gib=64.0)]
    if source.random() < 0.4:
        pools.append(a_pool(source, "p1", 1, 2))
    jobs = []
    for idx in range(source.randint(4, 5)):
        is_bound = source.random() < 0.6
        shape = WorkerShape(gpus=float(source.choice((1, 1, 2))), cpus=1.0, memory_gib=1.0)
        job = a_job(source, f"j{idx}", source.choice((1, 2, 2, 3)), shape=shape, required=source.random() < 0.1)
        jobs.append(replace(job, topology=Topology.DEVICE_GROUP if is_bound else source.choice((Topology.CLUSTER, Topology.NODE))))
    problem = a_problem(source, pools, jobs, n_slots=3)
    return with_services(source, problem, 1) if source.random() < 0.2 else problem


THEMES = {
    "slices": _slices,
    "slices_held": _slices_held,
    "slices_and_others": _slices_and_others,
    "shares": _shares,
    "device_group": _device_group,
}
