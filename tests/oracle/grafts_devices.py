"""Grafts of single devices and of spot with deadlines: profiles, device groups, a least chance of ending in time."""

from __future__ import annotations

import random
from dataclasses import replace

from schedplan.model.cluster import Market
from schedplan.model.problem import Problem
from schedplan.model.workload import DeadlineKind, JobState, Topology
from tests.oracle.devices import A100_40, is_of_devices
from tests.oracle.drawing import HOUR_S, START_S

MOST_PROFILES = 2
"""Jobs with a profile: the ways to place them multiply."""


def _slices(source: random.Random, problem: Problem) -> Problem | None:
    """A100 nodes in seven slices, and profiles for some of the work that asked for one device."""
    if is_of_devices(problem) or not any(pool.accelerator == "A100" for pool in problem.cluster.pools):
        return None
    pools = [replace(pool, slices_per_gpu=7) if pool.accelerator == "A100" else pool for pool in problem.cluster.pools]
    jobs = []
    for job in problem.jobs:
        is_able = job.state is JobState.PENDING and job.shape.gpus == 1 and job.shape.cpus > 0 and source.random() < 0.6
        is_able = is_able and sum(one.shape.slice_profile is not None for one in jobs) < MOST_PROFILES
        profile = source.choice(("2g.10gb", "3g.20gb", "4g.20gb"))
        shape = replace(job.shape, gpus=A100_40[profile][0] / 7, slice_profile=profile)
        jobs.append(replace(job, shape=shape) if is_able else job)
    if tuple(jobs) == problem.jobs:
        return None
    return replace(problem, jobs=tuple(jobs), cluster=replace(problem.cluster, pools=tuple(pools)))


def _device_group(source: random.Random, problem: Problem) -> Problem | None:
    """Two groups of devices on nodes of four, and gangs that keep to one of them."""
    if is_of_devices(problem) or not any(pool.gpus == 4 for pool in problem.cluster.pools):
        return None
    pools = [replace(pool, device_groups=2) if pool.gpus == 4 else pool for pool in problem.cluster.pools]
    jobs = [
        replace(job, topology=Topology.DEVICE_GROUP) if job.state is JobState.PENDING and source.random() < 0.6 else job
        for job in problem.jobs
    ]
    return replace(problem, jobs=tuple(jobs), cluster=replace(problem.cluster, pools=tuple(pools)))


def _min_on_time(source: random.Random, problem: Problem) -> Problem | None:
    """Hard deadlines for what may run on spot, and a chance of keeping them that is asked for."""
    if problem.limits.min_on_time or not any(pool.market is Market.SPOT for pool in problem.cluster.pools):
        return None
    jobs = [
        replace(
            job,
            deadline_s=START_S + source.choice((2, 3, 4)) * HOUR_S,
            deadline_kind=DeadlineKind.HARD,
            restart_minutes=source.choice((0.0, 3.0)),
        )
        if job.state is JobState.PENDING and job.spot_ok and job.deadline_s is None
        else job
        for job in problem.jobs
    ]
    limits = replace(problem.limits, min_on_time=source.choice((0.6, 0.8, 0.9, 0.95)))
    return replace(problem, jobs=tuple(jobs), limits=limits)


GRAFTS = {"slices": _slices, "device_group": _device_group, "min_on_time": _min_on_time}
