"""Themes of spot with deadlines: a least chance of ending in time."""

from __future__ import annotations

import random
from dataclasses import replace

from schedplan.model.cluster import Market
from schedplan.model.problem import Problem
from schedplan.model.workload import DeadlineKind, WorkerShape
from tests.oracle.drawing import HOUR_S, START_S, a_job, a_pool, a_problem


def _min_on_time(source: random.Random) -> Problem:
    """Gangs with deadlines on cheap nodes that may be reclaimed; few nodes are surer than many, an early start than a late one."""
    gpus = source.choice((1, 2, 2))
    spot = replace(
        a_pool(source, "spot", source.choice((2, 3)), gpus, Market.SPOT),
        price_per_hour=float(gpus),
        interruptions_per_hour=source.choice((0.0, 0.01, 0.05, 0.2)),
        cpus=16.0,
    )
    pools = [spot]
    if source.random() < 0.7:
        pools.append(replace(a_pool(source, "steady", 1, gpus, Market.ON_DEMAND), price_per_hour=3.0 * gpus, cpus=16.0))
    jobs = []
    for idx in range(source.randint(3, 4)):
        shape = WorkerShape(
            gpus=float(source.randint(1, gpus)), cpus=1.0, memory_gib=2.0, max_per_node=source.choice((None, None, 1))
        )
        job = a_job(source, f"j{idx}", source.choice((1, 2, 2, 3)), shape=shape, spot_ok=source.random() < 0.85)
        jobs.append(
            replace(
                job,
                required=source.random() < 0.1,
                runtime_minutes=float(source.choice((30, 60, 60, 90, 120))),
                deadline_s=START_S + source.choice((2, 3, 4)) * HOUR_S,
                deadline_kind=source.choice((DeadlineKind.HARD, DeadlineKind.HARD, DeadlineKind.SOFT)),
                checkpoint_minutes=source.choice((None, 15.0, 20.0, 30.0)),
                checkpoint_cost_minutes=source.choice((0.0, 0.0, 1.0)),
                restart_minutes=source.choice((0.0, 3.0)),
            )
        )
    problem = a_problem(source, pools, jobs, n_slots=4)
    return replace(problem, limits=replace(problem.limits, min_on_time=source.choice((0.5, 0.8, 0.9, 0.95, 0.99))))


THEMES = {"min_on_time": _min_on_time}
