"""The brute force itself: cases worked by hand, and its cuts against going through everything."""

from dataclasses import replace

import numpy as np
import pytest

from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.plan import JobPart, ReplicaPart
from schedplan.model.problem import Demand, Limits, Objective, Problem
from schedplan.model.workload import DeadlineKind, Job, Service, Topology, WorkerShape
from schedplan.timegrid import TimeGrid
from tests.oracle.agreement import ONES
from tests.oracle.arithmetic import objective_of
from tests.oracle.brute_force import best_plan
from tests.oracle.drawing import START_S
from tests.oracle.instances import instances

HOUR_S = 3600
ONLY_COST = Objective(latency=0, utilization=0, cost=1)
ONLY_LATENCY = Objective(latency=1, utilization=0, cost=0)
DEVICE = WorkerShape(gpus=1.0)


def problem_of(pools, jobs, n_slots, **more):
    return Problem(
        name="hand", grid=TimeGrid.regular(START_S, 60, n_slots), cluster=Cluster(tuple(pools)), jobs=tuple(jobs), **more
    )


def owned(name, gpus, **more):
    return Pool(name=name, gpus=gpus, **more)


def rented(name, gpus, price, **more):
    return Pool(name=name, count=0, min_count=0, gpus=gpus, market=Market.ON_DEMAND, price_per_hour=price, **more)


def job(name, workers=1, gpus=1.0, minutes=60.0, **more):
    return Job(name=name, workers=workers, shape=WorkerShape(gpus=gpus), runtime_minutes=minutes, **more)


def test_two_jobs_on_one_device_wait_for_one_another():
    problem = problem_of([owned("n", 1)], [job("a"), job("b")], n_slots=2, objective=ONLY_LATENCY)

    answer = best_plan(problem, ONES)

    # size = 1 device of 1, urgency 1; one of them waits an hour: 1 x 1 x 1 h
    assert answer is not None
    assert answer.objective == pytest.approx(1.0)
    assert sorted(part.start_slot for part in answer.decisions.parts) == [0, 1]


def test_the_urgent_job_goes_first_and_the_other_is_left_out():
    jobs = [job("a", priority=0), job("b", priority=7)]
    problem = problem_of([owned("n", 1)], jobs, n_slots=1, objective=ONLY_LATENCY)

    answer = best_plan(problem, ONES)

    # urgency a 1, b 2: leaving a out costs 10 x 1 / (1 + 2) and a wait of 1 h to the end of the horizon, leaving b out twice that
    assert answer is not None
    assert answer.objective == pytest.approx(10 / 3 + 1)
    assert answer.decisions.parts == (JobPart("b", "n", 0, 1),)


def test_required_jobs_that_do_not_fit_have_no_plan():
    jobs = [job("a", required=True), job("b", required=True)]

    assert best_plan(problem_of([owned("n", 1)], jobs, n_slots=1), ONES) is None
    assert best_plan(problem_of([owned("n", 1)], jobs, n_slots=2), ONES) is not None


def test_three_nodes_have_one_way_to_hold_a_pair_and_a_double():
    pools = [owned("n1", 1), owned("n2", 1), owned("n3", 2)]
    problem = problem_of(pools, [job("a", workers=2), job("b", gpus=2.0)], n_slots=1)

    answer = best_plan(problem, ONES)

    # no wait, nothing idle (4 paid, 4 used), no price, nothing left out
    assert answer is not None
    assert answer.objective == pytest.approx(0.0)
    assert answer.decisions.parts == (JobPart("a", "n1", 0, 1), JobPart("a", "n2", 0, 1), JobPart("b", "n3", 0, 1))


def test_a_gang_does_not_span_clusters_and_a_rack_job_no_racks():
    apart = [owned("n1", 1, cluster="east"), owned("n2", 1, cluster="west")]
    racks = [owned("n1", 1, rack="r1"), owned("n2", 1, rack="r2")]
    pair = job("a", workers=2, required=True)

    assert best_plan(problem_of(apart, [pair], n_slots=1), ONES) is None
    assert best_plan(problem_of(racks, [replace(pair, topology=Topology.RACK)], n_slots=1), ONES) is None
    assert best_plan(problem_of(racks, [pair], n_slots=1), ONES) is not None


def test_a_dear_node_is_worth_it_where_waiting_costs_more():
    # owned node busy in hour 0 with a; b waits an hour (1 x size 1 h) or rents for 3: half a weight each
    pools = [owned("n", 1), rented("r", 1, price=3.0)]
    jobs = [job("a"), job("b")]

    def objective(divisor_cost):
        answer = best_plan(problem_of(pools, jobs, n_slots=2, objective=Objective(0.5, 0, 0.5)), ONES | {"cost": divisor_cost})
        assert answer is not None
        return answer.objective

    # sizes: 1 of 2 devices x 2 = 1. Waiting: 0.5 x 1. Renting: 0.5 x 3 / divisor.
    assert objective(2.0) == pytest.approx(0.5)
    assert objective(6.0) == pytest.approx(0.25)


def test_soft_deadlines_are_priced_and_hard_ones_hold():
    late = job("a", minutes=120, deadline_s=START_S + HOUR_S, required=True)
    problem = problem_of([owned("n", 1)], [late], n_slots=2, objective=ONLY_LATENCY)
    soft = replace(problem, jobs=(replace(late, deadline_kind=DeadlineKind.SOFT),))

    answer = best_plan(soft, ONES)

    # booked to the end of hour 2, an hour late: 4 x 1 x 1 h
    assert best_plan(problem, ONES) is None
    assert answer is not None
    assert answer.objective == pytest.approx(4.0)


