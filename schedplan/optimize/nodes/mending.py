"""Mending: an earlier plan that does not fit any more, put right with as little moved as is worth it.

What still may stand stands; services get what they need now, where they must from the jobs that are least missed; what has lost its
place, and what had none, goes where it adds least to F; then boxes are drawn around just that. It hands out decisions; the check
judges them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

import numpy as np

from schedplan.measures.objective import Normalisation
from schedplan.model.plan import Decisions, JobPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Job
from schedplan.optimize.layout import Layout
from schedplan.optimize.nodes.fleets import Demands, unserved
from schedplan.optimize.nodes.floor import Floor, Nodes
from schedplan.optimize.nodes.freedom import may_move
from schedplan.optimize.nodes.node_box import Frame, improve
from schedplan.optimize.nodes.offers import Offers
from schedplan.optimize.nodes.packing import insert
from schedplan.optimize.nodes.rates import Rates
from schedplan.optimize.nodes.shortage import Shortage
from schedplan.optimize.reference.keep import carried_over
from schedplan.optimize.refine.prices import StartPrices

OFFERS_TRIED = 3
"""Boxes around a job that has lost its place and found no other, at its best offers; one around a job that had none."""
BEFORE, AFTER = 6, 4
"""Slots beside a changed job that a box around it takes in."""
MOST_NODES, SPARE, MOST_WAITING = 14, 4, 10
A_ROUND = 6
"""After so many boxes what is left out is inserted again, and the plan is handed to the caller."""


class Mending:
    """A plan in the making. homeless: jobs that stood and may not stand so any more;
    placeless: jobs that the earlier plan has no place for; work: deterministic time spent."""

    def __init__(self, problem: Problem, layout: Layout, normalisation: Normalisation, seed: int) -> None:
        self.problem, self.layout, self.seed = problem, layout, seed
        self.rates = Rates.of(problem, normalisation)
        self.offers = Offers(layout, self.rates)
        self.jobs: tuple[Job, ...] = tuple(job for one in layout.classes for job in one.jobs if may_move(problem, job))
        self.floor: Floor | None = None
        self.homeless: tuple[Job, ...] = ()
        self.placeless: tuple[Job, ...] = ()
        self.work = 0.0
        self.boxes = 0

    @property
    def changed(self) -> int:
        """How many jobs the earlier plan has no place for that they may have."""
        return len(self.homeless) + len(self.placeless)

    def mended(self) -> Decisions | None:
        """Return the earlier plan put right, without any box; None where there is none, or its nodes can't be on."""
        carried = carried_over(self.problem)
        if carried is None:
            return None
        self.floor = Floor.of(self.problem, self.rates, self._kept(carried))
        demands = Demands.of(self.layout, self.floor)
        self._make_room(self.floor, demands)
        missing = self._missing(self.floor)
        self.homeless = tuple(job for job in missing if job.name in self.problem.stay_of_job)
        self.placeless = tuple(job for job in missing if job.name not in self.problem.stay_of_job)
        insert(self.floor, self.offers, missing)
        return self.floor.decisions()

    def improve(self, prices: StartPrices | None, work_limit: float, box_limit: float) -> Iterator[Decisions]:
        """Improve by boxes around what has changed until they have taken so much work, giving the plan after every round that was
        worth it. prices: of starts, by the relaxation on pools; box_limit: of the work of each box."""
        if self.floor is None:
            return
        self.offers = Offers(self.layout, self.rates, prices)
        floor, demands, told = self.floor, Demands.of(self.layout, self.floor), self.floor.total
        for frame in takewhile(lambda _: self.work < work_limit, self._frames(floor)):
            self.work += improve(floor, self.offers, demands, frame, box_limit, self.seed)
            self.boxes += 1
            if self.boxes % A_ROUND == 0 and floor.total < told:
                told = floor.total
                yield from self._completed(floor)
        if floor.total < told:
            yield from self._completed(floor)

    def _completed(self, floor: Floor) -> Iterator[Decisions]:
        insert(floor, self.offers, self._missing(floor))
        decisions = floor.decisions()
        if decisions is not None:
            yield decisions

    def _missing(self, floor: Floor) -> list[Job]:
        return [job for job in self.jobs if job.name not in floor.berths]

    def _kept(self, carried: Decisions) -> Decisions:
        """Return what stands as it stood, and what may not be moved here, of the earlier plan carried over."""
        jobs, stays, grid = self.problem.job_by_name, self.problem.stay_of_job, self.problem.grid
        stood = {(stay.job, stay.start_s, node, workers) for stay in stays.values() for node, workers in stay.nodes}

        def stays_there(part: JobPart) -> bool:
            return (part.job, grid.slot_start_s(part.start_slot), part.node, part.workers) in stood

        away = {part.job for part in carried.parts if may_move(self.problem, jobs[part.job]) and not stays_there(part)}
        return Decisions(tuple(part for part in carried.parts if part.job not in away), carried.replicas, carried.on)

    def _make_room(self, floor: Floor, demands: Demands) -> None:
        """Choose the replicas of all slots anew, and take jobs off until they serve: those first that are least missed for it."""
        slots = unserved(floor, demands, range(self.problem.grid.n_slots))
        while slots:
            room = Shortage.of(floor, demands, slots)
            helpful = [(room.by(berth), berth) for berth in floor.berths.values() if not berth.job.required]
            ranked = [(self.rates.left_out(one.job) / gain, one.job.name) for gain, one in helpful if gain > 0]
            if not ranked:
                return
            berth = floor.lift(min(ranked)[1])
            slots = tuple(s for s in slots if s not in range(berth.start_slot, berth.end_edge)) + unserved(
                floor, demands, [slot for slot in slots if slot in range(berth.start_slot, berth.end_edge)]
            )

    def _frames(self, floor: Floor) -> Iterator[Frame]:
        """Give boxes around the changed jobs, the dearest to leave out first: where they might stand, then where they stand."""
        dearest, others = (sorted(jobs, key=self._dearness) for jobs in (self.homeless, self.placeless))
        for number, jobs in ((0, dearest), (0, others), *((number, dearest) for number in range(1, OFFERS_TRIED))):
            for job in jobs:
                for offer in self.offers.of(job)[number : number + 1]:
                    if job.name not in floor.berths:
                        yield self._around(floor, offer.nodes, offer.slots, offer.workers, job)
        for job in (*dearest, *others):
            berth = floor.berths.get(job.name)
            if berth is not None:
                pools = np.unique(floor.pool_idx[[node for node, _ in berth.nodes]])
                nodes = np.flatnonzero(np.isin(floor.pool_idx, pools))
                yield self._around(floor, nodes, berth.slots, berth.workers, job)

    def _around(self, floor: Floor, nodes: Nodes, slots: slice, workers: int, job: Job) -> Frame:
        """Return a box of those of some nodes that have most room over slots, where a job stands first, and hours beside."""
        first, last = max(slots.start - BEFORE, 0), min(slots.stop + AFTER, self.problem.grid.n_slots)
        mine = {node for node, _ in floor.berths[job.name].nodes} if job.name in floor.berths else set()
        free = floor.free[0, nodes, slots].sum(axis=1)
        is_mine = np.isin(nodes, sorted(mine))
        chosen = np.sort(nodes[np.lexsort((nodes, -free, ~is_mine))[: max(MOST_NODES, workers + SPARE)]])
        inside = set(chosen.tolist())
        waiting = [one for one in self._missing(floor) if one is job or self._may_start(one, inside, range(first, last))]
        ranked = sorted(waiting, key=lambda one: (one is not job, *self._dearness(one)))
        return Frame(chosen, range(first, last), tuple(ranked[:MOST_WAITING]))

    def _dearness(self, job: Job) -> tuple[float, str]:
        return (-self.rates.left_out(job), job.name)

    def _may_start(self, job: Job, nodes: set[int], slots: range) -> bool:
        return any(offer.start_slot in slots and not nodes.isdisjoint(offer.nodes.tolist()) for offer in self.offers.of(job))
