"""Dispatch: a plan on nodes from prices of all slots, slot by slot, without any model: who loses most by waiting starts first.

Sets: slots t, jobs j that wait in t, their choices c.
Formula: rank = (the least that j costs from t + 1 on − what c costs from t) / (what it holds · its hours), at the prices; the
highest rank starts first, down to −SLACK of the mean price, as far as there is room. A gang of several workers without room takes
the next slot that has it, so that smaller ones do not keep it from starting for ever.
Intuition: prices tell which jobs can wait; what starts in t finds nodes that are free from t on, so no holes are left behind.
Source: list scheduling from relaxations, Hall, Schulz, Shmoys and Wein 1997, doi.org/10.1287/moor.22.3.513.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable

import numpy as np

from schedplan.optimize.dispatch.openings import Openings
from schedplan.optimize.lagrangian.menu import Floats, Ints
from schedplan.optimize.lagrangian.relaxation import Prices, Relaxation
from schedplan.optimize.nodes.floor import Floor, Nodes

SLACK = 0.2
"""What starting at once may cost more than waiting does, of F = 1 for all of the counted resource over all hours. Our choice,
as those below."""
LEAST_FILLED = 0.5
"""Share of its nodes that a job must fill to switch one on."""
AHEAD, AHEAD_A_SLOT = 12, 4
"""Slots in which room is looked for ahead, and for how many gangs in a slot."""


class Dispatch:
    """One pass over all slots. waiting: which jobs have no place yet, bool [job]."""

    def __init__(self, relaxation: Relaxation, prices: Prices, openings: Openings, excluded: frozenset[str]) -> None:
        self.relaxation, self.problem = relaxation, relaxation.problem
        self.openings, self.floor = openings, openings.floor
        self.waiting = np.array([job.name not in excluded for job in self.problem.jobs], dtype=np.bool_)
        courses = relaxation.menu.courses
        self.costs = relaxation.priced(relaxation.payable(prices))
        self.least = [_least_from(costs) for costs in self.costs]
        self.base = [course.plain - course.wait * course.release_h for course in courses]
        held = sum(float(size) * float(number.sum()) for size, number in zip(relaxation.size, relaxation.open, strict=True))
        self.slack = SLACK / held if held > 0 and np.isfinite(held) else 0.0

    def run(self) -> None:
        """Put jobs on the floor, slot by slot."""
        for slot in range(self.problem.grid.n_slots):
            self.start(slot)

    def start(self, slot: int) -> None:
        """Put jobs on the floor that start with a slot, and gangs without room there in the next that has it."""
        full: dict[Hashable, list[tuple[int, int]]] = defaultdict(list)
        ahead = 0
        for course_idx, row, number in self._ranked(slot):
            if not self.waiting[number]:
                continue
            course, job = self.relaxation.menu.courses[course_idx], self.problem.jobs[number]
            end = int(course.ends[slot])
            known = full[course.pool, job.shape, job.topology]
            if any(job.workers >= workers and end >= until for workers, until in known):
                continue
            if self._put(number, course_idx, slot) or self._has_room(number, course_idx, slot):
                continue
            known.append((job.workers, end))
            if job.workers > 1 and ahead < AHEAD_A_SLOT:
                ahead += 1
                last = min(slot + AHEAD, int(course.last[row]))
                any(self._put(number, course_idx, later) for later in range(slot + 1, last + 1))

    def _ranked(self, slot: int) -> list[tuple[int, int, int]]:
        """Return (course, its row, job) of all that may start in a slot, those first that lose most by waiting."""
        later = self.relaxation.menu.left_out.copy()
        found: list[tuple[Ints, Ints, Ints, Floats, Floats]] = []
        hours = self.relaxation.edges_h
        for number, (course, profiles) in enumerate(zip(self.relaxation.menu.courses, self.relaxation.profiles, strict=True)):
            here = np.flatnonzero(self.waiting[course.job] & (course.release <= slot) & (course.last >= slot))
            if not len(here):
                continue
            row, base, job = profiles.row_of[here], self.base[number][here], course.job[here]
            np.minimum.at(later, job, self.least[number][row, slot + 1] + base)
            area = np.maximum(course.held[here], 1e-9) * (hours[course.ends[slot]] - hours[slot])
            found.append((np.full(len(here), number), here.astype(np.int64), job, self.costs[number][row, slot] + base, area))
        if not found:
            return []
        of_course, row, job, now, area = (np.concatenate(part) for part in zip(*found, strict=True))
        rank = (np.where(np.isfinite(later), later, 1.0)[job] - now) / area
        kept = np.flatnonzero(rank >= -self.slack)
        order = kept[np.lexsort((of_course[kept], job[kept], -rank[kept]))]
        return list(zip(of_course[order].tolist(), row[order].tolist(), job[order].tolist(), strict=True))

    def _put(self, number: int, course_idx: int, slot: int) -> bool:
        """Put a job on nodes with a slot, where there is room and it fills what it switches on; whether it stands there."""
        berth = self.openings.berth(number, course_idx, slot)
        if berth is None:
            return False
        nodes = np.array([node for node, _ in berth.nodes], dtype=np.intp)
        held = self.relaxation.menu.courses[course_idx].held
        filled = _share(self.floor, berth.job.devices, nodes) if held.any() else 1.0
        if filled < LEAST_FILLED and float(self.floor.new_price(nodes, berth.slots).sum()) > 0:
            return False
        self.floor.put(berth)
        self.waiting[number] = False
        return True

    def _has_room(self, number: int, course_idx: int, slot: int) -> bool:
        course, job = self.relaxation.menu.courses[course_idx], self.problem.jobs[number]
        room = self.floor.room(self.openings.nodes[course.pool], job.shape, slice(slot, int(course.ends[slot])))
        return int(np.minimum(room, job.workers).sum()) >= job.workers


def _share(floor: Floor, devices: float, nodes: Nodes) -> float:
    """Return the share of the devices of nodes that so many are; 1 where they have none."""
    there = sum(floor.pools[node].gpus for node in nodes.tolist())
    return devices / there if there else 1.0


def _least_from(costs: Floats) -> Floats:
    """Return the least of each row from every slot on, infinite behind the last."""
    least = np.minimum.accumulate(costs[:, ::-1], axis=1)[:, ::-1]
    return np.concatenate([least, np.full((len(least), 1), np.inf)], axis=1)