def test_a_gang_on_spot_pays_the_expected_rework_of_all_its_nodes():
    spot = Pool(
        name="s", count=2, min_count=0, max_count=2, gpus=1, market=Market.SPOT, price_per_hour=10.0, interruptions_per_hour=0.1
    )
    pair = job("a", workers=2, spot_ok=True, required=True)
    problem = problem_of([spot], [pair], n_slots=1, objective=ONLY_COST)

    answer = best_plan(problem, ONES)

    # two nodes x 10, and at 0.2 interruptions an hour E[T] = 5 (e^0.2 - 1) = 1.107014 h, 0.107014 h x 20
    assert answer is not None
    assert answer.objective == pytest.approx(20 + 2.14027581, abs=1e-7)


def test_a_service_gets_its_least_replicas_where_it_may_stand():
    # concurrency 2, 100 ms, SLO on the mean 200 ms without variation; 30 requests/s are a load of 3 servers, two replicas are
    # 4 servers and 75 % used; one is below its load. At most 0.7 used: three replicas.
    service = Service(
        name="s",
        slo_ms=1000,
        service_ms=100,
        slo_quantile=None,
        service_cv=0,
        concurrency=2,
        shape=DEVICE,
        markets=(Market.ON_DEMAND,),
    )
    pools = [owned("o", 4), replace(rented("r", 1, price=2.0), count=3, max_count=3)]
    demand = Demand("s", np.array([30.0, 5.0]), np.array([30.0, 5.0]))
    problem = problem_of(pools, [], 2, services=(service,), demands=(demand,), objective=ONLY_COST)
    tight = replace(problem, limits=Limits(max_utilization=0.7))

    loose_answer, tight_answer = best_plan(problem, ONES), best_plan(tight, ONES)

    # (2 + 1) and (3 + 1) node-hours at 2
    assert loose_answer is not None
    assert tight_answer is not None
    assert loose_answer.objective == pytest.approx(6.0)
    assert tight_answer.objective == pytest.approx(8.0)
    assert ReplicaPart("s", 1, "r/1", 1) in tight_answer.decisions.replicas


def test_a_budget_leaves_out_what_it_cannot_pay():
    jobs = [job("a", priority=1), job("b", priority=2)]
    problem = problem_of([rented("r", 1, price=5.0)], jobs, n_slots=2, objective=ONLY_COST)

    rich, poor, broke = (best_plan(replace(problem, limits=Limits(budget_per_day=money)), ONES) for money in (10.0, 9.0, 4.0))

    # both 10; only b 5 + 10 x 1/3 = 8.33 (but with 10 to spend F = 10 is worse than 8.33 as well); nothing 10
    assert rich is not None
    assert poor is not None
    assert broke is not None
    assert rich.objective == pytest.approx(5 + 10 / 3)
    assert poor.objective == pytest.approx(5 + 10 / 3)
    assert broke.objective == pytest.approx(10.0)


def test_a_budget_counts_each_calendar_day_by_itself():
    # the day changes in UTC-1 one hour after the start: 5 a day are enough for an hour on each side
    jobs = [job("a", required=True), job("b", required=True)]
    problem = problem_of([rented("r", 1, price=5.0)], jobs, n_slots=2, objective=ONLY_COST, limits=Limits(budget_per_day=5.0))

    assert best_plan(problem, ONES) is None
    assert best_plan(replace(problem, timezone="Etc/GMT+1"), ONES) is not None


@pytest.mark.parametrize(("count", "hours_paid", "start_slot"), [(0, 2, 1), (1, 1, 0)])
def test_a_cold_node_is_paid_while_it_starts(count, hours_paid, start_slot):
    pool = Pool(
        name="r", count=count, min_count=0, max_count=1, gpus=1, market=Market.ON_DEMAND, price_per_hour=3.0, startup_minutes=30
    )
    problem = problem_of([pool], [job("a", required=True)], n_slots=3, objective=Objective(0.5, 0, 0.5))

    answer = best_plan(problem, ONES)

    # cold: requested with slot 0 it carries work from slot 1 on: an hour of wait and two paid; warm: at once
    assert answer is not None
    assert answer.objective == pytest.approx(0.5 * start_slot + 0.5 * 3 * hours_paid)
    assert answer.decisions.parts[0].start_slot == start_slot
    assert int(answer.decisions.on.sum()) == hours_paid


def test_idle_devices_of_what_is_paid_count_and_work_is_taken_off():
    pool = Pool(name="r", count=1, min_count=1, max_count=1, gpus=4, market=Market.ON_DEMAND)
    problem = problem_of([pool], [job("a", gpus=3.0)], n_slots=2, objective=Objective(0, 1, 0))

    answer = best_plan(problem, ONES)

    # 2 h x 4 devices paid, 3 of them used for an hour
    assert answer is not None
    assert answer.objective == pytest.approx(5.0)


@pytest.mark.parametrize("problem", [pytest.param(problem, id=problem.name) for problem in instances(2)])
def test_the_cuts_lose_nothing(problem):
    small = replace(problem, jobs=problem.jobs[:2])
    divisors = {"latency": 3.0, "utilization": 5.0, "cost": 7.0}

    everything, cut = best_plan(small, divisors, cuts=False), best_plan(small, divisors)

    assert (everything is None) == (cut is None)
    if everything is not None and cut is not None:
        assert everything.objective == pytest.approx(cut.objective, abs=1e-9)
        assert objective_of(small, cut.decisions, divisors) == pytest.approx(cut.objective, abs=1e-9)
