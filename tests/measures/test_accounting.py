from dataclasses import replace
from math import expm1

import numpy as np
import pytest

from schedplan.measures.accounting import account, goal_values
from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.plan import Decisions, JobPart, ReplicaPart
from schedplan.model.problem import Demand, Objective, PriceSeries, Problem, Rates
from schedplan.model.workload import DeadlineKind, Job, JobState, Service, WorkerShape
from schedplan.timegrid import TimeGrid

T0 = 1_796_083_200
H = 3600
GRID = TimeGrid.regular(T0, 60, 4)
NODE = Pool("n", gpus=4, market=Market.ON_DEMAND, min_count=0, price_per_hour=8.0)
ALWAYS = np.ones((1, 4), dtype=np.bool_)


def value(found, name, **labels):
    wanted = tuple(sorted(labels.items()))
    return next(measure.value for measure in found.measures if (measure.name, measure.labels) == (name, wanted))


def test_the_bare_day_costs_107_on_demand_hours_and_the_gang(day, day_plan):
    # 107 node-hours x 300 + 10 x 4 x 100 = 36,100; rework: rate 10 x 0.01, tau 0.5: 10 expm1(0.05) x 8 - 4 h, at 10 x 100 per hour.
    found = account(day, day_plan)
    rework = (10 * expm1(0.05) * 8 - 4) * 1000

    assert value(found, "cost_paid") == 36_100
    assert value(found, "rework_cost") == pytest.approx(rework)
    assert found.goals.cost == pytest.approx(36_100 + rework)
    assert value(found, "cost") == found.goals.cost


def test_the_bare_day_reaches_its_utilization(day, day_plan):
    # Mean 5,500/s x 0.096 s / 150 = 3.52 replicas busy x 24 h = 84.48; with the gang's 40 h of 147 paid.
    found = account(day, day_plan)

    assert value(found, "utilization") == pytest.approx((84.48 + 40) / 147)
    assert value(found, "utilization", kind="service") == pytest.approx(84.48 / 147)
    assert value(found, "utilization", pool="spot") == pytest.approx(1.0)
    assert found.goals.utilization == pytest.approx(147 - 40 - 84.48)
    assert value(found, "slo_attainment") == 1.0
    # Tightest at 09:00: 5,500/s on ceil(5500/1406.25) = 4 replicas of 1562.5/s.
    assert value(found, "headroom", service="recommender") == pytest.approx(1 - 0.88)


def test_latency_counts_waits_by_urgency_and_size_and_lateness_where_soft():
    # 4 devices. low: 1 device, released at 00:00, starts 02:00, urgency 1: 2 h. high: 2 devices, urgency 2, starts 01:00 and ends
    # 03:00, 1.5 h past its soft deadline: 2 x 2 x (1 x 1 + 4 x 1.5) = 28. Together 30.
    low = Job("low", shape=WorkerShape(gpus=1), runtime_minutes=60.0)
    high = Job(
        "high",
        priority=7,
        workers=2,
        shape=WorkerShape(gpus=1),
        runtime_minutes=100.0,
        submit_s=T0 - H,
        deadline_s=T0 + 3 * H // 2,
        deadline_kind=DeadlineKind.SOFT,
    )
    problem = Problem("p", GRID, Cluster((NODE,)), (high, low))
    decisions = Decisions((JobPart("high", "n", 1, 2), JobPart("low", "n", 2, 1)), (), ALWAYS)

    assert account(problem, decisions).goals.latency == pytest.approx(30.0)
    halved = replace(problem, objective=Objective(rates=Rates(wait=0.5, tardiness=0.0)))
    assert account(halved, decisions).goals.latency == pytest.approx(1.0 + 2.0)


def test_what_is_left_out_weighs_by_importance():
    # a: 1 device x 1 h; b: 2 devices x 1.5 h, left out: 3 of 4.
    jobs = tuple(Job(n, workers=w, shape=WorkerShape(gpus=1), runtime_minutes=m) for n, w, m in (("a", 1, 60.0), ("b", 2, 90.0)))
    problem = Problem("p", GRID, Cluster((NODE,)), jobs)
    found = account(problem, Decisions((JobPart("a", "n", 0, 1),), (), ALWAYS))

    assert found.goals.unplaced == pytest.approx(0.75)
    assert value(found, "unplaced") == 1


