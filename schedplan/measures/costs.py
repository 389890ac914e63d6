"""Costs: what a plan pays for nodes, how that splits over the work on them, and the rework to be expected on spot nodes.

    paid = sum over nodes and slots of on x price x hours  =  shares of jobs + shares of replicas + idle
    rework of a job = (E[T] - W) x sum over its workers of their share of the node price at its start

It counts slots, not billing units, and knows nothing of energy or of what ought to be paid.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.eligibility import workers_per_node
from schedplan.measures.runs import Run
from schedplan.measures.spot import gang_rate, rework_h
from schedplan.measures.work import node_share, stretch
from schedplan.model.cluster import Pool
from schedplan.model.plan import Decisions
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, WorkerShape


@dataclass(frozen=True)
class Prices:
    """Price of one node per pool: per_h in currency per hour, per_slot in currency per slot; float64 [n_slots] each."""

    per_h: dict[str, NDArray[np.float64]]
    per_slot: dict[str, NDArray[np.float64]]

    @classmethod
    def of(cls, problem: Problem) -> Prices:
        """Return the prices of all pools."""
        per_h = {pool.name: np.asarray(problem.price_per_h(pool), dtype=np.float64) for pool in problem.cluster.pools}
        return cls(per_h, {name: price * problem.grid.hours for name, price in per_h.items()})

    def span(self, pool: Pool, slots: slice) -> float:
        """Return what one node of a pool costs over the slots."""
        return float(self.per_slot[pool.name][slots].sum())


def paid(problem: Problem, decisions: Decisions, prices: Prices) -> NDArray[np.float64]:
    """Return what is paid per node and slot, currency, float64 [node, slot]."""
    rows = [prices.per_slot[problem.cluster.pool_of_node[node].name] for node in problem.cluster.nodes]
    return np.where(decisions.on, np.array(rows).reshape(decisions.on.shape), 0.0)


def paid_anyway(problem: Problem) -> NDArray[np.float64]:
    """Return what nodes that are on in every slot cost whatever stands on them, currency, float64 [n_slots]."""
    per_h = np.zeros(problem.grid.n_slots)
    for pool in problem.cluster.pools:
        per_h += pool.always_on * problem.price_per_h(pool)
    return per_h * problem.grid.hours


def hold_cost(prices: Prices, pool: Pool, shape: WorkerShape, workers: int, slots: slice) -> float:
    """Return the workers' share of the node price over the slots."""
    return workers * node_share(pool, shape) * prices.span(pool, slots)


def run_rework_h(run: Run) -> float:
    """Return the hours a run is expected to repeat: its gang is interrupted when any of its spot nodes goes."""
    return job_rework_h(run.job, run.hours, run.rate_per_h)


def job_rework_h(job: Job, work_h: float, rate_per_h: float) -> float:
    """Return the expected rework of a job at a rate of interruptions of the whole gang."""
    return rework_h(work_h, rate_per_h, job.checkpoint_h, job.checkpoint_cost_minutes / 60.0, job.restart_minutes / 60.0)


def part_rework_costs(run: Run, prices: Prices) -> tuple[float, ...]:
    """Return the expected rework of each part of a run, currency."""
    repeated_h = run_rework_h(run)
    if repeated_h == 0:
        return (0.0,) * len(run.parts)
    return tuple(
        repeated_h * part.workers * node_share(pool, run.job.shape) * float(prices.per_h[pool.name][run.start_slot])
        for part, pool in zip(run.parts, run.pools, strict=True)
    )


def part_hold_costs(run: Run, prices: Prices) -> tuple[float, ...]:
    """Return what each part of a run bears of its node's price over the booked slots, currency."""
    return tuple(
        hold_cost(prices, pool, run.job.shape, part.workers, run.slots) for part, pool in zip(run.parts, run.pools, strict=True)
    )


def run_cost_on(
    problem: Problem, job: Job, pool: Pool, start_slot: int, prices: Prices, workers: int | None = None
) -> float | None:
    """Return what a job would bear on one pool from a slot, rework on full nodes included; None where it does not end in time.

    workers: how many of them run, by default all.
    """
    count = job.workers if workers is None else workers
    minutes = problem.runtime_minutes(job, pool) * stretch(job, count)
    end_edge = problem.grid.end_edge(start_slot, minutes)
    per_node = workers_per_node(pool, job.shape)
    if end_edge is None or per_node == 0:
        return None
    held = hold_cost(prices, pool, job.shape, count, slice(start_slot, end_edge))
    repeated_h = job_rework_h(job, minutes / 60.0, gang_rate(pool, ceil(count / per_node)))
    return held + repeated_h * count * node_share(pool, job.shape) * float(prices.per_h[pool.name][start_slot])
