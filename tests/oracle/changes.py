"""Changes of a problem that must not change the value of its best plan, or may change it in one direction only."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from math import isclose

from schedplan.measures.objective import Normalisation
from schedplan.measures.pins import with_pins
from schedplan.measures.work import job_size
from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.plan import PlanStatus
from schedplan.model.problem import Problem
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.reference.plan import normalisation, reference
from schedplan.optimize.solve import optimize
from tests.oracle.rewriting import in_other_money, put_off, with_names

WEEK_S = 7 * 24 * 3600
SORTED = ("jobs", "services", "demands", "pools")
"""Fields whose order is their records' names, by contract; the order of any other rows means nothing."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change. may_help: the best plan may get better by it, never worse; else its value stays.

    keeps_scales: goals of the changed problem are measured by the scales of the first, else by its own.
    """

    name: str
    of: Callable[[Problem], Problem | None]
    may_help: bool = False
    keeps_scales: bool = True


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of one problem under all changes: those that were made, and what is wrong."""

    problem: str
    made: tuple[str, ...]
    faults: tuple[str, ...]


def trial(problem: Problem) -> Trial:
    """Make every change of a problem and compare the values of the best plans."""
    scales = normalisation(problem, reference(problem))
    before = value_of(problem, scales)
    made, faults = [], []
    for change in CHANGES:
        changed = change.of(problem)
        if changed is None:
            continue
        made.append(change.name)
        after = value_of(changed, scales if change.keeps_scales else None)
        if not _holds(change, before, after):
            faults.append(f"{problem.name}: {change.name} makes {before} of the best plan {after}")
    return Trial(problem.name, tuple(made), tuple(faults))


def value_of(problem: Problem, scales: Normalisation | None = None) -> float | None:
    """Return F of the best plan, None where there is none. AssertionError where it is not proven."""
    plan = optimize(problem, SolveOptions(), scales)
    if plan.proof.status is PlanStatus.INFEASIBLE:
        return None
    if plan.proof.status is not PlanStatus.OPTIMAL:
        raise AssertionError(f"{problem.name}: status {plan.proof.status.value}, gap {plan.proof.gap}")
    return plan.proof.objective


def _holds(change: Change, before: float | None, after: float | None) -> bool:
    if before is None:
        return after is None or change.may_help
    if after is None:
        return False
    room = 1e-7 * max(1.0, abs(before))
    return after <= before + room if change.may_help else abs(after - before) <= room


def renamed(problem: Problem) -> Problem:
    """Reverse the order of all names of jobs, services and pools, and with it every tie that a name may break."""
    names = {job.name: f"w{len(problem.jobs) - idx}" for idx, job in enumerate(problem.jobs)}
    names |= {service.name: f"v{len(problem.services) - idx}" for idx, service in enumerate(problem.services)}
    pools = {pool.name: replace(pool, name=f"q{9 - idx}") for idx, pool in enumerate(problem.cluster.pools)}
    names |= {
        old: new
        for pool in problem.cluster.pools
        for old, new in zip(pool.node_names(), pools[pool.name].node_names(), strict=True)
    }
    names |= {old: pool.name for old, pool in pools.items()}
    return _by_name(with_names(problem, names))


def _by_name(problem: Problem) -> Problem:
    """Put jobs, services, demands and pools in the order of their names, as a problem has them."""
    cluster = replace(problem.cluster, pools=tuple(sorted(problem.cluster.pools, key=lambda pool: pool.name)))
    return replace(
        problem,
        cluster=cluster,
        jobs=tuple(sorted(problem.jobs, key=lambda job: job.name)),
        services=tuple(sorted(problem.services, key=lambda service: service.name)),
        demands=tuple(sorted(problem.demands, key=lambda demand: demand.service)),
    )


def permuted(problem: Problem) -> Problem:
    """Shuffle the rows of everything that has no order: speeds, prices, quotas, resources, tolerations, placements, ..."""
    source = random.Random(problem.name)
    return _shuffled(problem, source)


def _shuffled(record: Problem, source: random.Random) -> Problem:
    changes: dict[str, object] = {
        field.name: _reordered(field.name, getattr(record, field.name), source) for field in fields(record)
    }
    return replace(record, **changes)  # type: ignore[arg-type]


