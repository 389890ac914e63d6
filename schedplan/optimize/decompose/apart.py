"""Parts that share nothing: work and the pools that it may stand on, cut where no rule ties one to the other. It solves nothing.

Sets: pools, jobs, services, tenants; tied are work and every pool that takes it, work and its tenant where a quota counts it,
tenants and their parents, jobs and what they wait for or start with. Parts P are what is connected.
Formula: F(plan) = Σ_P F_P(its decisions) − (|P| − 1) · F(nothing), where F_P counts all nodes, its own work, and what is left out
as a share of all work; F(nothing) is what the nodes that are paid for without any work add.
Intuition: every term of F is a sum over work and nodes, so bounds of parts add up as their plans do.
"""

from __future__ import annotations

from dataclasses import replace
from math import fsum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.eligibility import pools_for_service
from schedplan.measures.missed import is_priced
from schedplan.measures.work import importance
from schedplan.model.plan import Decisions
from schedplan.model.problem import Problem
from schedplan.optimize.constraints.budget import BEYOND
from schedplan.optimize.job_pools import JobPools
from schedplan.optimize.nodes.rates import Rates
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.size import Size
from schedplan.packing.supply import close_supply

Key: TypeAlias = tuple[str, str]


class _Ties:
    """What is tied together so far: union by the least key, so that the order of ties does not matter."""

    def __init__(self) -> None:
        self.above: dict[Key, Key] = {}

    def head(self, key: Key) -> Key:
        while self.above.setdefault(key, key) != key:
            self.above[key] = self.above[self.above[key]]
            key = self.above[key]
        return key

    def tie(self, one: Key, other: Key) -> None:
        first, second = sorted((self.head(one), self.head(other)))
        self.above[second] = first


def is_apart(problem: Problem, options: SolveOptions, size: Size) -> bool:
    """Whether a problem has parts that share nothing, and is large enough for that to matter."""
    return size.columns > options.apart_columns and len(parts_of(problem)) > 1


def parts_of(problem: Problem) -> tuple[Problem, ...]:
    """Return the problems of the parts that have any work, each with all nodes; the problem alone where it has but one.

    Nothing is cut where a budget, a goal that is held, the price of missed demand, an earlier plan or a stopped job counts all of
    the work.
    """
    limit = problem.limits.budget_per_day
    has_budget = limit is not None and limit < BEYOND
    if (
        has_budget
        or problem.objective.at_most
        or problem.stops
        or problem.is_static
        or problem.earlier is not None
        or is_priced(problem)
    ):
        return (problem,)
    ties = _ties(problem)
    work = [("job", job.name) for job in problem.jobs] + [("service", service.name) for service in problem.services]
    heads = sorted({ties.head(key) for key in work})
    if len(heads) < 2:
        return (problem,)
    everything = sum(importance(problem, job) for job in problem.jobs)
    return tuple(_part(problem, ties, head, everything) for head in heads)


def joined(problem: Problem, parts: tuple[Problem, ...], found: tuple[Decisions, ...]) -> Decisions:
    """Return the decisions of all parts as one. A node is on where a part has it on beyond what every part pays for."""
    idle, owner = _idle(problem), _owners(problem, parts)
    on = np.array([found[part].on[node] if part >= 0 else idle[node] for node, part in enumerate(owner)], dtype=np.bool_)
    return Decisions(
        tuple(sorted(part for one in found for part in one.parts)),
        tuple(sorted(replica for one in found for replica in one.replicas)),
        on.reshape(idle.shape),
    )


def of_nothing(problem: Problem, rates: Rates) -> float:
    """Return what the nodes that are paid for without any work add to F."""
    return fsum(
        float(on @ rates.node(pool)) for pool, on in zip(problem.cluster.pool_of_node.values(), _idle(problem), strict=True)
    )


def _ties(problem: Problem) -> _Ties:
    ties, pools = _Ties(), JobPools(problem.cluster)
    for job in problem.jobs:
        ties.head(("job", job.name))
        for pool in pools.of(job):
            ties.tie(("job", job.name), ("pool", pool.name))
        for other in (*problem.waits_for[job.name], *(row.name for row in problem.gang_rows.get(job.name, ()))):
            ties.tie(("job", job.name), ("job", other))
        if job.tenant in problem.quota_tenants:
            ties.tie(("job", job.name), ("tenant", job.tenant))
    for service in problem.services:
        ties.head(("service", service.name))
        for pool in pools_for_service(problem.cluster, service):
            ties.tie(("service", service.name), ("pool", pool.name))
        if service.tenant in problem.quota_tenants:
            ties.tie(("service", service.name), ("tenant", service.tenant))
    for quota in problem.quotas:
        if quota.parent is not None:
            ties.tie(("tenant", quota.tenant), ("tenant", quota.parent))
    return ties


def _part(problem: Problem, ties: _Ties, head: Key, everything: float) -> Problem:
    jobs = tuple(job for job in problem.jobs if ties.head(("job", job.name)) == head)
    services = tuple(one for one in problem.services if ties.head(("service", one.name)) == head)
    names = {job.name for job in jobs} | {one.name for one in services}
    own = sum(importance(problem, job) for job in jobs)
    objective = problem.objective
    return replace(
        problem,
        jobs=jobs,
        services=services,
        demands=tuple(one for one in problem.demands if one.service in names),
        pins=tuple(pin for pin in problem.pins if pin.work in names),
        priorities=tuple(problem.urgency),
        objective=replace(objective, unplaced=objective.unplaced * own / everything if everything else objective.unplaced),
    )


def _owners(problem: Problem, parts: tuple[Problem, ...]) -> list[int]:
    """Return the part whose work may stand on each node, -1 where none may."""
    owner: dict[str, int] = {}
    pools = JobPools(problem.cluster)
    for number, part in enumerate(parts):
        for job in part.jobs:
            owner.update({pool.name: number for pool in pools.of(job)})
        for service in part.services:
            owner.update({pool.name: number for pool in pools_for_service(problem.cluster, service)})
    return [owner.get(pool.name, -1) for pool in problem.cluster.pool_of_node.values()]


def _idle(problem: Problem) -> NDArray[np.bool_]:
    """Return which nodes are paid for without any work, bool [node, slot]."""
    nothing = np.zeros((len(problem.cluster.nodes), problem.grid.n_slots), dtype=np.bool_)
    on = close_supply(problem, nothing)
    return nothing if on is None else on
