"""Fallback: where a job on spot nodes could go when they are taken away, and until when that still saves its deadline.

A pool is a fallback when it is not spot, has the same accelerator, may hold the job, and its nodes have room for all workers in
every slot from the job's start to its deadline.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.costs import Prices
from schedplan.measures.eligibility import job_refusal
from schedplan.measures.runs import Run
from schedplan.measures.spare_room import holds, rows_of, workers_free
from schedplan.measures.usage import Usage
from schedplan.measures.work import run_minutes
from schedplan.model.cluster import Market, Pool
from schedplan.model.problem import Problem


@dataclass(frozen=True, slots=True)
class Fallback:
    """The answer for one run on spot nodes with a deadline.

    need: devices (cores where it asks for none). pool: the cheapest pool that has them, None where none does; best_pool, left,
    slot: otherwise the pool that has most at its worst slot (None: no such pool), and what that is. switch_by_s: see
    `latest_safe_switch_s`; None without a pool, and where the pool could not finish in time even from the start.
    """

    need: float
    unit: str
    pool: Pool | None
    switch_by_s: int | None
    best_pool: Pool | None
    left: float
    slot: int


def fallback_of(problem: Problem, run: Run, usage: Usage, prices: Prices) -> Fallback | None:
    """Return the fallback of a run; None where it asks for none: not on spot nodes, or without a deadline."""
    if not run.on_spot or run.job.deadline_s is None:
        return None
    by_devices = run.job.shape.gpus > 0
    need = run.workers * (run.job.shape.gpus if by_devices else run.job.shape.cpus)
    unit = "devices" if by_devices else "cores"
    last = max(problem.grid.deadline_edge(run.job.deadline_s), run.start_slot + 1)
    window = slice(run.start_slot, last)
    rooms = [(pool, _room(problem, pool, usage, by_devices)[window]) for pool in candidates(problem, run)]
    enough = [pool for pool, _ in rooms if holds(run.job, workers_free(problem, pool, run.job, usage, window), run.workers)]
    if enough:
        pool = min(enough, key=lambda pool: (prices.span(pool, window), pool.name))
        return Fallback(need, unit, pool, latest_safe_switch_s(problem, run, pool), pool, need, run.start_slot)
    if not rooms:
        return Fallback(need, unit, None, None, None, 0.0, run.start_slot)
    best, room = max(rooms, key=lambda found: float(found[1].min()))
    return Fallback(need, unit, None, None, best, max(float(room.min()), 0.0), run.start_slot + int(room.argmin()))


def latest_safe_switch_s(problem: Problem, run: Run, pool: Pool) -> int | None:
    """Return the last instant up to which a switch to `pool` at any moment of the run still ends by the deadline.

    A switch at x goes back to the last checkpoint c before x and ends at x + start-up + restart + what is left from c on. So
    x <= deadline - (work since the checkpoint + remaining work) - restart - start-up, in each interval between checkpoints; the
    first interval that is not safe to its end gives the answer, the end of the run where all are. None where a switch is too
    late from the start.
    """
    if run.job.deadline_s is None:
        return None
    work_s, ratio = run.minutes * 60.0, run_minutes(problem, run.job, pool, run.workers) / run.minutes
    interval_s = work_s if run.job.checkpoint_minutes is None else min(run.job.checkpoint_minutes * 60.0, work_s)
    lag_s = (0.0 if pool.market.is_sunk else pool.startup_minutes * 60.0) + run.job.restart_minutes * 60.0
    saved_s, safe_s = 0.0, None
    while saved_s < work_s - 1e-6:
        left_s = (work_s - saved_s) * ratio
        latest_s = run.job.deadline_s - left_s - lag_s
        interval_end_s = run.start_s + min(saved_s + interval_s, work_s)
        if latest_s < run.start_s + saved_s - 1e-6:
            return None if safe_s is None else int(safe_s)
        safe_s = min(latest_s, interval_end_s) + 1e-6
        if latest_s < interval_end_s - 1e-6:
            return int(safe_s)
        saved_s += interval_s
    return None if safe_s is None else int(safe_s)


def candidates(problem: Problem, run: Run) -> Sequence[Pool]:
    """Return the pools that are not spot, have the accelerator that a run stands on, and may hold it."""
    accelerator = run.pools[0].accelerator
    return [
        pool
        for pool in problem.cluster.pools
        if pool.market is not Market.SPOT and pool.accelerator == accelerator and job_refusal(pool, run.job) is None
    ]


def _room(problem: Problem, pool: Pool, usage: Usage, by_devices: bool) -> NDArray[np.float64]:
    """What the nodes that a plan may use have free, on or off, float64 [n_slots]; unknown cores are no limit."""
    rows = rows_of(problem, pool)
    is_there = ~problem.is_down[rows]
    if by_devices:
        return np.asarray(((pool.gpus - usage.devices[rows]) * is_there).sum(axis=0))
    if pool.cpus is None:
        return np.where(is_there.any(axis=0), np.inf, 0.0)
    return np.asarray(((pool.cpus - usage.cpus[rows]) * is_there).sum(axis=0))
