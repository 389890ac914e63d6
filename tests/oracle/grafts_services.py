"""Grafts of the rules of services: where replicas stand, what may be lost, how often their number changes, how long they warm up.

A problem without a service gets a small one. What couples the slots of a service keeps to one replica a node and few jobs, so that
everything can still be tried.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from schedplan.model.problem import Demand, Problem, Reserve
from schedplan.model.workload import JobState, Service
from tests.oracle.drawing import with_services
from tests.oracle.missed import may_miss

MOST_JOBS = 3


def _spread(source: random.Random, problem: Problem) -> Problem | None:
    """One or two zones or nodes for every service."""
    wanted = (source.choice(("zone", "node", "node")), source.choice((1, 2)))
    return _changed(source, problem, lambda service: replace(service, spread=wanted))


def _reserve(source: random.Random, problem: Problem) -> Problem | None:
    """The loss of any one node or zone."""
    served = _served(source, problem)
    if served is None or served.limits.reserve is not Reserve.NONE or may_miss(problem):
        return None
    return _in_zones(source, replace(served, limits=replace(served.limits, reserve=source.choice((Reserve.NODE, Reserve.ZONE)))))


def _hold(source: random.Random, problem: Problem) -> Problem | None:
    """Two or three slots between changes."""
    step_minutes = (problem.grid.edges_s[1] - problem.grid.edges_s[0]) / 60
    hold = source.choice((2, 3)) * step_minutes
    if any(service.min_hold_minutes for service in problem.services):
        return None
    return _changed(source, _thin(problem), lambda service: replace(service, min_hold_minutes=hold))


def _warm_up(source: random.Random, problem: Problem) -> Problem | None:
    """Half an hour or an hour until a new replica serves, less where the first pool holds its model."""
    if any(service.startup_minutes or service.load_minutes for service in problem.services):
        return None
    thin = _thin(problem)
    if thin is None:
        return None
    first, *others = thin.cluster.pools
    pools = (replace(first, caches=source.choice(((), ("m",)))), *others)
    startup, load = source.choice(((30.0, 0.0), (60.0, 0.0), (0.0, 60.0), (30.0, 30.0)))
    cached = replace(thin, cluster=replace(thin.cluster, pools=pools))
    return _changed(source, cached, lambda service: replace(service, startup_minutes=startup, load_minutes=load, affinity="m"))


def _changed(source: random.Random, problem: Problem | None, change: Callable[[Service], Service]) -> Problem | None:
    served = None if problem is None else _served(source, problem)
    if served is None:
        return None
    services = tuple(change(service) for service in served.services)
    if any(service.spread for service in served.services) or services == served.services:
        return None
    return _in_zones(source, replace(served, services=services))


def _served(source: random.Random, problem: Problem) -> Problem | None:
    """Return the problem with a service of half the usual demand, unless it has one."""
    if problem.services:
        return problem
    if not problem.cluster.has_devices or any(job.state is JobState.RUNNING for job in problem.jobs):
        return None
    served = with_services(source, problem, 1)
    halved = tuple(Demand(one.service, one.peak_rps / 2, one.mean_rps / 2) for one in served.demands)
    shape = replace(served.services[0].shape, max_per_node=1)
    return replace(served, services=(replace(served.services[0], shape=shape),), demands=halved)


def _thin(problem: Problem) -> Problem | None:
    if len(problem.services) > 1 or len(problem.jobs) > MOST_JOBS:
        return None
    services = tuple(replace(service, shape=replace(service.shape, max_per_node=1)) for service in problem.services)
    return replace(problem, services=services)


def _in_zones(source: random.Random, problem: Problem) -> Problem:
    """Put the pools into two zones, unless they are in some."""
    if any(pool.zone for pool in problem.cluster.pools):
        return problem
    pools = tuple(replace(pool, zone=source.choice(("z1", "z2"))) for pool in problem.cluster.pools)
    return replace(problem, cluster=replace(problem.cluster, pools=pools))


GRAFTS = {"spread": _spread, "reserve": _reserve, "hold": _hold, "warm_up": _warm_up}
