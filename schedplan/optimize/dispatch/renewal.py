"""Renewal: some jobs of a floor are lifted and put again one by one, each at its cheapest opening; what is no better is undone.

Rounds: a job is drawn, with it others that stand on its nodes or on nodes like these about its time, and some that are left out;
they are put again by what waiting costs for what they hold, by size, or in any order. A plan that is a little worse may be kept,
the later the less.
Source: ruin and recreate, Schrimpf et al. 2000, doi.org/10.1006/jcph.1999.6413; the order is drawn and cools as there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import log
from random import Random

import numpy as np

from schedplan.model.plan import Decisions
from schedplan.optimize.dispatch.openings import Openings
from schedplan.optimize.nodes.berth import Berth

MOST_LIFTED, MOST_LEFT_OUT = 14, 3
"""Jobs at most that a round lifts, and that it takes of those left out. Our choice, as all numbers here."""
HEAT = 0.02
"""What a round may lose at first, as a share of what a job adds to F on average."""
ROUNDS_A_JOB = 3
"""Rounds at most, for each job."""
STEPS_TOLD = 4
"""In so many parts the work is done, with the plan after each."""
BEYOND = 4
"""Slots before and after its run about which others are lifted with a job, at most."""


class Renewal:
    """A floor that is renewed. heat: what a round may lose at first, as F."""

    def __init__(self, openings: Openings, excluded: frozenset[str], bound: float, seed: int) -> None:
        self.openings, self.floor, self.problem = openings, openings.floor, openings.problem
        self.source = Random(seed)
        jobs = self.problem.jobs
        self.names = [job.name for number, job in enumerate(jobs) if job.name not in excluded and openings.rows_of[number]]
        self.number = {job.name: number for number, job in enumerate(jobs)}
        self.heat = HEAT * max(abs(bound), 1e-3) / max(len(self.names), 1)
        self.standing: dict[int, set[str]] = defaultdict(set)
        for berth in self.floor.berths.values():
            self._mark(berth)
        self.left = [self.number[name] for name in self.names if name not in self.floor.berths]
        self.density = self._densities()
        self.rounds = 0

    def run(self, work_limit: float) -> Iterator[Decisions]:
        """Renew until so much work is done, giving the plan from time to time."""
        begin, most = self.openings.work, ROUNDS_A_JOB * len(self.names)
        if not most or work_limit <= 0:
            return
        for told in range(1, STEPS_TOLD + 1):
            while (done := max((self.openings.work - begin) / work_limit, self.rounds / most)) < told / STEPS_TOLD:
                self._round(self.heat * (1 - done))
            decisions = self.floor.decisions()
            if decisions is not None:
                yield decisions

    def _round(self, heat: float) -> None:
        """Lift some jobs and put them again; take it back where that loses more than chance allows."""
        self.rounds += 1
        lifted, extra = self._drawn()
        before = self.floor.total
        old = [self._lift(name) for name in lifted]
        todo = self._ordered([self.number[name] for name in lifted] + extra)
        new = [self._put(berth) for berth in (self.openings.best(number) for number in todo) if berth is not None]
        placed = {berth.job.name for berth in new}
        is_whole = all(name in placed or not self.problem.jobs[self.number[name]].required for name in lifted)
        if is_whole and self.floor.total < before - heat * log(max(self.source.random(), 1e-12)):
            if self.left or len(new) < len(todo):
                named = dict.fromkeys((*self.left, *todo))
                self.left = [number for number in named if self.problem.jobs[number].name not in self.floor.berths]
            return
        for berth in new:
            self._lift(berth.job.name)
        for berth in old:
            self._put(berth)

    def _drawn(self) -> tuple[list[str], list[int]]:
        """Return the jobs to lift, and some that are left out."""
        source, floor = self.source, self.floor
        extra = source.sample(self.left, min(len(self.left), MOST_LEFT_OUT))
        first, end, nodes = self._centre(extra)
        everywhere = self.openings.nodes
        pool = everywhere[int(floor.pool_idx[nodes[0]])].tolist()
        nodes = nodes + source.sample(pool, min(len(pool), source.randint(0, 2)))
        other = everywhere[source.randrange(len(everywhere))].tolist()
        nodes = nodes + source.sample(other, min(len(other), source.randint(0, 2)))
        beyond = source.randint(0, BEYOND)
        found: dict[str, None] = {}
        for node in dict.fromkeys(nodes):
            for name in sorted(self.standing[node]):
                berth = floor.berths[name]
                if berth.start_slot < end + beyond and berth.end_edge > first - beyond:
                    found[name] = None
        names = list(found)
        return (source.sample(names, MOST_LIFTED) if len(names) > MOST_LIFTED else names), extra

    def _centre(self, extra: list[int]) -> tuple[int, int, list[int]]:
        """Return first slot, end and nodes about which jobs are lifted: of one that stands, or of a start of one left out."""
        source = self.source
        berth = self.floor.berths.get(source.choice(self.names))
        if berth is not None and not (extra and source.random() < 0.5):
            return berth.start_slot, berth.end_edge, [node for node, _ in berth.nodes]
        number = extra[0] if extra else source.choice([self.number[name] for name in self.names])
        course_idx, row = source.choice(self.openings.rows_of[number])
        course = self.openings.relaxation.menu.courses[course_idx]
        start = min(int(course.last[row]), int(course.release[row]) + int(source.expovariate(0.25)))
        pool = self.openings.nodes[course.pool].tolist()
        return start, int(course.ends[start]), source.sample(pool, min(len(pool), self.problem.jobs[number].workers))

    def _ordered(self, numbers: list[int]) -> list[int]:
        """Return jobs in an order that is drawn."""
        source, way = self.source, self.source.random()
        noise = {number: 0.7 + 0.6 * source.random() for number in numbers}
        if way < 0.4:
            return sorted(numbers, key=lambda number: (-self.density[number] * noise[number], number))
        if way < 0.7:
            return sorted(numbers, key=lambda number: (-self.problem.jobs[number].devices * noise[number], number))
        return sorted(numbers, key=lambda number: (noise[number], number))

    def _densities(self) -> list[float]:
        """Return what an hour of waiting of each job costs for what it holds for how long."""
        found = np.zeros(len(self.problem.jobs))
        for course, length in zip(self.openings.relaxation.menu.courses, self.openings.length, strict=True):
            np.maximum.at(found, course.job, course.wait / (np.maximum(course.held, 1e-9) * length))
        return [float(one) for one in found]

    def _put(self, berth: Berth) -> Berth:
        self.floor.put(berth)
        self._mark(berth)
        return berth

    def _mark(self, berth: Berth) -> None:
        for node, _ in berth.nodes:
            self.standing[node].add(berth.job.name)

    def _lift(self, name: str) -> Berth:
        berth = self.floor.lift(name)
        for node, _ in berth.nodes:
            self.standing[node].discard(name)
        return berth
