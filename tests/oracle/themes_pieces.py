"""Themes of best-effort work: jobs that leave for services, outages and other jobs, and go on later from their checkpoints."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np

from schedplan.model.best_effort import parse_best_effort
from schedplan.model.cluster import Market, Speed
from schedplan.model.outage import Outage
from schedplan.model.problem import Demand, PriceSeries, Problem
from schedplan.model.workload import DeadlineKind, Job, WorkerShape
from tests.oracle.drawing import HOUR_S, START_S, a_job, a_pool, a_problem, a_service

EVERY = parse_best_effort("kind=batch|training")


def a_best_effort_job(source: random.Random, name: str, workers: int = 1, **fixed: object) -> Job:
    """Return a job of one or two hours and a half that writes checkpoints, with or without a price of leaving and going on."""
    job = a_job(source, name, workers, runtime_minutes=float(source.choice((90, 110, 120, 150))), checkpoint_minutes=30.0)
    return replace(
        job,
        submit_s=START_S,
        checkpoint_cost_minutes=source.choice((0.0, 0.0, 5.0)),
        restart_minutes=source.choice((0.0, 0.0, 10.0, 30.0)),
        **fixed,  # type: ignore[arg-type]
    )


def _fill(source: random.Random) -> Problem:
    """One service whose peak in a middle slot needs the devices that one or two best-effort jobs would like to keep."""
    nodes, gpus = source.choice(((1, 2), (2, 1), (2, 2), (3, 1)))
    pools = [a_pool(source, "p", nodes, gpus)]
    jobs = [a_best_effort_job(source, f"j{idx}", shape=WorkerShape(gpus=1.0)) for idx in range(source.choice((1, 1, 2)))]
    problem = a_problem(source, pools, jobs, n_slots=4)
    service = replace(a_service(source, "s"), min_replicas=source.choice((0, 1)), max_replicas=None, markets=tuple(Market))
    peak = np.array([float(source.choice(choice)) for choice in ((0, 10), (10, 25), (20, 25), (0, 10))])
    limits = replace(problem.limits, max_utilization=0.9)
    return replace(problem, services=(service,), demands=(Demand("s", peak, 0.8 * peak),), limits=limits, best_effort=(EVERY,))


def _pieces(source: random.Random) -> Problem:
    """Gangs and single workers around outages, on nodes of two speeds, with deadlines hard and soft, some not preemptible."""
    pools = [a_pool(source, "p", source.choice((1, 2)), 1), replace(a_pool(source, "q", 1, 2), accelerator="H100")]
    jobs = []
    for idx in range(source.choice((1, 2))):
        job = a_best_effort_job(source, f"j{idx}", source.choice((1, 1, 2)), shape=WorkerShape(gpus=1.0))
        deadline_s = source.choice((None, START_S + 3 * HOUR_S, START_S + 4 * HOUR_S))
        kind = source.choice((DeadlineKind.HARD, DeadlineKind.SOFT))
        jobs.append(
            replace(
                job, preemptible=source.random() < 0.9, deadline_s=deadline_s, deadline_kind=kind, required=source.random() < 0.2
            )
        )
    problem = a_problem(source, pools, jobs, n_slots=4)
    speeds = source.choice(((), (Speed("H100", "batch", 2.0), Speed("H100", "training", 1.5))))
    outages = tuple(
        Outage(source.choice(problem.cluster.nodes), START_S + slot * HOUR_S, START_S + (slot + 1) * HOUR_S)
        for slot in source.sample((0, 1, 2), source.choice((1, 2)))
    )
    return replace(problem, cluster=replace(problem.cluster, speeds=speeds), outages=outages, best_effort=(EVERY,))


def _cheap_hours(source: random.Random) -> Problem:
    """Rented nodes whose price changes from slot to slot: a job may leave while they are dear."""
    pools = [a_pool(source, "p", 2, 1, Market.ON_DEMAND)]
    jobs = [a_best_effort_job(source, f"j{idx}", shape=WorkerShape(gpus=1.0)) for idx in range(2)]
    problem = a_problem(source, pools, jobs, n_slots=4)
    prices = np.array([float(source.choice((1, 9))) for _ in range(4)])
    return replace(problem, prices=(PriceSeries("p", prices),), best_effort=(EVERY,))


THEMES = {"fill": _fill, "pieces": _pieces, "cheap_hours": _cheap_hours}
