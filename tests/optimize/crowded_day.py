"""A day of 100 nodes and 1,000 jobs, the same each time, that is feasible until one thing is spoilt. It knows no plan."""

from __future__ import annotations

import random
from dataclasses import replace
from math import cos, pi

import numpy as np

from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.problem import Demand, Problem
from schedplan.model.quota import Quota
from schedplan.model.workload import Job, Service, WorkerShape
from schedplan.timegrid import TimeGrid

NODES, JOBS, SLOTS, REQUIRED, SERVICES = 100, 1_000, 24, 100, 5
HOUR_S = 3_600


def crowded_day() -> Problem:
    """Return 60 owned, 20 rented and 20 spot nodes of 8 devices; every tenth job is required, five services need rented nodes."""
    source = random.Random(100_1000)
    pools = (
        Pool("mine", 60, 60, 60, accelerator="A100", gpus=8, price_per_hour=12.0),
        Pool("rented", 20, 0, 20, accelerator="A100", gpus=8, market=Market.ON_DEMAND, price_per_hour=30.0),
        Pool("spot", 20, 0, 20, accelerator="A100", gpus=8, market=Market.SPOT, price_per_hour=10.0, interruptions_per_hour=0.02),
    )
    jobs = tuple(_job(source, number) for number in range(JOBS))
    services = tuple(_service(number) for number in range(SERVICES))
    wave = np.array([180.0 - 120.0 * cos(2 * pi * (hour - 4) / 24) for hour in range(SLOTS)])
    return Problem(
        name="crowded-day",
        grid=TimeGrid.regular(0, 60, SLOTS),
        cluster=Cluster(pools),
        jobs=jobs,
        services=services,
        demands=tuple(Demand(service.name, wave, wave) for service in services),
        quotas=(Quota("research", nominal=160.0, max=160.0),),
    )


def _job(source: random.Random, number: int) -> Job:
    workers, gpus = source.choice(((1, 1), (1, 2), (1, 4), (2, 4), (2, 8), (4, 2)))
    is_required = number % (JOBS // REQUIRED) == 0
    return Job(
        f"job-{number:04}",
        tenant="research" if number % 7 == 0 else "default",
        priority=source.choice((0, 0, 0, 5)),
        required=is_required,
        submit_s=HOUR_S * source.randrange(18),
        workers=workers,
        shape=WorkerShape(gpus=float(gpus)),
        runtime_minutes=float(source.choice((60, 120, 180, 240))),
        spot_ok=source.random() < 0.3,
        checkpoint_minutes=30.0,
    )


def _service(number: int) -> Service:
    return Service(
        f"service-{number}", 400.0, 100.0, service_cv=0.5, concurrency=8, shape=WorkerShape(gpus=1.0), markets=(Market.ON_DEMAND,)
    )


def too_much_load() -> Problem:
    """Return the day with a service whose peak asks for more than the 160 rented devices."""
    day = crowded_day()
    peak_rps = day.demands[0].peak_rps * 60
    return replace(day, demands=(Demand("service-0", peak_rps, peak_rps), *day.demands[1:]))


def too_wide_a_gang() -> Problem:
    """Return the day with a required gang of 61 nodes, one more than any market has."""
    return _with(
        replace(crowded_day().job_by_name["job-0000"], name="wide", tenant="default", workers=61, shape=WorkerShape(gpus=8.0))
    )


def too_short_a_window() -> Problem:
    """Return the day with a required job of four hours and a deadline a minute before they are over."""
    return _with(Job("late", required=True, shape=WorkerShape(gpus=1.0), runtime_minutes=240.0, deadline_s=4 * HOUR_S - 60))


def too_small_a_quota() -> Problem:
    """Return the day with two required jobs of one tenant at one time, 16 devices in all, and a quota of 15."""
    shape = WorkerShape(gpus=8.0)
    pair = tuple(
        Job(name, tenant="ranking", required=True, shape=shape, runtime_minutes=240.0, deadline_s=4 * HOUR_S) for name in ("p", "q")
    )
    day = _with(*pair)
    return replace(day, quotas=(Quota("ranking", nominal=15.0, max=15.0), *day.quotas))


def _with(*more: Job) -> Problem:
    day = crowded_day()
    return replace(day, jobs=tuple(sorted((*day.jobs, *more), key=lambda job: job.name)))