def _reordered(name: str, value: object, source: random.Random) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        if type(value).__name__ == "TimeGrid":
            return value
        return replace(value, **{field.name: _reordered(field.name, getattr(value, field.name), source) for field in fields(value)})
    if not isinstance(value, tuple) or not all(is_dataclass(row) or isinstance(row, tuple) for row in value):
        return value
    rows = [_reordered("", row, source) if is_dataclass(row) else row for row in value]
    if name not in SORTED:
        source.shuffle(rows)
    return tuple(rows)


def a_week_later(problem: Problem) -> Problem:
    return put_off(problem, WEEK_S)


def doubled(problem: Problem) -> Problem:
    """All prices, those of borrowing too, and the budget: cost, its reference and its ideal double together."""
    return in_other_money(problem, 2.0)


def split(problem: Problem) -> Problem:
    """Make every node a pool of its own; pools with a least number of rented nodes stay, for that number is the pool's."""
    named = {placed.node for job in problem.jobs for placed in job.placement} | {outage.place for outage in problem.outages}
    named |= {pin.node for pin in problem.pins if pin.node is not None}
    whole = {pool.name for pool in problem.cluster.pools if pool.name in named or (not pool.market.is_sunk and pool.min_count > 0)}
    parts_of = {pool.name: [pool] if pool.name in whole else _singles(pool) for pool in problem.cluster.pools}
    before = [name for pool in problem.cluster.pools for name in pool.node_names()]
    after = [name for pool in problem.cluster.pools for part in parts_of[pool.name] for name in part.node_names()]
    pools = tuple(part for parts in parts_of.values() for part in parts)
    spread = _with_rows_of_parts(problem, parts_of)
    moved = with_names(replace(spread, cluster=Cluster((), problem.cluster.speeds)), dict(zip(before, after, strict=True)))
    return _by_name(replace(moved, cluster=replace(moved.cluster, pools=pools)))


def _singles(pool: Pool) -> list[Pool]:
    return [
        replace(pool, name=f"{pool.name}-{number}", count=int(number < pool.count), min_count=int(pool.market.is_sunk), max_count=1)
        for number in range(pool.max_count)
    ]


def _with_rows_of_parts(problem: Problem, parts_of: dict[str, list[Pool]]) -> Problem:
    """Repeat every row that speaks of a pool (prices, ...) for each of its parts."""
    changes: dict[str, object] = {}
    for field in fields(problem):
        rows = getattr(problem, field.name)
        if isinstance(rows, tuple) and any(hasattr(row, "pool") for row in rows):
            changes[field.name] = tuple(
                replace(row, pool=part.name) if row.pool in parts_of else row
                for row in rows
                for part in parts_of.get(row.pool, [None])  # type: ignore[list-item]
            )
    return replace(problem, **changes)  # type: ignore[arg-type]


def with_one_more(problem: Problem) -> Problem | None:
    """Add a rented node like the first pool's, which costs nothing while it is off.

    A node that changes what sizes a job changes what leaving it out weighs: problems where it does are left alone, as are those
    without devices.
    """
    first = problem.cluster.pools[0]
    if not problem.cluster.has_devices:
        return None
    more = replace(
        first, name="zz", count=0, min_count=0, max_count=1, market=Market.ON_DEMAND, price_per_hour=2 * first.price_per_hour + 1
    )
    cluster = replace(problem.cluster, pools=(*problem.cluster.pools, more))
    if any(not isclose(job_size(cluster, job), job_size(problem.cluster, job)) for job in problem.jobs):
        return None
    return replace(problem, cluster=cluster)


def loosened(problem: Problem) -> Problem:
    """Nothing is required, due or kept from spot nodes, and money is no limit."""
    jobs = tuple(replace(job, required=False, spot_ok=True, deadline_s=None) for job in problem.jobs)
    loose = replace(problem, jobs=jobs, limits=replace(problem.limits, budget_per_day=None))
    return with_pins(loose, problem.pins)


CHANGES = (
    Change("renaming", renamed),
    Change("permuting rows", permuted),
    Change("splitting pools", split),
    Change("a week later", a_week_later, keeps_scales=False),
    Change("doubled prices", doubled, keeps_scales=False),
    Change("one more node", with_one_more, may_help=True),
    Change("looser rules", loosened, may_help=True),
)
