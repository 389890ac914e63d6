"""Random parts of a small planning problem: pools, jobs, services, rows of quotas. It knows no theme and no solver."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.problem import Demand, Objective, Problem, Rates
from schedplan.model.quota import Quota
from schedplan.model.workload import Job, JobKind, Service, WorkerShape
from schedplan.timegrid import TimeGrid

START_S = int(datetime(2026, 12, 1, tzinfo=UTC).timestamp())
HOUR_S = 3600


def an_objective(source: random.Random) -> Objective:
    latency, utilization, cost = source.choice(
        ((0.5, 0.3, 0.2), (0.2, 0.2, 0.6), (0.1, 0.8, 0.1), (0.9, 0.05, 0.05), (0, 0, 1), (1, 0, 0))
    )
    rates = source.choice((Rates(), Rates(wait=0.5, tardiness=2.0)))
    return Objective(latency, utilization, cost, unplaced=source.choice((10.0, 10.0, 0.5)), rates=rates)


def a_problem(
    source: random.Random, pools: list[Pool], jobs: list[Job], n_slots: int | None = None, step_minutes: int = 60
) -> Problem:
    grid = TimeGrid.regular(START_S, step_minutes, n_slots or source.randint(3, 4))
    return Problem(
        name="",
        grid=grid,
        cluster=Cluster(tuple(sorted(pools, key=lambda pool: pool.name))),
        jobs=tuple(sorted(jobs, key=lambda job: job.name)),
    )


def device_pools(source: random.Random, n_nodes: int = 4) -> list[Pool]:
    """Return one to three pools of at most `n_nodes` nodes in all, with one, two or four devices each."""
    sizes = source.choice([[2], [3], [2, 1], [1, 1, 1], [2, 2], [1, 2, 1], [3, 1]])
    pools = [a_pool(source, f"p{idx}", count, source.choice((1, 2, 2, 4))) for idx, count in enumerate(sizes) if count]
    return pools[: n_nodes if n_nodes < len(pools) else None]


def a_pool(source: random.Random, name: str, nodes: int, gpus: int, market: Market | None = None) -> Pool:
    """Return a pool of `nodes` nodes; owned ones count as such, others are rented from none to all."""
    kind = market or source.choice((Market.OWNED, Market.OWNED, Market.ON_DEMAND, Market.ON_DEMAND, Market.RESERVED))
    least = nodes if kind.is_sunk else source.choice((0, 0, 0, min(1, nodes)))
    return Pool(
        name=name,
        count=nodes if kind.is_sunk else source.randint(least, nodes),
        min_count=least,
        max_count=nodes,
        accelerator="A100" if gpus else None,
        gpus=gpus,
        gpu_memory_gib=40.0 if gpus else None,
        cpus=float(4 * gpus or 4),
        memory_gib=float(16 * gpus or 16),
        market=kind,
        price_per_hour=float(source.choice((1, 2, 3, 5)) * max(gpus, 1)),
    )


def some_jobs(source: random.Random, count: int, **fixed: object) -> list[Job]:
    return [a_job(source, f"j{idx}", source.choice((1, 1, 2)), **fixed) for idx in range(count)]


def a_job(source: random.Random, name: str, workers: int, **fixed: object) -> Job:
    job = Job(
        name=name,
        kind=source.choice((JobKind.BATCH, JobKind.TRAINING)),
        priority=source.choice((0, 0, 5, 9)),
        submit_s=START_S + HOUR_S * source.choice((0, 0, 0, 1)),
        workers=workers,
        shape=WorkerShape(
            gpus=float(source.choice((1, 1, 2))), cpus=float(source.choice((1, 2))), memory_gib=float(source.choice((2, 4)))
        ),
        runtime_minutes=float(source.choice((30, 60, 60, 90, 120, 180))),
    )
    return replace(job, **fixed)  # type: ignore[arg-type]


def with_services(source: random.Random, problem: Problem, count: int) -> Problem:
    services = tuple(a_service(source, f"s{idx}") for idx in range(count))
    n_slots = problem.grid.n_slots
    demands = []
    for service in services:
        # one replica of two places takes about 18 requests/s at 90 % where a request takes 100 ms
        peak = np.array([float(source.choice((0, 5, 10, 20, 30))) for _ in range(n_slots)])
        demands.append(Demand(service.name, peak, peak * source.choice((0.5, 0.8, 1.0))))
    limits = replace(problem.limits, max_utilization=source.choice((0.7, 0.9)))
    return replace(problem, services=services, demands=tuple(demands), limits=limits)


def a_service(source: random.Random, name: str) -> Service:
    markets = source.choice(((Market.OWNED, Market.RESERVED, Market.ON_DEMAND),) * 3 + ((Market.ON_DEMAND,), tuple(Market)))
    return Service(
        name=name,
        slo_ms=400.0,
        service_ms=100.0,
        series=name,
        slo_quantile=source.choice((0.95, None)),
        service_cv=source.choice((0.0, 0.5, 1.0)),
        concurrency=2,
        shape=WorkerShape(gpus=1.0, cpus=1.0, memory_gib=2.0, max_per_node=source.choice((None, None, 1))),
        min_replicas=source.choice((0, 1, 1, 2)),
        max_replicas=source.choice((None, None, 3)),
        markets=markets,
    )


def a_quota(source: random.Random, tenant: str, **fixed: object) -> Quota:
    """Return a row on devices: one to three promised, perhaps a cap above that, borrowing free, cheap or dear."""
    nominal = float(source.choice((1, 1, 2, 3)))
    most = source.choice((None, nominal, nominal + 1, nominal + 2))
    return Quota(tenant, nominal, max=most, borrow_price=source.choice((0.0, 0.5, 2.0, 10.0)), **fixed)  # type: ignore[arg-type]


def of_tenants(source: random.Random, jobs: list[Job], names: str) -> list[Job]:
    return [replace(job, tenant=source.choice(names)) for job in jobs]
