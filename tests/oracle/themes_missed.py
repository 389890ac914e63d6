"""Theme of priced missed demand: more demand than nodes, or nodes that are dearer than what is missed."""

from __future__ import annotations

import random
from dataclasses import replace

from schedplan.model.cluster import Speed
from schedplan.model.problem import Demand, MissedDemand, Problem
from tests.oracle.drawing import a_pool, a_problem, some_jobs, with_services


def _missed(source: random.Random) -> Problem:
    """Services that share one to four nodes with jobs, at times beyond all of them, of two device models, or within a budget."""
    sizes = source.choice(([1], [2], [1, 1], [2, 1], [1, 1, 1]))
    pools = [a_pool(source, f"p{idx}", nodes, source.choice((1, 2))) for idx, nodes in enumerate(sizes)]
    if source.random() < 0.4:
        pools[0] = replace(pools[0], accelerator="H100", gpu_memory_gib=80.0)
    problem = a_problem(source, pools, some_jobs(source, source.randint(0, 3)), n_slots=source.choice((2, 3)))
    problem = with_services(source, problem, source.choice((1, 1, 2)))
    more = source.choice((0.5, 1.0, 1.0, 2.0, 4.0))
    demands = tuple(Demand(one.service, one.peak_rps * more, one.mean_rps * more) for one in problem.demands)
    slow = source.choice((1.0, 1.0, 1.5, 0.2))
    services = tuple(
        replace(
            service,
            priority=source.choice((0, 0, 5, 9, 12)),
            min_replicas=source.choice((0, 0, 0, 1)),
            cache_hit_ratio=source.choice((0.0, 0.0, 0.25)),
            spread=source.choice((None, None, None, ("node", 2))),
        )
        for service in problem.services
    )
    return replace(
        problem,
        services=services,
        demands=demands,
        cluster=replace(problem.cluster, speeds=(Speed("H100", "service", slow),)),
        limits=replace(
            problem.limits,
            missed_demand=MissedDemand.PRICE,
            budget_per_day=source.choice((None, None, None, 6.0, 15.0)),
        ),
    )


def _missed_warm(source: random.Random) -> Problem:
    """One service whose replicas take a while to serve, or whose number changes seldom: what is missed at first."""
    step = source.choice((30, 60))
    pools = [a_pool(source, "p0", source.choice((1, 2)), source.choice((1, 2))), a_pool(source, "p1", 1, 1)]
    problem = a_problem(source, pools, some_jobs(source, source.randint(0, 2)), n_slots=3, step_minutes=step)
    problem = with_services(source, problem, 1)
    startup, hold = source.choice(((30.0, 0.0), (60.0, 0.0), (60.0, 0.0), (0.0, 2.0 * step), (30.0, 2.0 * step)))
    services = tuple(
        replace(service, startup_minutes=startup, min_hold_minutes=hold, min_replicas=source.choice((0, 0, 1)))
        for service in problem.services
    )
    return replace(problem, services=services, limits=replace(problem.limits, missed_demand=MissedDemand.PRICE))


THEMES = {"missed": _missed, "missed_warm": _missed_warm}
