"""Quotas against plans worked by hand: one node of eight devices, four hours, and what each tenant holds on it."""

from dataclasses import replace

import numpy as np
import pytest

from schedplan.measures.accounting import account, goal_values
from schedplan.measures.baselines import ON_DEMAND_POOL, baselines, waterfall
from schedplan.measures.feasibility import violations
from schedplan.measures.quotas import TenantHoldings, borrow_costs, quota_refusal
from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.plan import Decisions, JobPart, ReplicaPart
from schedplan.model.problem import Demand, Limits, Problem
from schedplan.model.quota import Ceiling, Holder, Quota, QuotaResource, QuotaScope, ceilings
from schedplan.model.workload import Job, JobState, Placed, Service, WorkerShape
from schedplan.timegrid import TimeGrid

T0 = 1_796_083_200
H = 3600
GRID = TimeGrid.regular(T0, 60, 4)
NODE = Pool("n", gpus=8, cpus=64.0, accelerator="A100", price_per_hour=10.0)
OTHER = replace(NODE, name="o", accelerator="H100")


def job(name, tenant, gpus, minutes=60.0, **more):
    return Job(name, tenant=tenant, shape=WorkerShape(gpus=gpus, cpus=more.pop("cpus", 0.0)), runtime_minutes=minutes, **more)


def problem_of(jobs, quotas, pools=(NODE,), **more):
    return Problem("p", GRID, Cluster(tuple(pools)), tuple(jobs), quotas=tuple(quotas), **more)


def placed(*parts, replicas=(), nodes=1):
    return Decisions(tuple(sorted(parts)), tuple(sorted(replicas)), np.ones((nodes, 4), dtype=np.bool_))


def told(problem, decisions):
    return [(finding.code, finding.subject, finding.message) for finding in violations(problem, decisions)]


def value(found, name, **labels):
    return next(m.value for m in found.measures if (m.name, m.labels) == (name, tuple(sorted(labels.items()))))


TWO = (job("a", "t", 3.0, 120.0), job("b", "t", 2.0))
SIDE_BY_SIDE = placed(JobPart("a", "n", 0, 1), JobPart("b", "n", 1, 1))


@pytest.mark.parametrize(("most", "is_broken"), [(5.0, False), (4.999, True)])
def test_what_a_tenant_holds_is_at_most_its_max(most, is_broken):
    # a holds 3 in slots 0 and 1, b 2 in slot 1: 5 in slot 1
    found = told(problem_of(TWO, [Quota("t", 2.0, max=most)]), SIDE_BY_SIDE)
    message = "5 gpus count at 2026-12-01 01:00+00:00 (1 slots); at most 4.999 may"

    assert ([("SP3113", "tenant t", message)] if is_broken else []) == found


def test_replicas_count_in_their_slots():
    service = Service("s", 1000, 100, tenant="t", shape=WorkerShape(gpus=1.0), min_replicas=0)
    zero = Demand("s", np.zeros(4), np.zeros(4))
    problem = problem_of(TWO, [Quota("t", 2.0, max=5.0)], services=(service,), demands=(zero,))

    def with_replicas(slot):
        return told(problem, replace(SIDE_BY_SIDE, replicas=(ReplicaPart("s", slot, "n", 2),)))

    # 3 + 2 in slot 0, 3 + 2 + 2 in slot 1
    assert [] == with_replicas(0)
    assert ["SP3113"] == [code for code, _, _ in with_replicas(1)]


def test_a_row_of_one_model_counts_its_nodes_alone():
    # 3 on an A100 node, 2 on an H100 node
    decisions = placed(JobPart("a", "n", 0, 1), JobPart("b", "o", 0, 1), nodes=2)
    by_model = [Quota("t", 3.0, accelerator="A100", max=3.0), Quota("t", 1.0, accelerator="H100", max=1.0)]

    assert ["tenant t (gpus on H100)"] == [row[1] for row in told(problem_of(TWO, by_model, (NODE, OTHER)), decisions)]


