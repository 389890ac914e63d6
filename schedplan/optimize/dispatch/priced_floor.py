"""A floor on which jobs are put one by one, over all slots, without a layout of their starts. It chooses no order."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from schedplan.model.cluster import Pool
from schedplan.model.plan import Decisions
from schedplan.model.problem import Problem
from schedplan.model.workload import Job
from schedplan.optimize.cells import Level
from schedplan.optimize.constraints.spot import fewest_nodes
from schedplan.optimize.constraints.window import windows_from
from schedplan.optimize.layout import Layout, without_columns
from schedplan.optimize.nodes.berth import Berth
from schedplan.optimize.nodes.fleets import Demands, refit
from schedplan.optimize.nodes.floor import Floor
from schedplan.optimize.nodes.offers import Offer, berths, nodes_for
from schedplan.optimize.nodes.packing import by_worth
from schedplan.optimize.nodes.rates import Rates
from schedplan.optimize.sites import Site


def completed_on_nodes(problem: Problem, rates: Rates, decisions: Decisions) -> Decisions | None:
    """Return decisions with what they leave out where it adds least to F, and replicas chosen anew; None where nodes could not be
    up in time."""
    priced = PricedFloor(problem, rates, decisions)
    priced.insert(job for job in by_worth(problem.jobs, rates) if job.name not in priced.floor.berths)
    return priced.decisions()


class PricedFloor:
    """A floor, empty or with what decisions have, and with the replicas that serve every slot on it from the start."""

    def __init__(self, problem: Problem, rates: Rates, decisions: Decisions | None = None) -> None:
        self.problem, self.rates = problem, rates
        self.floor = Floor(problem, rates) if decisions is None else Floor.of(problem, rates, decisions)
        self._layout: Layout = without_columns(problem, problem.jobs, Level.POOLS)
        self._demands = Demands.of(self._layout, self.floor)
        self._nodes_of_pool: dict[str, NDArray[np.intp]] = {}
        self._nodes_of_site: dict[tuple[int, ...], NDArray[np.intp]] = {}
        self._class_of = {job.name: one for one in self._layout.classes for job in one.jobs}
        refit(self.floor, self._demands)

    def put_first(self, job: Job, starts: Iterable[tuple[int, int]]) -> bool:
        """Put a job with all of its workers at the first of some starts, (pool, slot), that has room; whether it is worth that."""
        allowed: dict[str | None, tuple[NDArray[np.bool_], NDArray[np.float64]] | None] = {}
        for pool_idx, slot in starts:
            pool = self.problem.cluster.pools[pool_idx]
            window = next(windows_from(self.problem, job, pool, slot), None)
            if window is None or window[0] != slot:
                continue
            if pool.accelerator not in allowed:
                allowed[pool.accelerator] = self.floor.quota(job, pool.accelerator, job.workers)
            bound, slots = allowed[pool.accelerator], slice(*window)
            if bound is not None and not bound[0][slots].all():
                continue
            taken = nodes_for(self.floor, self._of_pool(pool), job, job.workers, slots)
            if taken is not None:
                berth = Berth(job, *window, taken)
                is_worth_it = self.floor.added_by(berth) < 0.0
                if is_worth_it:
                    self.floor.put(berth)
                return is_worth_it
        return False

    def insert(self, jobs: Iterable[Job]) -> None:
        """Put each job, in their order, where it adds least to F, where that is worth it."""
        for job in jobs:
            best: Berth | None = None
            below = 0.0
            for berth, added in berths(self.floor, self._offers(job), job, below):
                if added < below:
                    best, below = berth, added
            if best is not None:
                self.floor.put(best)

    def decisions(self) -> Decisions | None:
        """Return what stands, with the replicas that serve every slot beside it; None where nodes could not be up in time."""
        refit(self.floor, self._demands)
        return self.floor.decisions()

    def _of_pool(self, pool: Pool) -> NDArray[np.intp]:
        if pool.name not in self._nodes_of_pool:
            self._nodes_of_pool[pool.name] = np.array(self.problem.cluster.nodes_of_pool[pool.name], dtype=np.intp)
        return self._nodes_of_pool[pool.name]

    def _offers(self, job: Job) -> tuple[Offer, ...]:
        """Return all starts of a job, the cheapest first."""
        found: list[Offer] = []
        left_out, release = self.rates.left_out(job), self.problem.grid.release_slot(job.release_s)
        for site in self._class_of[job.name].sites:
            pool, nodes = self._layout.cells[site.cells[0]].pool, self._of_site(site)
            on = fewest_nodes(job.workers, max(site.per_node))
            for start, end in windows_from(self.problem, job, pool, release):
                least = self.rates.start(job, pool, start, end, job.workers) - left_out
                least += self.rates.rework(job, pool, on, start, job.workers)
                found.append(Offer(start, end, job.workers, nodes, pool.accelerator, least))
        return tuple(sorted(found, key=lambda one: (one.least, one.start_slot, int(one.nodes[0]))))

    def _of_site(self, site: Site) -> NDArray[np.intp]:
        if site.cells not in self._nodes_of_site:
            idx = self.problem.cluster.node_idx
            names = (name for cell in site.cells for name in self._layout.cells[cell].nodes)
            self._nodes_of_site[site.cells] = np.array(sorted(idx[name] for name in names), dtype=np.intp)
        return self._nodes_of_site[site.cells]
