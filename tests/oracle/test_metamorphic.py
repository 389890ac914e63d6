"""Changes of a problem that must not change the value of its best plan, or may change it in one direction only."""

from dataclasses import replace
from typing import TypeVar

import pytest

from schedplan.measures.objective import Normalisation, Scale
from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.plan import PlanStatus
from schedplan.model.problem import PriceSeries, Problem
from schedplan.model.workload import Job
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.reference import normalisation, reference
from schedplan.optimize.solve import optimize
from schedplan.timegrid import TimeGrid
from tests.oracle.instances import instance, instances

PROBLEMS = [pytest.param(problem, id=problem.name) for problem in instances(3)]
WEEK_S = 7 * 24 * 3600
Named = TypeVar("Named", Job, Pool)


def value_of(problem: Problem, scales: Normalisation | None = None) -> float | None:
    """Return F of the best plan, None where there is none."""
    plan = optimize(problem, SolveOptions(), scales)
    if plan.proof.status is PlanStatus.INFEASIBLE:
        return None
    assert plan.proof.status is PlanStatus.OPTIMAL
    return plan.proof.objective


def scales_of(problem: Problem) -> Normalisation:
    return normalisation(problem, reference(problem))


def same(value: float | None) -> object:
    return None if value is None else pytest.approx(value, abs=1e-7)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_names_do_not_matter(problem):
    scales = scales_of(problem)

    assert value_of(problem, scales) == same(value_of(renamed(problem), scales))


def renamed(problem: Problem) -> Problem:
    """Reverse the order of all names of jobs and pools, and with it every tie that a name may break."""
    names = {job.name: f"w{len(problem.jobs) - idx}" for idx, job in enumerate(problem.jobs)}
    pools = {pool.name: replace(pool, name=f"q{9 - idx}") for idx, pool in enumerate(problem.cluster.pools)}
    nodes = {
        old: new
        for pool in problem.cluster.pools
        for old, new in zip(pool.node_names(), pools[pool.name].node_names(), strict=True)
    }
    speeds = tuple(replace(row, kind=names.get(row.kind, row.kind)) for row in problem.cluster.speeds)
    return replace(
        problem,
        cluster=Cluster(by_name(list(pools.values())), speeds),
        jobs=by_name([replace(moved(job, nodes), name=names[job.name]) for job in problem.jobs]),
        prices=tuple(PriceSeries(pools[series.pool].name, series.per_hour) for series in problem.prices),
    )


def new_names(problem: Problem, parts_of: dict[str, list[Pool]]) -> dict[str, str]:
    """Return the new name of every node, for the pools that each pool became."""
    before = [name for pool in problem.cluster.pools for name in pool.node_names()]
    after = [name for pool in problem.cluster.pools for part in parts_of[pool.name] for name in part.node_names()]
    return dict(zip(before, after, strict=True))


def moved(job: Job, nodes: dict[str, str]) -> Job:
    """Return a job whose placement names the same nodes by their new names."""
    return replace(job, placement=tuple(replace(placed, node=nodes[placed.node]) for placed in job.placement))


def by_name(rows: list[Named]) -> tuple[Named, ...]:
    return tuple(sorted(rows, key=lambda row: row.name))


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_week_later_everything_is_the_same(problem):
    assert value_of(problem) == same(value_of(later(problem, WEEK_S)))


def later(problem: Problem, shift_s: int) -> Problem:
    def put_off(instant_s: int | None) -> int | None:
        return None if instant_s is None else instant_s + shift_s

    grid = TimeGrid(tuple(edge_s + shift_s for edge_s in problem.grid.edges_s))
    jobs = tuple(
        replace(
            job,
            submit_s=put_off(job.submit_s),
            start_s=put_off(job.start_s),
            earliest_start_s=put_off(job.earliest_start_s),
            deadline_s=put_off(job.deadline_s),
        )
        for job in problem.jobs
    )
    return replace(problem, grid=grid, jobs=jobs)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_another_currency_changes_nothing(problem):
    # all prices, those of borrowing too, and the budget doubled: cost, its reference and its ideal double together
    assert value_of(problem) == same(value_of(doubled(problem)))


