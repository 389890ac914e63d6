from dataclasses import replace

import numpy as np
import pytest

from schedplan.measures.accounting import account
from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.plan import Decisions, JobPart, ReplicaPart
from schedplan.model.problem import Demand, Limits, Problem
from schedplan.model.workload import Job, Service, WorkerShape
from schedplan.timegrid import TimeGrid

T0 = 1_796_083_200
GRID = TimeGrid.regular(T0, 60, 4)
ONE = WorkerShape(gpus=1)
NODE = Pool("n", gpus=2, market=Market.ON_DEMAND, min_count=0, caches=("model",))
JOB = Job("j", shape=ONE, runtime_minutes=60.0, spot_ok=True)
SERVICE = Service("s", 1000, 100, shape=ONE)


def warnings(pool, jobs=(), services=(), demands=(), replicas=(), on="1111", limits=None, workers=1):
    problem = Problem("p", GRID, Cluster((pool,)), tuple(jobs), tuple(services), tuple(demands), limits=limits or Limits())
    parts = tuple(JobPart(job.name, "n", 0, workers) for job in jobs)
    return account(problem, Decisions(parts, tuple(replicas), np.array([[letter == "1" for letter in on]]))).warnings


def test_a_plain_plan_needs_no_warning():
    assert warnings(NODE, [JOB], [SERVICE], replicas=[ReplicaPart("s", slot, "n", 1) for slot in range(4)]) == ()


def test_spot_without_a_reclaim_rate_is_told():
    assert warnings(replace(NODE, market=Market.SPOT), [JOB]) == (
        "pool n: spot without interruptions_per_hour; rework there counts as 0",
    )


@pytest.mark.parametrize(("on", "billing", "count"), [("1100", 120.0, 1), ("1111", 120.0, 0), ("1100", 60.0, 0)])
def test_billing_units_longer_than_a_slot_are_told_where_nodes_are_switched(on, billing, count):
    assert count == len(warnings(replace(NODE, billing_minutes=billing), on=on))


@pytest.mark.parametrize(("count", "words"), [(1, "the replica"), (2, "the 2 replicas")])
def test_replicas_that_are_taken_as_warm_are_told(count, words):
    service = replace(SERVICE, startup_minutes=30.0, affinity="model", load_minutes=10.0)
    found = warnings(NODE, [], [service], replicas=[ReplicaPart("s", slot, "n", count) for slot in range(4)])

    # n holds the model, so nothing is loaded
    assert found == (f"service s: {words} of the first slot must be warm when the plan begins: asked for 30 min before",)
    assert warnings(NODE, [], [service], replicas=[ReplicaPart("s", 1, "n", count)]) == ()


def test_load_above_the_limit_is_told():
    # 5/s of 100 ms on one replica: 50 % against 40 %.
    demand = Demand("s", np.full(4, 5.0), np.full(4, 5.0))
    stands = [ReplicaPart("s", slot, "n", 1) for slot in range(4)]

    assert warnings(NODE, [], [SERVICE], [demand], stands, limits=Limits(max_utilization=0.4)) == (
        "service s: load 50.0% of its replicas at 2026-12-01 00:00+00:00; the limit is 40.0%",
    )


def test_a_node_without_device_numbers_is_told():
    found = warnings(NODE, [replace(JOB, workers=3)], workers=3)

    assert found == ("node n: 3 devices are held, the node has 2; no device numbers are given for its jobs",)
