"""Landing: what a part starts, on single nodes at once, so that the next part knows what found no room. It plans no part.

Gangs are packed by start, widest first; one that finds no room takes the start in the same part that adds least to F, and where
none is worth it waits for the next part.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from schedplan.model.plan import Decisions
from schedplan.model.problem import Problem
from schedplan.model.workload import Job
from schedplan.optimize.constraints.spot import fewest_nodes
from schedplan.optimize.constraints.window import windows_from
from schedplan.optimize.layout import Layout, Level, Site, without_columns
from schedplan.optimize.nodes.berth import Berth
from schedplan.optimize.nodes.fleets import Demands, refit
from schedplan.optimize.nodes.floor import Floor
from schedplan.optimize.nodes.freedom import may_move, may_refit
from schedplan.optimize.nodes.offers import Offer, berths
from schedplan.optimize.nodes.packing import pack, widest_first
from schedplan.optimize.nodes.rates import Rates
from schedplan.packing.assignment import GangStart


def may_land(problem: Problem) -> bool:
    """Whether all work may be put on nodes by room, windows and quotas alone, part by part."""
    return all(may_move(problem, job) for job in problem.jobs) and all(may_refit(problem, one) for one in problem.services)


class Landing:
    """A floor over the whole horizon that fills up part by part."""

    def __init__(self, problem: Problem, rates: Rates) -> None:
        self.problem, self.rates = problem, rates
        self.floor = Floor(problem, rates)
        self.layout: Layout = without_columns(problem, problem.jobs, Level.POOLS)
        self.demands = Demands.of(self.layout, self.floor)
        self.class_of = {job.name: one for one in self.layout.classes for job in one.jobs}

    def put(self, gangs: Iterable[GangStart], slots: range, later: dict[str, float]) -> dict[str, GangStart]:
        """Put gangs on nodes, elsewhere in some slots where there is no room; return those that stand, by job.

        later: of each job, what it adds to F less that of being left out, where it starts behind those slots. Replicas have their
        room before what found none: in these slots, and where what starts in them may still run.
        """
        wished = tuple(gangs)
        homeless = pack(self.floor, wished, widest_first)
        ends = [gang.end_edge for gang in wished]
        refit(self.floor, self.demands, range(slots.start, max([slots.stop, *ends])))
        for job in sorted(homeless, key=lambda job: (-job.devices, job.name)):
            best: Berth | None = None
            below = later[job.name]
            for berth, added in berths(self.floor, self._offers(job, slots), job, below):
                if added < below:
                    best, below = berth, added
            if best is not None:
                self.floor.put(best)
        self._lift_replicas(slots.stop)
        return {gang.job.name: self._standing(gang.job) for gang in wished if gang.job.name in self.floor.berths}

    def decisions(self) -> Decisions | None:
        """Return what stands, with the replicas that serve every slot beside it; None where nodes could not be up in time."""
        refit(self.floor, self.demands)
        return self.floor.decisions()

    def _standing(self, job: Job) -> GangStart:
        berth, names = self.floor.berths[job.name], self.problem.cluster.nodes
        groups = tuple(((names[node],), workers) for node, workers in berth.nodes)
        return GangStart(job, berth.start_slot, berth.end_edge, groups, one_node=len(groups) == 1)

    def _lift_replicas(self, slot: int) -> None:
        """Take off the replicas that stand in a slot or later."""
        for name, fleet in self.floor.fleets.items():
            for (node, when), count in sorted(fleet.items()):
                if when >= slot:
                    self.floor.stand(self.problem.service_by_name[name], node, when, -count)

    def _offers(self, job: Job, slots: range) -> tuple[Offer, ...]:
        """Return all starts of a job in some slots, the cheapest first."""
        found: list[Offer] = []
        for site in self.class_of[job.name].sites:
            pool = self.layout.cells[site.cells[0]].pool
            nodes, left_out = self._nodes(site), self.rates.left_out(job)
            on = fewest_nodes(job.workers, max(site.per_node))
            for start, end in windows_from(
                self.problem, job, pool, max(slots.start, self.problem.grid.release_slot(job.release_s))
            ):
                if start >= slots.stop:
                    break
                least = self.rates.start(job, pool, start, end, job.workers) - left_out
                least += self.rates.rework(job, pool, on, start, job.workers)
                found.append(Offer(start, end, job.workers, nodes, pool.accelerator, least))
        return tuple(sorted(found, key=lambda one: (one.least, one.start_slot, int(one.nodes[0]))))

    def _nodes(self, site: Site) -> NDArray[np.intp]:
        idx = self.problem.cluster.node_idx
        return np.array(sorted(idx[name] for cell in site.cells for name in self.layout.cells[cell].nodes), dtype=np.intp)
