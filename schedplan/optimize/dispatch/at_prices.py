"""A plan from prices alone, for problems whose model would not fit in memory: job by job, the most urgent first, on nodes at once,
each at the first of its cheapest starts that has room. The same prices prove the bound.

It builds no model, so its memory hangs on jobs and nodes, not on their product.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from schedplan.model.plan import Decisions
from schedplan.model.workload import Job, JobState
from schedplan.optimize.best import Best
from schedplan.optimize.dispatch.priced_floor import PricedFloor
from schedplan.optimize.lagrangian.ascent import Ascent
from schedplan.optimize.lagrangian.proven import proven_by_prices
from schedplan.optimize.lagrangian.relaxation import Prices, Relaxation
from schedplan.optimize.nodes.freedom import may_land
from schedplan.optimize.nodes.rates import Rates
from schedplan.optimize.route import told_memory

STARTS_TRIED = 64
"""Starts of a job that are tried, the cheapest first; behind them it is put where it adds least. Our choice."""
AT_ONCE = 5_000
"""Jobs of which the starts are priced together: of each on every pool in every slot there is one number."""


class SearchAtPrices:
    """One search without a model. It lives for one call."""

    def __init__(self, best: Best) -> None:
        self.best = best
        self.problem, self.options = best.problem, best.options
        self.rates = Rates.of(best.problem, best.normalisation)

    def run(self) -> None:
        """Prove a bound by prices, then pack at them."""
        self.best.route.append(told_memory(self.best.size, self.options))
        self.pack(proven_by_prices(self.best, self.rates))

    def pack(self, ascent: Ascent) -> None:
        """Put every job where the prices of an ascent make it cheapest."""
        if not may_land(self.problem) or any(job.state is JobState.RUNNING for job in self.problem.jobs):
            self.best.route.append("some work stands by more than room, windows and quotas, so prices alone make no plan")
            return
        self.best.tell("packing on nodes")
        landed = self._landed(ascent.relaxation, ascent.best_prices)
        if landed is not None:
            self.best.offer(landed)
        self.best.route.append("packing at prices")

    def _landed(self, relaxation: Relaxation, prices: Prices) -> Decisions | None:
        """Return the plan on nodes."""
        floor = PricedFloor(self.problem, self.rates)
        floor.insert([job for job, starts in self._cheapest(relaxation, prices) if not floor.put_first(job, starts)])
        return floor.decisions()

    def _cheapest(self, relaxation: Relaxation, prices: Prices) -> Iterator[tuple[Job, list[tuple[int, int]]]]:
        """Give jobs with their cheapest starts, (pool, slot): the most urgent first, then by release, the widest first."""
        jobs, excluded = self.problem.jobs, {job.name for job in self.best.excluded}
        numbers = [number for number, job in enumerate(jobs) if job.name not in excluded]
        order = np.array(sorted(numbers, key=lambda number: self._rank(jobs[number])), dtype=np.int64)
        everywhere = range(self.problem.grid.n_slots)
        for first in range(0, len(order), AT_ONCE):
            part = order[first : first + AT_ONCE]
            found = relaxation.cheapest_starts(prices, part, everywhere, STARTS_TRIED)
            yield from ((jobs[number], starts) for number, starts in zip(part.tolist(), found, strict=True))

    def _rank(self, job: Job) -> tuple[int, int, float, str]:
        return -self.problem.urgency[job.priority], self.problem.grid.release_slot(job.release_s), -job.devices, job.name
