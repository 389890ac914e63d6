"""A day of an online shop with a plan worked out by hand: what the renderers are shown."""

from dataclasses import replace
from math import ceil, cos, pi

import numpy as np
import pytest

from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.findings import Measure
from schedplan.model.forecast import Forecast, Quality, Series
from schedplan.model.plan import (
    Baseline,
    Decisions,
    JobPart,
    NodeUse,
    Placement,
    Plan,
    PlanStatus,
    Proof,
    ReplicaPart,
    ReplicaRow,
    Term,
    WaterfallStep,
)
from schedplan.model.problem import Demand, Limits, Problem
from schedplan.model.workload import Job, JobKind, Service, WorkerShape
from schedplan.report.document import Document
from schedplan.report.plan_document import plan_document
from schedplan.timegrid import TimeGrid

DAY_START_S = 1796054400  # 2026-12-01T00:00:00+08:00 = 2026-11-30T16:00:00Z
HOUR_S = 3600
SLOTS = 24
PER_REPLICA_RPS = 150 * 1000 / 96 * 0.9  # concurrency x 1000 / service_ms x max_utilization = 1,406.25
HOSTILE_JOB = "</script><script>alert(1)</script>"
HOSTILE_SERVICE = '"><img src=x onerror=alert(1)>\u2028[x](javascript:alert(1))'
HOSTILE_POOL = "=cmd|' /C calc'!A0\x1b[2J\x1b]0;t\x07\n| `x` | \u202e"
HOSTILE_PROJECT = "[/etc/passwd] [bold]x[/bold] :smile: {{ 7 * 7 }} <b>&amp;"


def mean_rps(hour: float) -> float:
    """Return the bare sinusoid: 1,000 at 03:00, 10,000 at 15:00."""
    return 5500 - 4500 * cos(2 * pi * (hour - 3) / 24)


def shop_problem(training: str = "nightly-training", service: str = "recommender", spot: str = "spot-a100") -> Problem:
    pools = tuple(
        sorted(
            (
                Pool("od-a100", 10, 0, 10, accelerator="A100", gpus=1, market=Market.ON_DEMAND, price_per_hour=300.0),
                Pool(spot, 10, 0, 10, accelerator="A100", gpus=1, market=Market.SPOT, price_per_hour=100.0),
            ),
            key=lambda pool: pool.name,
        )
    )
    mean = np.array([mean_rps(slot) for slot in range(SLOTS)])
    return Problem(
        name="ecommerce-day",
        grid=TimeGrid.regular(DAY_START_S, 60, SLOTS),
        cluster=Cluster(pools),
        jobs=(
            Job(
                training,
                kind=JobKind.TRAINING,
                workers=10,
                shape=WorkerShape(gpus=1),
                runtime_minutes=240,
                required=True,
                earliest_start_s=DAY_START_S + 2 * HOUR_S,
                deadline_s=DAY_START_S + 6 * HOUR_S,
                spot_ok=True,
                checkpoint_minutes=30,
            ),
        ),
        services=(Service(service, 200.0, 96.0, service_cv=0.3, concurrency=150, shape=WorkerShape(gpus=1), dedicated=True),),
        demands=(Demand(service, mean * 1.06, mean),),
        limits=Limits(max_utilization=0.9),
        currency="CNY",
        timezone="Asia/Shanghai",
        assumptions=("The two pools have no power data: energy and carbon are not counted.",),
    )


