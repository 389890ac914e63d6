"""A problem small enough to be worked out by hand: two hours or more, an on-demand and a spot pool."""

from __future__ import annotations

import numpy as np

from schedplan.model.cluster import Cluster, Market, Pool
from schedplan.model.plan import Decisions, JobPart, Plan, PlanStatus, Proof, ReplicaPart
from schedplan.model.problem import Demand, Limits, Problem
from schedplan.model.workload import Job, Service, WorkerShape
from schedplan.timegrid import TimeGrid

HOUR = 3600
OD = Pool("od", count=2, min_count=0, max_count=2, accelerator="A100", gpus=8, market=Market.ON_DEMAND, price_per_hour=10.0)
SPOT = Pool(
    "spot",
    count=1,
    min_count=0,
    max_count=1,
    accelerator="A100",
    gpus=8,
    market=Market.SPOT,
    price_per_hour=4.0,
    interruptions_per_hour=0.1,
)
OLD = Pool("old", accelerator="V100", gpus=4, price_per_hour=0.0)


def job(name: str = "train", **fields: object) -> Job:
    """Return a job of one worker with 8 devices for an hour, unless `fields` say otherwise."""
    given = {"shape": WorkerShape(gpus=8.0), "runtime_minutes": 60.0} | fields
    return Job(name, **given)  # type: ignore[arg-type]


def problem(
    *jobs: Job,
    pools: tuple[Pool, ...] = (OD, SPOT),
    hours: int = 4,
    services: tuple[Service, ...] = (),
    rps: float = 0.0,
    limits: Limits | None = None,
) -> Problem:
    demands = tuple(Demand(service.name, np.full(hours, rps), np.full(hours, rps)) for service in services)
    cluster = Cluster(tuple(sorted(pools, key=lambda pool: pool.name)))
    ordered = tuple(sorted(jobs, key=lambda job: job.name))
    return Problem("small", TimeGrid.regular(0, 60, hours), cluster, ordered, services, demands, limits=limits or Limits())


def plan(task: Problem, *parts: JobPart, replicas: tuple[ReplicaPart, ...] = ()) -> Plan:
    """Return a plan with these parts; every node on that holds something, and the sunk ones."""
    on = np.zeros((len(task.cluster.nodes), task.grid.n_slots), dtype=np.bool_)
    for name, pool in task.cluster.pool_of_node.items():
        on[task.cluster.node_idx[name]] = pool.market.is_sunk
    for part in parts:
        hours = int((task.job_by_name[part.job].runtime_minutes or 0) // 60)
        on[task.cluster.node_idx[part.node], part.start_slot : part.start_slot + hours] = True
    for replica in replicas:
        on[task.cluster.node_idx[replica.node], replica.slot] = True
    decisions = Decisions(tuple(sorted(parts)), tuple(sorted(replicas)), on)
    return Plan(decisions, Proof(PlanStatus.FEASIBLE, None, None, None, None, "by hand"))