def test_a_price_that_changes_is_paid_slot_by_slot():
    # One of four devices for two slots at 8 and 16: (8 + 16)/4 = 6; paid 8 + 16 + 8 + 8 = 40.
    job = Job("j", shape=WorkerShape(gpus=1), runtime_minutes=120.0)
    prices = (PriceSeries("n", np.array([8.0, 16.0, 8.0, 8.0])),)
    problem = Problem("p", GRID, Cluster((NODE,)), (job,), prices=prices)
    found = account(problem, Decisions((JobPart("j", "n", 0, 1),), (), ALWAYS))

    assert found.placements[0].cost == pytest.approx(6.0)
    assert value(found, "cost_paid", pool="n") == 40.0
    assert value(found, "cost_idle") == pytest.approx(34.0)


def test_costs_reconcile_to_what_is_paid():
    # Half a device for a service beside jobs of 1 and 3 devices on two nodes: every share of every slot is somebody's, or idle.
    service = Service("s", 1000, 100, shape=WorkerShape(gpus=0.5), tenant="web")
    jobs = tuple(Job(n, workers=w, shape=WorkerShape(gpus=1), runtime_minutes=m) for n, w, m in (("a", 1, 150.0), ("b", 3, 60.0)))
    pool = replace(NODE, count=2, max_count=2, slices_per_gpu=2, price_per_hour=7.77)
    demand = Demand("s", np.full(4, 1.0), np.full(4, 1.0))
    problem = Problem("p", GRID, Cluster((pool,)), jobs, (service,), (demand,))
    stands = tuple(ReplicaPart("s", slot, "n/1", 1) for slot in range(4))
    on = np.array([[True] * 4, [True, False, False, False]])
    found = account(problem, Decisions((JobPart("a", "n/1", 0, 1), JobPart("b", "n/2", 0, 3)), stands, on))
    shares = sum(row.cost for row in found.placements) + sum(row.cost for row in found.replicas)

    # 5 node-hours. Held: a 3 x 1/4, b 3/4, s 4 x 1/8.
    assert value(found, "cost_paid") == pytest.approx(5 * 7.77)
    assert shares == pytest.approx((0.75 + 0.75 + 0.5) * 7.77)
    assert value(found, "cost_paid") == pytest.approx(shares + value(found, "cost_idle"))
    assert value(found, "cost", tenant="web") == pytest.approx(0.5 * 7.77)
    assert value(found, "cost", tenant="default") == pytest.approx(1.5 * 7.77)
    # The replica is busy for 0.1 of its half device: held 8 device-hours of 20, busy 6 + 4 x 0.5 x 0.1.
    assert value(found, "allocation") == pytest.approx(8 / 20)
    assert value(found, "utilization") == pytest.approx(6.2 / 20)


def test_rework_is_charged_to_the_workers_share_of_each_node():
    # Two workers of 1 device on two spot nodes of 4: rate 2 x 0.05, no checkpoints: expm1(0.2)/0.1 - 2 h at 2 x 8/4 per hour.
    spot = replace(NODE, count=2, max_count=2, market=Market.SPOT, interruptions_per_hour=0.05)
    job = Job("j", workers=2, shape=WorkerShape(gpus=1), runtime_minutes=120.0, spot_ok=True)
    problem = Problem("p", GRID, Cluster((spot,)), (job,))
    on = np.array([[True, True, False, False]] * 2)
    found = account(problem, Decisions((JobPart("j", "n/1", 0, 1), JobPart("j", "n/2", 0, 1)), (), on))
    rework = (expm1(0.2) / 0.1 - 2) * 4

    assert value(found, "rework_cost") == pytest.approx(rework)
    assert [row.cost for row in found.placements] == pytest.approx([4 + rework / 2] * 2)
    assert found.goals.cost == pytest.approx(32 + rework)


def test_waits_and_makespan_come_from_booked_slots():
    # Waits 0, 1, 2 and 3 h; the last booked end is slot 3's: 4 h. Nearest rank: p50 is the 2nd of 4, p95 the 4th.
    jobs = tuple(Job(f"j{n}", shape=WorkerShape(gpus=1), runtime_minutes=30.0) for n in range(4))
    problem = Problem("p", GRID, Cluster((NODE,)), jobs)
    found = account(problem, Decisions(tuple(JobPart(f"j{n}", "n", n, 1) for n in range(4)), (), ALWAYS))

    assert [value(found, f"wait_s_{stat}") for stat in ("mean", "p50", "p95", "p99", "max")] == [1.5 * H, H, 3 * H, 3 * H, 3 * H]
    assert value(found, "makespan_s") == 4 * H


