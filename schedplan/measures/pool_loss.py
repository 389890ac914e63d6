"""Pool loss: what becomes of jobs with a deadline if a whole spot pool goes at its worst instant, and does not come back.

What runs there goes back to its last checkpoint and goes on elsewhere, the earliest deadline first, on the cheapest pool that is
not spot, has the same accelerator and has room until the deadline; what was yet to start there starts elsewhere. Instants looked
at are the ends of runs and of their checkpoint intervals, where most is lost. It changes no plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from schedplan.measures.costs import Prices
from schedplan.measures.fallback import candidates
from schedplan.measures.runs import Run
from schedplan.measures.spare_room import holds, rows_of, workers_free
from schedplan.measures.usage import Usage
from schedplan.measures.work import run_minutes
from schedplan.model.cluster import Market, Pool
from schedplan.model.problem import Problem

MOST_INSTANTS = 256


@dataclass(frozen=True, slots=True)
class PoolLoss:
    """The worst instant for one pool: jobs that then miss their deadline, and those that keep it, each with its other pool."""

    pool: Pool
    instant_s: int
    missed: tuple[str, ...]
    covered: tuple[tuple[str, str], ...]


def pool_losses(problem: Problem, runs: Sequence[Run], usage: Usage, prices: Prices) -> tuple[PoolLoss, ...]:
    """Return the loss of each spot pool that holds jobs with a deadline, in the order of the pools."""
    found = []
    for pool in problem.cluster.pools:
        there = [run for run in runs if pool.market is Market.SPOT and pool in run.pools and run.job.deadline_s is not None]
        if there:
            losses = [loss_at(problem, pool, there, usage, prices, instant_s) for instant_s in _instants(there)]
            found.append(max(losses, key=lambda loss: (len(loss.missed), len(loss.covered), -loss.instant_s)))
    return tuple(found)


def _instants(runs: Sequence[Run]) -> list[int]:
    """Return instants at which most is lost, those at the ends of runs first where there are too many."""
    ends = [run.run_end_s for run in runs]
    within = [
        run.start_s + round(interval * number)
        for run in runs
        if (interval := _interval_s(run)) < run.minutes * 60
        for number in range(1, int(run.minutes * 60 / interval) + 1)
    ]
    return list(dict.fromkeys([*sorted(ends), *sorted(within)]))[:MOST_INSTANTS]


def _interval_s(run: Run) -> float:
    whole_s = run.minutes * 60
    return whole_s if run.job.checkpoint_minutes is None else min(run.job.checkpoint_minutes * 60, whole_s)


def loss_at(problem: Problem, pool: Pool, runs: Sequence[Run], usage: Usage, prices: Prices, instant_s: int) -> PoolLoss:
    """Return what becomes of runs where their pool goes just before an instant."""
    room = _Room(problem, usage, prices)
    missed, covered = [], []
    for run in sorted(runs, key=lambda run: (run.job.deadline_s or 0, run.job.name)):
        if run.run_end_s < instant_s:
            continue
        other = room.take(run, instant_s)
        if other is None:
            missed.append(run.job.name)
        else:
            covered.append((run.job.name, other.name))
    return PoolLoss(pool, instant_s, tuple(missed), tuple(covered))


class _Room:
    """What pools that are not spot have left while jobs are put there; it lives for one instant of one loss."""

    def __init__(self, problem: Problem, usage: Usage, prices: Prices) -> None:
        self.problem = problem
        self.prices = prices
        copies = (usage.devices.copy(), usage.cpus.copy(), usage.memory_gib.copy())
        self.usage = replace(usage, devices=copies[0], cpus=copies[1], memory_gib=copies[2])

    def take(self, run: Run, instant_s: int) -> Pool | None:
        """Give a run room elsewhere from an instant to its deadline and return where; None where it would end too late."""
        grid = self.problem.grid
        first = max(run.start_slot, min(int(np.searchsorted(grid.edges_s, instant_s - 1, side="right")) - 1, grid.n_slots - 1))
        window = slice(first, max(grid.deadline_edge(run.job.deadline_s), first + 1))
        in_time = [pool for pool in candidates(self.problem, run) if self._end_s(run, pool, instant_s) <= (run.job.deadline_s or 0)]
        for pool in sorted(in_time, key=lambda pool: (self.prices.span(pool, window), pool.name)):
            free = workers_free(self.problem, pool, run.job, self.usage, window)
            if holds(run.job, free, run.workers):
                self._hold(run, pool, free, window)
                return pool
        return None

    def _end_s(self, run: Run, pool: Pool, instant_s: int) -> float:
        """Return when a run ends elsewhere: from its last checkpoint before the instant, or from its start if it has not begun."""
        lag_s = 0.0 if pool.market.is_sunk else pool.startup_minutes * 60
        ratio = run_minutes(self.problem, run.job, pool, run.workers) / run.minutes
        work_s, interval_s = run.minutes * 60, _interval_s(run)
        if instant_s <= run.start_s:
            return max(instant_s + lag_s, run.start_s) + work_s * ratio
        saved_s = ((instant_s - 1 - run.start_s) // interval_s) * interval_s
        return instant_s + lag_s + run.job.restart_minutes * 60 + (work_s - saved_s) * ratio

    def _hold(self, run: Run, pool: Pool, free: np.ndarray[tuple[int, ...], np.dtype[np.int64]], window: slice) -> None:
        shape, left = run.job.shape, run.workers
        rows = rows_of(self.problem, pool)
        for idx in np.argsort(-free, kind="stable"):
            taken = min(left, int(free[idx]))
            for held, ask in (
                (self.usage.devices, shape.gpus),
                (self.usage.cpus, shape.cpus),
                (self.usage.memory_gib, shape.memory_gib),
            ):
                held[rows.start + int(idx), window] += taken * ask
            left -= taken
