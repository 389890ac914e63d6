"""Themes of services: where their replicas stand, what may be lost, how often their number changes."""

from __future__ import annotations

import random
from dataclasses import replace

from schedplan.model.cluster import Pool
from schedplan.model.problem import Problem, Reserve
from schedplan.model.workload import WorkerShape
from tests.oracle.drawing import HOUR_S, START_S, a_pool, a_problem, some_jobs, with_services

KINDS = ("zone", "zone", "rack", "node", "region", "block")


def _in_domains(source: random.Random, pools: list[Pool]) -> list[Pool]:
    """Put pools into zones, racks, blocks and regions; some are in none."""
    return [
        replace(
            pool,
            zone=source.choice(("z1", "z1", "z2", "z2", None)),
            rack=source.choice(("r1", "r2", "r3", None)),
            block=source.choice(("b1", "b2")),
            region=source.choice(("e", "w")),
        )
        for pool in pools
    ]


def _small_pools(source: random.Random, devices: tuple[int, ...] = (1, 2)) -> list[Pool]:
    """Return three or four nodes in one to three pools."""
    sizes = source.choice(([1, 1, 1], [2, 1], [2, 2], [1, 2, 1], [3]))
    return [a_pool(source, f"p{idx}", nodes, source.choice(devices)) for idx, nodes in enumerate(sizes)]


def _light(problem: Problem) -> Problem:
    """Let services have little demand, so that the rule under test decides."""
    demands = tuple(replace(demand, peak_rps=demand.peak_rps / 2, mean_rps=demand.mean_rps / 2) for demand in problem.demands)
    return replace(problem, demands=demands)


def _spread(source: random.Random) -> Problem:
    """Services over two or three domains, on nodes that jobs want as well."""
    pools = _in_domains(source, _small_pools(source))
    problem = a_problem(source, pools, some_jobs(source, source.randint(0, 2)), n_slots=3)
    problem = _light(with_services(source, problem, source.choice((1, 1, 2))))
    asked = [
        replace(service, spread=(source.choice(KINDS), source.choice((1, 2, 2, 2, 3))), max_replicas=source.choice((None, 3, 4)))
        for service in problem.services
    ]
    return replace(problem, services=tuple(asked))


def _reserve(source: random.Random) -> Problem:
    """The loss of a node, a rack or a zone, at times with a second service or device models of unlike speed."""
    pools = _in_domains(source, _small_pools(source, (1, 2, 2)))
    if source.random() < 0.3:
        pools[0] = replace(pools[0], accelerator="H100", gpu_memory_gib=80.0)
    problem = a_problem(source, pools, some_jobs(source, source.randint(0, 2)), n_slots=3)
    problem = _light(with_services(source, problem, source.choice((1, 1, 2))))
    one = WorkerShape(gpus=1.0, cpus=1.0)
    services = tuple(replace(service, max_replicas=source.choice((None, None, 4)), shape=one) for service in problem.services)
    reserve = source.choice((Reserve.NODE, Reserve.NODE, Reserve.RACK, Reserve.ZONE))
    return replace(problem, services=services, limits=replace(problem.limits, reserve=reserve))


def _hold(source: random.Random) -> Problem:
    """Numbers of replicas that may change every hour or two, every half hour, or once."""
    step = source.choice((30, 60))
    pools = [a_pool(source, "p0", 2, source.choice((1, 2))), a_pool(source, "p1", 1, 1)]
    problem = a_problem(source, pools, some_jobs(source, source.randint(0, 1)), n_slots=4, step_minutes=step)
    problem = with_services(source, problem, 1)
    hold = float(source.choice((step, step + 1, 2 * step, 3 * step, 5 * step)))
    return replace(problem, services=tuple(replace(service, min_hold_minutes=hold) for service in problem.services))


def _warm_up(source: random.Random) -> Problem:
    """Replicas that take half an hour to two hours to serve, less where the node holds their model; nodes that start late, too."""
    step = source.choice((30, 60))
    pools = [a_pool(source, "p0", 2, source.choice((1, 2))), a_pool(source, "p1", 1, source.choice((1, 2)))]
    pools = [replace(pool, caches=source.choice(((), ("m",), ("x", "m")))) for pool in pools]
    if source.random() < 0.2:
        pools[0] = replace(pools[0], startup_minutes=float(step))
    if source.random() < 0.2:
        pools[1] = replace(pools[1], accelerator="H100", gpu_memory_gib=80.0)
    problem = a_problem(source, pools, some_jobs(source, source.randint(0, 1)), n_slots=source.choice((3, 4)), step_minutes=step)
    problem = with_services(source, problem, 1)
    startup, load = source.choice(((0.0, 30.0), (30.0, 0.0), (30.0, 30.0), (60.0, 0.0), (10.0, 50.0), (60.0, 60.0)))
    services = tuple(
        replace(service, startup_minutes=startup, load_minutes=load, affinity=source.choice(("m", "m", None)))
        for service in problem.services
    )
    return replace(problem, services=services)


def _service_pairs(source: random.Random) -> Problem:
    """Two or more of warm-up, time between changes, spread and reserve at once."""
    problem = _light(_warm_up(source))
    pools = tuple(_in_domains(source, list(problem.cluster.pools)))
    asked = source.sample(("hold", "spread", "reserve", "cold"), 2)
    services = tuple(
        replace(
            service,
            min_hold_minutes=source.choice((60.0, 120.0)) if "hold" in asked else 0.0,
            spread=source.choice((("zone", 2), ("node", 2), ("rack", 1))) if "spread" in asked else None,
            startup_minutes=0.0 if "cold" in asked else service.startup_minutes,
        )
        for service in problem.services
    )
    reserve = source.choice((Reserve.NODE, Reserve.ZONE)) if "reserve" in asked else Reserve.NONE
    cluster = replace(problem.cluster, pools=pools)
    return replace(problem, cluster=cluster, services=services, limits=replace(problem.limits, reserve=reserve))


def _affinity(source: random.Random) -> Problem:
    """Jobs that load data for a while on the nodes that do not hold it, some of them gangs, some with a deadline."""
    pools = [replace(pool, caches=source.choice(((), ("m",), ("m", "n")))) for pool in _small_pools(source)]
    jobs = [
        replace(
            job,
            affinity=source.choice(("m", "m", "n", None)),
            load_minutes=source.choice((0.0, 30.0, 60.0, 90.0)),
            workers=source.choice((1, 1, 2, 3)),
            deadline_s=source.choice((None, None, START_S + 2 * HOUR_S)),
        )
        for job in some_jobs(source, source.randint(2, 4))
    ]
    problem = a_problem(source, pools, jobs, n_slots=source.choice((3, 4)))
    return _light(with_services(source, problem, 1)) if source.random() < 0.2 else problem


THEMES = {
    "affinity": _affinity,
    "spread": _spread,
    "reserve": _reserve,
    "hold": _hold,
    "warm_up": _warm_up,
    "service_pairs": _service_pairs,
}