def test_measures_without_a_value_have_none():
    problem = Problem("p", GRID, Cluster((NODE,)))
    found = account(problem, Decisions((), (), np.zeros((1, 4), dtype=np.bool_)))
    names = ("utilization", "allocation", "wait_s_p95", "makespan_s", "deadline_hits", "on_time_probability", "latency_ms")

    assert [value(found, name) for name in (*names, "slo_attainment", "headroom", "energy_kwh", "cost_per_1000_requests")] == [
        None
    ] * 11
    assert value(found, "cost") == 0.0


def test_deadlines_count_jobs_left_out_and_booked_ends():
    # on: ends 01:00, deadline 01:00. late: booked to 02:00, deadline 01:30. out: never runs. free: no deadline.
    jobs = (
        Job("free", shape=WorkerShape(gpus=1), runtime_minutes=60.0),
        Job("late", shape=WorkerShape(gpus=1), runtime_minutes=80.0, deadline_s=T0 + 3 * H // 2, deadline_kind=DeadlineKind.SOFT),
        Job("on", shape=WorkerShape(gpus=1), runtime_minutes=60.0, deadline_s=T0 + H),
        Job("out", shape=WorkerShape(gpus=1), runtime_minutes=60.0, deadline_s=T0 + H),
    )
    problem = Problem("p", GRID, Cluster((NODE,)), jobs)
    found = account(problem, Decisions(tuple(JobPart(n, "n", 0, 1) for n in ("free", "late", "on")), (), ALWAYS))

    assert value(found, "deadline_hits") == pytest.approx(1 / 3)


def test_energy_follows_the_busy_share_of_nodes_that_are_on():
    # 200 W idle, 1000 W full, pue 1.5; 1 of 4 devices busy for 1 of 2 slots on: (400 + 200) x 1.5 Wh = 0.9 kWh.
    pool = replace(NODE, power_idle_w=200.0, power_max_w=1000.0, pue=1.5)
    job = Job("j", shape=WorkerShape(gpus=1), runtime_minutes=60.0)
    problem = Problem("p", GRID, Cluster((pool,)), (job,))
    found = account(problem, Decisions((JobPart("j", "n", 0, 1),), (), np.array([[True, True, False, False]])))

    assert value(found, "energy_kwh") == pytest.approx(0.9)


def test_services_are_measured_by_slot_at_the_demand_planned_for():
    # One replica of 100 ms for 5/s planned in slot 0, 9/s in slot 1 (M/M/1 mean 200 and 1000 ms against 500), none in 2 and 3.
    service = Service("s", 500, 100, slo_quantile=None, shape=WorkerShape(gpus=1))
    demand = Demand("s", np.array([5.0, 9.0, 0.0, 0.0]), np.array([4.0, 6.0, 0.0, 0.0]))
    problem = Problem("p", GRID, Cluster((NODE,)), (), (service,), (demand,))
    found = account(problem, Decisions((), tuple(ReplicaPart("s", slot, "n", 1) for slot in range(4)), ALWAYS))

    assert [row.latency_ms for row in found.replicas] == pytest.approx([200, 1000, 100, 100])
    assert value(found, "latency_ms", service="s") == pytest.approx(1000)
    assert value(found, "slo_attainment", service="s") == pytest.approx(0.4)
    assert value(found, "headroom") == pytest.approx(0.1)
    assert found.node_use.busy_devices.tolist()[0] == pytest.approx([0.4, 0.6, 0.0, 0.0])
    # 4 slots x 8/4 for 36,000 requests.
    assert value(found, "cost_per_1000_requests", service="s") == pytest.approx(8 / 36)
    assert found.warnings == ("service s: 1000.0 ms at 2026-12-01 01:00+00:00; the target is 500 ms (1 slots miss it)",)


def test_a_service_without_steady_state_has_no_latency_and_is_never_busy_above_one():
    service = Service("s", 500, 100, shape=WorkerShape(gpus=1))
    demand = Demand("s", np.full(4, 20.0), np.full(4, 20.0))
    problem = Problem("p", GRID, Cluster((NODE,)), (), (service,), (demand,))
    found = account(problem, Decisions((), tuple(ReplicaPart("s", slot, "n", 1) for slot in range(4)), ALWAYS))

    assert value(found, "latency_ms") is None
    assert value(found, "slo_attainment") == 0.0
    assert found.node_use.busy_devices.tolist() == [[1.0] * 4]
    assert found.goals.utilization == pytest.approx(16 - 4 * 2.0)


def test_workers_are_numbered_along_the_nodes():
    pool = replace(NODE, count=2, max_count=2, gpus=2)
    job = Job("j", workers=3, shape=WorkerShape(gpus=1), runtime_minutes=90.0)
    problem = Problem("p", GRID, Cluster((pool,)), (job,))
    on = np.array([[True, True, False, False]] * 2)
    rows = account(problem, Decisions((JobPart("j", "n/2", 0, 1), JobPart("j", "n/1", 0, 2)), (), on)).placements

    assert [(row.node, row.worker_first, row.worker_last, row.devices, row.device_slots) for row in rows] == [
        ("n/1", 0, 1, 2.0, "0,1"),
        ("n/2", 2, 2, 1.0, "0"),
    ]
    assert [(row.start_s, row.end_s, row.run_end_s) for row in rows] == [(T0, T0 + 2 * H, T0 + 3 * H // 2)] * 2


@pytest.mark.parametrize(
    ("node", "start", "state", "reason"),
    [
        ("cheap", 0, JobState.PENDING, "cheap is the cheapest pool that may hold it; starts at its earliest instant"),
        (
            "n",
            0,
            JobState.PENDING,
            "n costs 1.00 USD more than cheap, the cheapest pool that may hold it; starts at its earliest instant",
        ),
        ("cheap", 2, JobState.PENDING, "cheap is the cheapest pool that may hold it; starts 2.00 h after its earliest instant"),
        ("cheap", 0, JobState.RUNNING, "runs already"),
    ],
)
def test_reasons_say_place_and_time(node, start, state, reason):
    # A quarter of a node for an hour: 8/4 = 2 against 4/4 = 1.
    job = Job("j", shape=WorkerShape(gpus=1), runtime_minutes=60.0, state=state)
    problem = Problem("p", GRID, Cluster((replace(NODE, name="cheap", price_per_hour=4.0), NODE)), (job,))
    found = account(problem, Decisions((JobPart("j", node, start, 1),), (), np.ones((2, 4), dtype=np.bool_)))

    assert reason == found.placements[0].reason


def test_replicas_are_requested_when_the_last_of_them_first_stood_there():
    # 1, 2, 2, 1 replicas; 30 min of start-up and 10 of loading: the first is warm, so it was asked for 40 min before the plan; the
    # second from slot 1 on, when it takes its device. In slot 3 the one replica stands since slot 0.
    service = Service("s", 1000, 100, shape=WorkerShape(gpus=1), startup_minutes=30.0, affinity="model", load_minutes=10.0)
    problem = Problem("p", GRID, Cluster((NODE,)), (), (service,))
    stands = tuple(ReplicaPart("s", slot, "n", count) for slot, count in enumerate((1, 2, 2, 1)))
    rows = account(problem, Decisions((), stands, ALWAYS)).replicas

    assert [row.requested_at_s - T0 for row in rows] == [-2400, H, H, -2400]


def test_goal_values_are_those_of_the_account(day, day_plan):
    assert goal_values(day, day_plan) == account(day, day_plan).goals


def test_cores_are_counted_where_there_are_no_devices():
    # 2 of 8 cores for one of four hours: paid 32 core-hours, idle 30.
    pool = Pool("n", cpus=8.0, price_per_hour=4.0)
    problem = Problem("p", GRID, Cluster((pool,)), (Job("j", shape=WorkerShape(cpus=2), runtime_minutes=60.0),))
    found = account(problem, Decisions((JobPart("j", "n", 0, 1),), (), ALWAYS))

    assert found.goals.utilization == pytest.approx(30.0)
    assert found.placements[0].cost == pytest.approx(1.0)
    assert found.node_use.devices_used.tolist() == [[2.0, 0.0, 0.0, 0.0]]


def test_a_gang_on_two_pools_is_told_in_the_plural():
    pools = tuple(replace(NODE, name=name, count=1, max_count=1, gpus=1) for name in ("n1", "n2"))
    job = Job("j", workers=2, shape=WorkerShape(gpus=1), runtime_minutes=60.0)
    on = np.ones((2, 4), dtype=np.bool_)
    rows = account(
        Problem("p", GRID, Cluster(pools), (job,)), Decisions((JobPart("j", "n1", 0, 1), JobPart("j", "n2", 0, 1)), (), on)
    )

    assert {row.reason.split(";")[0] for row in rows.placements} == {"n1 and n2 are the cheapest pools that may hold it"}