def shop_plan(problem: Problem) -> Plan:
    """Return the plan by arithmetic: ceil(peak / 1,406.25) replicas an hour on demand, the gang on spot from 02:00 to 06:00."""
    service, training = problem.services[0].name, problem.jobs[0].name
    nodes = problem.cluster.nodes
    on_demand = [node for node in nodes if problem.cluster.pool_of_node[node].market is Market.ON_DEMAND]
    spot = [node for node in nodes if problem.cluster.pool_of_node[node].market is Market.SPOT]
    peak = problem.demands[0].peak_rps
    replicas = tuple(
        ReplicaPart(service, slot, on_demand[idx], 1) for slot in range(SLOTS) for idx in range(ceil(peak[slot] / PER_REPLICA_RPS))
    )
    parts = tuple(JobPart(training, node, 2, 1) for node in spot)
    on = np.zeros((len(nodes), SLOTS), dtype=np.bool_)
    busy = np.zeros(on.shape)
    for part in replicas:
        on[nodes.index(part.node), part.slot] = True
        count = sum(one.slot == part.slot for one in replicas)
        busy[nodes.index(part.node), part.slot] = mean_rps(part.slot) / (PER_REPLICA_RPS / 0.9) / count
    for job_part in parts:
        on[nodes.index(job_part.node), 2:6] = True
        busy[nodes.index(job_part.node), 2:6] = 1.0
    price = np.array([problem.cluster.pool_of_node[node].price_per_hour for node in nodes])
    cost = on * price[:, None]
    total = float(cost.sum())
    idle = float(on.sum() - busy.sum())
    use = NodeUse(nodes, on, on.astype(np.float64), busy, np.zeros(on.shape), cost, np.zeros(on.shape), np.zeros(on.shape))
    whole = 96000.0
    return Plan(
        decisions=Decisions(parts, replicas, on),
        proof=Proof(
            PlanStatus.OPTIMAL, 1.284713, 1.284713, 0.0, 0.0, "CP-SAT on the whole model", (("branches", 0.0), ("columns", 296.0))
        ),
        terms=(
            Term("latency", 0.0, "device-h", 0.5, 1.0, 0.0, 0.0, False),
            Term("utilization", idle, "device-h", 0.3, 30.0, 30.0, 0.0, True),
            Term("cost", total, "CNY", 0.2, 9300.0, 48000.0, 38700.0, True),
            Term("unplaced", 0.0, "share", 10.0, 1.0, 0.0, 0.0, True),
        ),
        measures=(
            Measure("cost", total, "CNY"),
            Measure("cost", total - 4000, "CNY", (("pool", "od-a100"),)),
            Measure("utilization", float(busy.sum() / on.sum()), "share"),
            Measure("slo_attainment", 1.0, "share"),
            Measure("deadline_hits", 1.0, "share"),
            Measure("gap", 0.0, "share"),
            Measure("unplaced", 0.0, "jobs"),
        ),
        placements=tuple(
            Placement(
                training,
                idx,
                idx,
                node,
                DAY_START_S + 2 * HOUR_S,
                DAY_START_S + 6 * HOUR_S,
                DAY_START_S + 6 * HOUR_S,
                1.0,
                "0",
                "spot",
                404.2,
                reason="the cheapest pool that may hold the gang",
            )
            for idx, node in enumerate(spot)
        ),
        replicas=tuple(
            ReplicaRow(
                part.service, DAY_START_S + part.slot * HOUR_S, 60.0, part.node, 1, DAY_START_S + part.slot * HOUR_S, 147.5, 300.0
            )
            for part in replicas
        ),
        node_use=use,
        warnings=(
            f"{training} has no slack: 4 h of work in a window of 4 h. One interruption misses its deadline.",
            f"{training} has no full on-demand fallback: {service} leaves 8 or 9 of 10 on-demand nodes free, it needs 10.",
        ),
        baselines=(
            Baseline("whole pool always on", "10 on-demand and 10 spot nodes for 24 h", whole),
            Baseline("inference always on, training on demand", "10 on-demand nodes for 24 h and 10 more for 4 h", 84000.0),
            Baseline("everything on demand", "20 on-demand nodes for 24 h", 144000.0),
            Baseline("sized for the peak", "8 on-demand nodes for 24 h, training on demand", 69600.0),
        ),
        waterfall=(
            WaterfallStep("right-size", 57600 + 24000 - whole, "keep 8 on-demand nodes, the peak, instead of 10"),
            WaterfallStep("spot for training", 57600 + 4000 - 57600 - 24000, "pay spot nodes for 4 h instead of 24 h"),
            WaterfallStep("elasticity", total - 61600, "follow the load hour by hour"),
        ),
    )


def shop_document(problem: Problem) -> Document:
    """Return the document of the day, with everything a plan may say."""
    name = problem.services[0].name
    quality = Quality(name, "sarima", 14, 0.412, 0.021, 0.71, 0.82, 0.948, 0.049, "better than seasonal naive")
    return plan_document(
        problem,
        shop_plan(problem),
        (shop_forecast(name),),
        (shop_history(name),),
        (quality,),
        (("made by", "optimize"),),
        inputs=(("nodes.csv", "ab" * 32), (problem.jobs[0].name + ".csv", "cd" * 32)),
        versions=(("ortools", "9.15"), ("schedplan", "0.1.0")),
    )


def hostile_problem() -> Problem:
    """Return the same day with names that try to be markup, code and formulas."""
    problem = shop_problem(HOSTILE_JOB, HOSTILE_SERVICE, HOSTILE_POOL)
    return replace(problem, name=HOSTILE_PROJECT, assumptions=(f"{HOSTILE_JOB} runs for 4 h.",))


@pytest.fixture
def problem() -> Problem:
    return shop_problem()


@pytest.fixture
def plan(problem: Problem) -> Plan:
    return shop_plan(problem)


@pytest.fixture(scope="session")
def document() -> Document:
    return shop_document(shop_problem())


@pytest.fixture(scope="session")
def hostile_document() -> Document:
    return shop_document(hostile_problem())


def shop_history(name: str) -> Series:
    noise = np.random.default_rng(0).normal(1.0, 0.03, 28 * SLOTS)
    values = np.array([mean_rps(hour) for hour in range(28 * SLOTS)]) * noise
    return Series(name, DAY_START_S - 28 * SLOTS * HOUR_S, HOUR_S, values, "requests/s")


def shop_forecast(name: str) -> Forecast:
    mean = np.array([mean_rps(hour) for hour in range(SLOTS)])
    levels = (0.5, 0.8, 0.9, 0.95, 0.99)
    factors = np.array([1.0, 1.025, 1.04, 1.06, 1.08])
    bands = ((80, mean * 0.96, mean * 1.04), (95, mean * 0.94, mean * 1.075))
    return Forecast(name, "sarima", DAY_START_S, HOUR_S, mean, levels, factors[:, None] * mean, bands)