def test_cores_are_counted_by_their_own_row():
    cores = [replace(one, shape=WorkerShape(gpus=1.0, cpus=8.0)) for one in TWO]
    found = told(problem_of(cores, [Quota("t", 15.0, resource=QuotaResource.CPUS, max=15.0)]), SIDE_BY_SIDE)

    assert [("SP3113", "tenant t (cpus)", "16 cpus count at 2026-12-01 01:00+00:00 (1 slots); at most 15 may")] == found


def test_a_cohort_holds_what_is_promised_less_what_is_kept():
    # t holds 5, and u, which holds nothing, keeps 3 - 1 = 2: 7 of 4 + 3
    rows = [Quota("t", 4.0, parent="ml"), Quota("u", 3.0, parent="ml", lend=1.0)]
    kept_more = [rows[0], replace(rows[1], lend=0.5)]

    assert [] == told(problem_of(TWO, rows), SIDE_BY_SIDE)
    assert [("SP3113", "cohort ml", "7.5 gpus count at 2026-12-01 01:00+00:00 (1 slots); at most 7 may")] == told(
        problem_of(TWO, kept_more), SIDE_BY_SIDE
    )


def test_a_parent_with_a_row_is_no_cohort():
    # top may hold 6: 5 of t and 2 kept for u are too many, though 4 + 3 are promised below it
    rows = [Quota("t", 4.0, parent="top"), Quota("u", 3.0, parent="top", lend=1.0), Quota("top", 7.0, max=6.0)]
    found = [row[1:] for row in told(problem_of(TWO, rows), SIDE_BY_SIDE)]

    assert [("tenant top", "7 gpus count at 2026-12-01 01:00+00:00 (1 slots); at most 6 may")] == found


def test_what_runs_beyond_a_quota_stays_and_nothing_is_added():
    runs = job("r", "t", 3.0, 120.0, state=JobState.RUNNING, placement=(Placed("n", 1),), start_s=T0 - H)
    problem = problem_of([runs, job("b", "t", 1.0)], [Quota("t", 2.0, max=2.0)])

    # r holds 3 in slot 0, the hour that is left of it
    assert [] == told(problem, placed(JobPart("r", "n", 0, 1), JobPart("b", "n", 1, 1)))
    assert [
        ("SP3113", "tenant t", "4 gpus count at 2026-12-01 00:00+00:00 (1 slots); at most 3 may, for they run already")
    ] == told(problem, placed(JobPart("r", "n", 0, 1), JobPart("b", "n", 0, 1)))


def test_what_is_borrowed_costs_its_price_per_hour():
    # 3 held in slot 0, 5 in slot 1, 2 promised: 1 + 3 device-hours at 1.5 = 6; the node costs 4 x 10
    problem = problem_of(TWO, [Quota("t", 2.0, borrow_price=1.5)])
    found = account(problem, SIDE_BY_SIDE)

    assert [1.5, 4.5, 0.0, 0.0] == borrow_costs(problem, SIDE_BY_SIDE).by_slot.tolist()
    assert (6.0, 6.0, 46.0) == (value(found, "borrow_cost"), value(found, "borrow_cost", tenant="t"), value(found, "cost"))
    # the tenant bears 3/8 x 2 h x 10 + 2/8 x 10 = 10 of the node
    assert pytest.approx(16.0) == value(found, "cost", tenant="t")
    assert (46.0, 46.0) == (found.goals.cost, goal_values(problem, SIDE_BY_SIDE).cost)


def test_each_row_prices_what_is_beyond_it():
    # t borrows 4 device-hours at 1; its parent, promised 4, one (5 in slot 1) at 10
    rows = [Quota("t", 2.0, parent="top", borrow_price=1.0), Quota("top", 4.0, borrow_price=10.0)]

    assert (("t", 4.0), ("top", 10.0)) == borrow_costs(problem_of(TWO, rows), SIDE_BY_SIDE).by_tenant


def test_without_quotas_there_is_no_measure_of_borrowing():
    assert [] == [m for m in account(problem_of(TWO, ()), SIDE_BY_SIDE).measures if m.name == "borrow_cost"]


