"""Rolling windows: a long horizon planned on pools part after part, each with what comes right behind it in view.

A part is planned with an overlap; what starts in its own slots stands from then on, and what would start later is planned again
with the next part. What a job is worth that a part leaves for later, prices of the whole horizon tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from schedplan.measures.objective import Normalisation
from schedplan.measures.work import release_s
from schedplan.model.plan import ReplicaPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState
from schedplan.optimize.formulation import Formulation
from schedplan.optimize.lagrangian.menu import Floats
from schedplan.optimize.lagrangian.relaxation import Prices, Relaxation
from schedplan.optimize.layout import Layout
from schedplan.optimize.models import Models
from schedplan.optimize.nodes.freedom import may_land
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.refine.dive import STYLES, dive
from schedplan.optimize.refine.refinement import Refinement
from schedplan.optimize.solvers.cp_sat import Found, Outcome
from schedplan.optimize.solvers.master import Master
from schedplan.optimize.windows.landing import landed
from schedplan.optimize.windows.part import Likely, in_whole, part_layout, part_of
from schedplan.packing.assignment import FleetSlot, GangStart

STARTS, LEAST_A_JOB, MOST_A_JOB = 30_000, 12, 30
"""Starts that a part chooses from, in all and of each job: the cheapest at the prices of the whole horizon."""
ON_A_POOL = 0.2
"""Of each job the cheapest on each pool besides, as a share of how many are the cheapest of all."""


@dataclass(frozen=True, slots=True)
class Rolled:
    """What stands after a part, by the slots of the whole problem: gangs, and fleets on pools or replicas on nodes.

    columns: of the model of the part.
    """

    gangs: tuple[GangStart, ...]
    fleets: tuple[FleetSlot, ...]
    replicas: tuple[ReplicaPart, ...]
    columns: int


class Roll:
    """One roll over a horizon. standing: what runs already. jobs: those that may be planned."""

    def __init__(
        self,
        relaxation: Relaxation,
        prices: Prices,
        normalisation: Normalisation,
        options: SolveOptions,
        jobs: tuple[Job, ...],
        standing: tuple[GangStart, ...],
    ) -> None:
        self.problem: Problem = relaxation.problem
        self.relaxation, self.prices = relaxation, prices
        self.normalisation, self.options = normalisation, options
        self.waiting = {job.name: job for job in jobs if job.state is not JobState.RUNNING}
        self.gangs = list(standing)
        self.fleets: list[FleetSlot] = []
        self.longest = max((int((one.ends - np.arange(len(one.ends))).max()) for one in relaxation.menu.courses), default=1)
        self.idx_of = {job.name: idx for idx, job in enumerate(self.problem.jobs)}
        self.lands = may_land(self.problem)
        self.replicas: list[ReplicaPart] = []
        self.work = 0.0
        self.last_of = _last_starts(relaxation)
        self.wait_of = _waits(relaxation)

    def parts(self) -> Iterator[Rolled | None]:
        """Give what stands after each part; None, and nothing more, where a part has no plan."""
        n_slots = self.problem.grid.n_slots
        for first in range(0, n_slots, self.options.window_slots):
            after = min(first + self.options.window_slots, n_slots)
            found = self._solved(first, after)
            if found is None:
                yield None
                return
            yield found

    def _solved(self, first: int, after: int) -> Rolled | None:
        """Plan the part whose own slots are from `first` to before `after`, and keep what starts there."""
        n_slots = self.problem.grid.n_slots
        seen = min(after + self.options.overlap_slots, n_slots)
        end = min(seen + self.longest, n_slots)
        jobs, later = self._open(first, after, seen), self.relaxation.later(self.prices, seen)
        standing = [gang for gang in self.gangs if gang.end_edge > first]
        part = part_of(self.problem, first, end, jobs, standing)
        shape = part_layout(part, seen - first - 1, self._likely(jobs, first, seen))
        waiting = self._waiting(jobs, part, later)
        found = _best(self._aimed(shape, part, waiting), self.options)
        if found.outcome is not Outcome.SOLVED:
            return None
        if not self.lands:
            self._keep(found.gangs, first, after)
            self.fleets += [replace(fleet, slot=fleet.slot + first) for fleet in found.fleets if fleet.slot + first < after]
            return Rolled(tuple(self.gangs), tuple(self.fleets), (), shape.n_columns)
        on_nodes = landed(shape, found, self.normalisation, waiting, self.options)
        if on_nodes is None:
            return None
        self.work += on_nodes.work
        self._keep(on_nodes.gangs, first, after)
        self.replicas += [replace(one, slot=one.slot + first) for one in on_nodes.replicas if one.slot + first < after]
        return Rolled(tuple(self.gangs), (), tuple(self.replicas), shape.n_columns)

    def _open(self, first: int, after: int, seen: int) -> list[Job]:
        """Return the jobs that may start in the part: there in time, and with all that they wait for or start with."""
        grid = self.problem.grid
        found = {
            name: job
            for name, job in self.waiting.items()
            if grid.release_slot(job.release_s) < seen and self.last_of[self.idx_of[name]] >= first
        }
        while True:
            hanging = [name for name in found if not self._is_whole(name, found)]
            if not hanging:
                break
            for name in hanging:
                del found[name]
        return [replace(job, required=job.required and self.last_of[self.idx_of[name]] < after) for name, job in found.items()]

    def _likely(self, jobs: list[Job], first: int, seen: int) -> Likely:
        """Return which starts of jobs are likely, by the prices of the whole horizon."""
        idx = np.array([self.idx_of[job.name] for job in jobs], dtype=np.int64)
        starts = min(max(STARTS // max(len(jobs), 1), LEAST_A_JOB), MOST_A_JOB)
        chosen = self.relaxation.likely(self.prices, idx, range(first, seen), starts, int(starts * ON_A_POOL))
        names = [pool.name for pool in self.problem.cluster.pools]
        return lambda job: {names[pool]: slots for pool, slots in chosen[self.idx_of[job.name]].items()}

    def _is_whole(self, name: str, found: dict[str, Job]) -> bool:
        before = all(other in found or other not in self.waiting for other in self.problem.waits_for[name])
        return before and all(row.name in found for row in self.problem.gang_rows.get(name, ()))

    def _waiting(self, jobs: list[Job], part: Problem, later: Floats) -> dict[str, float]:
        """Return what each job adds to F where it does not start in a part: the least that it may cost later, or left out, less
        what it has waited before."""
        found = {}
        for job in jobs:
            idx = self.idx_of[job.name]
            released_s = release_s(self.problem, job)
            waited_h = max(part.grid.start_s - released_s, 0) / 3600.0
            found[job.name] = min(float(later[idx]), self._left_out(idx)) - self.wait_of[idx] * waited_h
        return found

    def _aimed(self, shape: Layout, part: Problem, waiting: dict[str, float]) -> Formulation:
        """Return the model of a part in which leaving a job for later has the price that the whole horizon gives it."""
        models = Models(part, part.jobs, ())
        models.know(shape)
        made = models.aimed(shape.level, part.objective, self.normalisation)
        costs = {
            left_out.index: waiting[one.job.name]
            for one, left_out in zip(shape.classes, made.variables.left_out, strict=True)
            if one.fixed is None
        }
        return _priced(made, costs)

    def _left_out(self, idx: int) -> float:
        return self.relaxation.rates.left_out(self.problem.jobs[idx])

    def _keep(self, gangs: Iterable[GangStart], first: int, after: int) -> None:
        """Let gangs that start in the part's own slots stand."""
        for gang in gangs:
            if gang.job.state is not JobState.RUNNING and gang.start_slot + first < after:
                self.gangs.append(in_whole(gang, first, self.problem.job_by_name))
                del self.waiting[gang.job.name]