def doubled(problem: Problem) -> Problem:
    pools = tuple(replace(pool, price_per_hour=2 * pool.price_per_hour) for pool in problem.cluster.pools)
    budget = problem.limits.budget_per_day
    limits = replace(problem.limits, budget_per_day=None if budget is None else 2 * budget)
    prices = tuple(PriceSeries(series.pool, 2 * series.per_hour) for series in problem.prices)
    quotas = tuple(replace(quota, borrow_price=2 * quota.borrow_price) for quota in problem.quotas)
    return replace(problem, cluster=replace(problem.cluster, pools=pools), limits=limits, prices=prices, quotas=quotas)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_pool_is_no_more_than_its_nodes(problem):
    scales = scales_of(problem)

    assert value_of(problem, scales) == same(value_of(split(problem), scales))


def split(problem: Problem) -> Problem:
    """Make every node a pool of its own; pools with a least number of rented nodes stay, for that number is the pool's."""
    parts_of = {pool.name: singles(pool) for pool in problem.cluster.pools}
    pools = by_name([part for parts in parts_of.values() for part in parts])
    nodes = new_names(problem, parts_of)
    prices = tuple(PriceSeries(part.name, series.per_hour) for series in problem.prices for part in parts_of[series.pool])
    jobs = tuple(moved(job, nodes) for job in problem.jobs)
    return replace(problem, cluster=replace(problem.cluster, pools=pools), jobs=jobs, prices=prices)


def singles(pool: Pool) -> list[Pool]:
    if not pool.market.is_sunk and pool.min_count > 0:
        return [pool]
    return [
        replace(pool, name=f"{pool.name}-{number}", count=int(number < pool.count), min_count=int(pool.market.is_sunk), max_count=1)
        for number in range(pool.max_count)
    ]


# without devices one more node changes which of cores and memory sizes a job, and with it what leaving it out weighs
@pytest.mark.parametrize("problem", [param for param in PROBLEMS if param.values[0].cluster.has_devices])
def test_more_to_choose_from_never_hurts(problem):
    scales = scales_of(problem)

    before, after = value_of(problem, scales), value_of(with_one_more(problem), scales)

    # devices, cores and memory grow alike, so that the sizes of the jobs stay
    assert before is None or (after is not None and after <= before + 1e-7)


def with_one_more(problem: Problem) -> Problem:
    """Add a rented node like the first pool's, which costs nothing while it is off."""
    first = problem.cluster.pools[0]
    more = replace(
        first, name="zz", count=0, min_count=0, max_count=1, market=Market.ON_DEMAND, price_per_hour=2 * first.price_per_hour + 1
    )
    return replace(problem, cluster=replace(problem.cluster, pools=(*problem.cluster.pools, more)))


@pytest.mark.parametrize("problem", PROBLEMS)
def test_looser_rules_never_hurt(problem):
    scales = scales_of(problem)
    loose_jobs = tuple(replace(job, required=False, spot_ok=True, deadline_s=None) for job in problem.jobs)
    loose = replace(problem, jobs=loose_jobs, limits=replace(problem.limits, budget_per_day=None))

    before, after = value_of(problem, scales), value_of(loose, scales)

    assert before is None or (after is not None and after <= before + 1e-7)


def test_fixed_scales_are_the_ones_that_count():
    problem = instance("place", 0)
    one = Scale(1.0, 0.0)
    plan = optimize(problem, SolveOptions(), Normalisation(one, one, one, one))

    divisors = {term.name: term.divisor for term in plan.terms if term.name != "unplaced"}
    assert divisors == {"latency": 1.0, "utilization": 1.0, "cost": 1.0}