def test_free_borrowing_is_told():
    found = account(problem_of(TWO, [Quota("t", 2.0)]), SIDE_BY_SIDE).warnings
    capped = account(problem_of(TWO, [Quota("t", 5.0, max=5.0)]), SIDE_BY_SIDE).warnings

    assert ("borrowing by t is free: no borrow_price; it holds up to 3 gpus beyond its 2 (2026-12-01 01:00+00:00)",) == found
    assert () == capped


@pytest.mark.parametrize(("limit", "is_broken"), [(46.0, False), (45.99, True)])
def test_a_budget_counts_what_is_borrowed_on_its_day(limit, is_broken):
    problem = problem_of(TWO, [Quota("t", 2.0, borrow_price=1.5)], limits=Limits(budget_per_day=limit))
    message = "46.00 USD are spent; the limit is 45.99"

    assert ([("SP3108", "day 2026-12-01", message)] if is_broken else []) == told(problem, SIDE_BY_SIDE)


def test_the_waterfall_ends_at_the_cost_with_borrowing():
    rented = replace(NODE, market=Market.ON_DEMAND, min_count=0)
    problem = problem_of(TWO, [Quota("t", 2.0, borrow_price=1.5)], (rented,))
    start = next(one for one in baselines(problem, SIDE_BY_SIDE) if one.name == ON_DEMAND_POOL)
    steps = waterfall(problem, SIDE_BY_SIDE)

    assert [6.0] == [step.amount for step in steps if step.name == "borrowing"]
    assert pytest.approx(46.0) == start.cost + sum(step.amount for step in steps)


@pytest.mark.parametrize(
    ("quotas", "counted"),
    [
        ([Quota("t", 2.0, max=2.0)], 3.0),
        ([Quota("t", 3.0, max=3.0)], None),
        ([Quota("t", 2.0, accelerator="H100", max=2.0)], None),  # asked on A100
        ([Quota("t", 2.0, resource=QuotaResource.CPUS, max=0.0)], None),  # it asks for no core
        ([Quota("t", 1.0, parent="ml"), Quota("u", 3.0, parent="ml", lend=1.0)], 5.0),  # 3 + 2 kept of 4
        ([Quota("u", 0.0, max=0.0)], None),
    ],
)
def test_a_job_larger_than_its_quota_is_refused_by_arithmetic(quotas, counted):
    found = quota_refusal(problem_of(TWO, quotas), TWO[0], "A100")

    assert counted == (None if found is None else found.counted)


def test_a_tree_of_tenants_as_ceilings():
    rows = (
        Quota("leaf", 2.0, parent="team", max=3.0, lend=1.0),
        Quota("team", 4.0, parent="all", max=5.0),
        Quota("peer", 1.0, parent="all", lend=0.0),
    )
    gpus = QuotaScope()
    leaf = Holder("leaf", 1.0)

    # what is kept for a tenant is no part of its own cap; "all" has no row, so its members share 4 + 1
    assert (
        Ceiling("leaf", gpus, 3.0, False, (Holder("leaf", 0.0),)),
        Ceiling("team", gpus, 5.0, False, (Holder("team", 0.0, (leaf,)),)),
        Ceiling("all", gpus, 5.0, True, (Holder("peer", 1.0), Holder("team", 0.0, (leaf,)))),
    ) == ceilings(rows)


def test_parents_that_run_in_a_circle_have_no_ceilings():
    with pytest.raises(ValueError, match="tenant a is above itself: a < b < a"):
        ceilings((Quota("a", 1.0, parent="b"), Quota("b", 1.0, parent="a")))


def test_holdings_follow_what_is_added():
    problem = problem_of((), [Quota("t", 2.0, max=2.0)])
    holdings = TenantHoldings(problem)
    holdings.add("t", WorkerShape(gpus=0.5), "A100", 3, slice(1, 3))

    assert [0.0, 1.5, 1.5, 0.0] == holdings.counted(problem.ceilings[0]).tolist()