def _best(formulation: Formulation, options: SolveOptions) -> Found:
    """Return the plan of a part that a dive from its relaxation finds; where one ends without a plan, the next style is tried."""
    refinement = Refinement(formulation, options)
    master = Master(refinement.program, refinement.atlas.starts)
    if not master.solve():
        return refinement.found_in(None)
    for style in STYLES:
        values = dive(master, formulation, refinement.atlas, style)
        if values is not None:
            return refinement.found_in(values)
    return refinement.found_in(None)


def _priced(made: Formulation, costs: dict[int, float]) -> Formulation:
    """Return a formulation in which some variables cost something else."""
    if made.arrays is not None:
        whole = made.arrays.costs.copy()
        whole[list(costs)] = list(costs.values())
        return replace(made, arrays=replace(made.arrays, costs=whole))
    if made.form is None:
        raise ValueError("a model with an objective has a form")
    return replace(made, form=replace(made.form, coefficients=made.form.coefficients | costs))


def _last_starts(relaxation: Relaxation) -> list[int]:
    """Return the last slot with which each job can start, -1 without any."""
    found = np.full(len(relaxation.problem.jobs), -1, dtype=np.int64)
    for course in relaxation.menu.courses:
        np.maximum.at(found, course.job, course.last)
    return [int(last) for last in found]


def _waits(relaxation: Relaxation) -> list[float]:
    """Return what an hour of waiting of each job adds to F."""
    found = np.zeros(len(relaxation.problem.jobs))
    for course in relaxation.menu.courses:
        found[course.job] = course.wait
    return [float(wait) for wait in found]
