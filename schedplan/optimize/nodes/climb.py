"""The climb: from a plan on pools to one on nodes, and on by boxes of nodes. Every step is counted; none is bound by the clock.

Gangs are packed in two orders, again and again with those first that found no room; of the cheapest outcome the pools in which some
still find none are packed exactly; replicas are chosen anew; what has no room is put where it adds least to F; then come boxes. It
hands out decisions; the check judges them.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from schedplan.measures.objective import Normalisation
from schedplan.model.plan import Decisions
from schedplan.model.problem import Problem
from schedplan.model.workload import Job
from schedplan.optimize.layout import Layout
from schedplan.optimize.nodes.exact_packing import repack
from schedplan.optimize.nodes.fleets import Demands, refit
from schedplan.optimize.nodes.floor import Floor
from schedplan.optimize.nodes.frames import EVERY, Frames
from schedplan.optimize.nodes.freedom import may_move, may_refit
from schedplan.optimize.nodes.node_box import improve
from schedplan.optimize.nodes.offers import Offers
from schedplan.optimize.nodes.packing import ORDERS, Order, insert, pack_again
from schedplan.optimize.nodes.rates import Rates
from schedplan.optimize.on_nodes import on_nodes
from schedplan.optimize.refine.prices import StartPrices
from schedplan.packing.assignment import FleetSlot, GangStart

PACKED, FEWEST_ROUNDS, MOST_ROUNDS = 24_000, 4, 24
"""Gangs that are packed in all rounds of an order; a plan that is only to be there soon is packed in a quarter of them."""
PACKING_WORK = (0.5, 1.0)
"""Of each pass over the pools in which some gang has no room yet: a pass starts from what the one before has left."""
MOST_BROUGHT_BACK, OFFERS_TRIED = 10, 6
MANY_NODES = 400
"""Of more nodes no pool is packed exactly, and boxes are drawn around jobs that are left out as long as there are any."""
A_ROUND = 20
"""After so many boxes what is left out is inserted again, and the plan is handed to the caller."""


class Climb:
    """A plan on single nodes in the making. prices: of starts, by the relaxation on pools. work:
    deterministic time spent; dropped: jobs of the plan on pools that it lacks."""

    def __init__(
        self, problem: Problem, layout: Layout, normalisation: Normalisation, seed: int, prices: StartPrices | None = None
    ) -> None:
        self.problem, self.seed = problem, seed
        self.rates = Rates.of(problem, normalisation)
        self.offers = Offers(layout, self.rates, prices)
        self.layout = layout
        self.jobs: tuple[Job, ...] = tuple(job for one in layout.classes for job in one.jobs if may_move(problem, job))
        self.floor: Floor | None = None
        self.planned: tuple[str, ...] = ()
        self.work = 0.0
        self.boxes = 0

    @property
    def is_large(self) -> bool:
        """Whether there are so many nodes that work counts more around what has no room than anywhere else."""
        return len(self.problem.cluster.nodes) > MANY_NODES

    @property
    def dropped(self) -> tuple[str, ...]:
        """Return the jobs that the plan on pools has and the one on nodes has not."""
        standing = self.floor.berths if self.floor else {}
        return tuple(name for name in self.planned if name not in standing)

    def land(self, gangs: tuple[GangStart, ...], fleets: tuple[FleetSlot, ...], *, is_exact: bool = True) -> Decisions | None:
        """Put a plan on pools on nodes; None where what may not move finds no place. is_exact: pools are packed exactly where some
        gang finds no room otherwise."""
        bases = self._bases(gangs, fleets)
        moving = tuple(gang for gang in gangs if may_move(self.problem, gang.job))
        self.planned = tuple(sorted(gang.job.name for gang in moving))
        rounds = min(max(PACKED // max(len(moving), 1), FEWEST_ROUNDS), MOST_ROUNDS) // (1 if is_exact else 4)
        packed = [self._packed(base, moving, order, rounds) for base in bases for order in ORDERS]
        if not packed:
            return None
        self.floor = min(packed, key=lambda floor: floor.total)
        demands = Demands.of(self.layout, self.floor)
        for work_limit in PACKING_WORK if is_exact and not self.is_large else ():
            self.work += repack(self.floor, self.offers, demands, moving, work_limit, self.seed)
        refit(self.floor, demands)
        self._complete(self.floor, demands)
        return self.floor.decisions()

    def take(self, decisions: Decisions) -> None:
        """Stand where decisions stand that the check has accepted, where that is better."""
        floor = Floor.of(self.problem, self.rates, decisions)
        if self.floor is None or floor.total < self.floor.total:
            self.floor = floor

    def improve(self, boxes: int, work_limit: float) -> Iterator[Decisions]:
        """Improve by so many boxes, giving the plan after every round of them; a round that gains nothing is the last."""
        if self.floor is None:
            return
        demands = Demands.of(self.layout, self.floor)
        frames = Frames(self.floor, self.offers, self.jobs, Random(self.seed), 1 if self.is_large else EVERY)
        self._bring_back(self.floor, frames, demands, work_limit)
        before = self.floor.total
        for number in range(1, boxes + 1):
            frame = frames.frame()
            if frame is None:
                return
            self.work += improve(self.floor, self.offers, demands, frame, work_limit, self.seed)
            self.boxes += 1
            if number % A_ROUND == 0 or number == boxes:
                self._complete(self.floor, demands)
                decisions = self.floor.decisions()
                if decisions is not None:
                    yield decisions
                if self.floor.total >= before:
                    return
                before = self.floor.total

    def _bring_back(self, floor: Floor, frames: Frames, demands: Demands, work_limit: float) -> None:
        """Draw boxes around the dearest jobs that the plan on pools has and this one lacks, at their best offers."""
        by_name = {job.name: job for job in self.jobs}
        dropped = sorted((by_name[name] for name in self.dropped), key=lambda job: (-self.rates.left_out(job), job.name))
        for job in dropped[:MOST_BROUGHT_BACK]:
            for offer in self.offers.of(job)[:OFFERS_TRIED]:
                waiting = [one for one in self.jobs if one.name not in floor.berths and one is not job]
                if job.name in floor.berths:
                    break
                self.work += improve(floor, self.offers, demands, frames.near(job, offer, waiting), work_limit, self.seed)

    def _bases(self, gangs: tuple[GangStart, ...], fleets: tuple[FleetSlot, ...]) -> list[Decisions]:
        """Return plans in which what may not move has its place; one without anything where all may."""
        is_free = all(may_move(self.problem, gang.job) for gang in gangs)
        if is_free and all(may_refit(self.problem, service) for service in self.problem.services):
            return [Decisions((), (), Floor(self.problem, self.rates).paid)]
        return on_nodes(self.problem, gangs, fleets)[:1]

    def _packed(self, base: Decisions, gangs: tuple[GangStart, ...], order: Order, rounds: int) -> Floor:
        standing = _without_moving(self.problem, base)
        return pack_again(lambda: Floor.of(self.problem, self.rates, standing), gangs, order, rounds)

    def _complete(self, floor: Floor, demands: Demands) -> None:
        """Put what is left out where it adds least, and choose the replicas anew beside it."""
        insert(floor, self.offers, [job for job in self.jobs if job.name not in floor.berths])
        refit(floor, demands)


def _without_moving(problem: Problem, decisions: Decisions) -> Decisions:
    """Return what of decisions may not move."""
    services, jobs = problem.service_by_name, problem.job_by_name
    parts = tuple(part for part in decisions.parts if not may_move(problem, jobs[part.job]))
    replicas = tuple(part for part in decisions.replicas if not may_refit(problem, services[part.service]))
    return Decisions(parts, replicas, decisions.on)


def columns_on_nodes(layout: Layout) -> int:
    """Return about how many columns the model of a layout on pools would have on single nodes."""
    nodes = [cell.count for cell in layout.cells]
    starts = sum(sum(nodes[idx] for idx in layout.site(column).cells) for column in layout.columns)
    per_slot = sum(nodes) + sum(sum(nodes[idx] for idx in cells) for cells in layout.service_cells)
    return starts + per_slot * layout.problem.grid.n_slots
