"""Openings: the cheapest place on a floor for a job, of all its starts on all pools at once. It moves nothing.

Formula: of a start with slot t, F less nodes + the least that nodes with room from t to its end cost when switched on; room and
cost of a node over a run are a running minimum and a running sum over its slots, so that all starts on a pool are one array.
A gang whose workers only find room on several pools has no opening.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.model.workload import Job
from schedplan.optimize.constraints.topology import is_on_one_node
from schedplan.optimize.lagrangian.menu import Floats
from schedplan.optimize.lagrangian.relaxation import Relaxation
from schedplan.optimize.nodes.berth import Berth
from schedplan.optimize.nodes.floor import Floor
from schedplan.optimize.nodes.offers import nodes_for

AT_ONCE = 24
"""Slots in which starts are looked at together: most jobs stand soon after their release."""
A_LOOK = 3_000
"""Cells of nodes and slots that cost as much time as one look at a pool does beside its cells (measured)."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """A job on one pool: costs of its starts in F less prices, from the first slot on; course: number in the menu."""

    course: int
    first: int
    costs: Floats
    least: float


class Openings:
    """The openings of a floor. work: cells of nodes and slots that were looked at, in millions."""

    def __init__(self, relaxation: Relaxation, floor: Floor) -> None:
        self.relaxation, self.problem, self.floor = relaxation, relaxation.problem, floor
        courses = relaxation.menu.courses
        self.costs = relaxation.priced(relaxation.nothing())
        self.length = [int((one.ends - np.arange(len(one.ends))).max()) for one in courses]
        self.nodes = pool_nodes(relaxation)
        self.rows_of: list[list[tuple[int, int]]] = [[] for _ in self.problem.jobs]
        for number, course in enumerate(courses):
            for row, job in enumerate(course.job.tolist()):
                self.rows_of[job].append((number, row))
        self.work = 0.0

    def best(self, number: int) -> Berth | None:
        """Return the place of a job, by its number, that adds least to F, less than leaving it out; None where there is none."""
        job, below = self.problem.jobs[number], float(self.relaxation.menu.left_out[number])
        found: list[tuple[int, int]] = []
        for choice in self._choices(number):
            if choice.least >= below:
                break
            for start, value in self._starts(job, choice, below):
                below = value
                found.append((choice.course, start))
        for course, start in reversed(found):
            berth = self.berth(number, course, start)
            if berth is not None:
                return berth
        return None

    def berth(self, number: int, course_idx: int, start: int) -> Berth | None:
        """Return a job's cheapest nodes for one start; None where there is no room, a quota is full or it is not worth it."""
        course, job = self.relaxation.menu.courses[course_idx], self.problem.jobs[number]
        slots = slice(start, int(course.ends[start]))
        taken = nodes_for(self.floor, self.nodes[course.pool], job, job.workers, slots)
        if taken is None:
            return None
        bound = self.floor.quota(job, self.floor.pools[taken[0][0]].accelerator, job.workers)
        if bound is not None and not bound[0][slots].all():
            return None
        berth = Berth(job, slots.start, slots.stop, taken)
        added = self.floor.added_by(berth)
        return berth if added < (np.inf if job.required else 0.0) else None

    def _choices(self, number: int) -> list[_Choice]:
        """Return where a job may stand, the cheapest first."""
        made = []
        for course_idx, row in self.rows_of[number]:
            course = self.relaxation.menu.courses[course_idx]
            first, after = int(course.release[row]), int(course.last[row]) + 1
            base = float(course.plain[row] - course.wait[row] * course.release_h[row])
            costs = self.costs[course_idx][self.relaxation.profiles[course_idx].row_of[row], first:after] + base
            made.append(_Choice(course_idx, first, costs, float(costs.min())))
        return sorted(made, key=lambda one: (one.least, one.course))

    def _starts(self, job: Job, choice: _Choice, below: float) -> list[tuple[int, float]]:
        """Return starts that cost less than all before and than `below`, by a measure that may be too low."""
        found: list[tuple[int, float]] = []
        least_from = np.minimum.accumulate(choice.costs[::-1])[::-1]
        for begin in range(0, len(choice.costs), AT_ONCE):
            if least_from[begin] >= below:
                break
            costs = choice.costs[begin : begin + AT_ONCE]
            added = self._added(job, choice, choice.first + begin, len(costs))
            values = costs[: len(added)] + added
            best = int(values.argmin()) if len(values) else 0
            if len(values) and values[best] < below:
                below = float(values[best])
                found.append((choice.first + begin + best, below))
        return found

    def _added(self, job: Job, choice: _Choice, first: int, count: int) -> Floats:
        """Return what switching nodes on adds for each of some starts, infinite without room; fewer at the end of the horizon."""
        floor, length = self.floor, self.length[choice.course]
        nodes = self.nodes[self.relaxation.menu.courses[choice.course].pool]
        span = slice(int(nodes[0]), int(nodes[-1]) + 1)
        end = min(first + count + length - 1, self.problem.grid.n_slots)
        n_starts = end - first - length + 1
        if n_starts <= 0:
            return np.zeros(0)
        self.work += (A_LOOK + (end - first) * len(nodes)) / 1e6
        room = np.full((len(nodes), n_starts), job.workers, dtype=np.int64)
        for resource, demand in floor.demands(span.start, job.shape):
            room = np.minimum(room, _running_least(floor.free[resource, span, first:end], length) // demand)
        if is_on_one_node(job.topology):
            room = np.where(room >= job.workers, job.workers, 0)
        has_room = room.sum(axis=0) >= job.workers
        if floor.is_sunk[span.start]:
            return np.where(has_room, 0.0, np.inf)
        pool = int(floor.pool_idx[span.start])
        is_free = floor.paid[span, first:end] | (floor.n_paid[pool, first:end] < floor.least_paid[pool])
        off = np.where(is_free, 0.0, floor.price[span, first:end]).cumsum(axis=1)
        price = off[:, length - 1 :].copy()
        price[:, 1:] -= off[:, : n_starts - 1]
        fewest = min(-(-job.workers // max(int(room.max(initial=0)), 1)), len(nodes))
        price = np.where(room > 0, price, np.inf)
        cheapest = price.min(axis=0) if fewest == 1 else np.partition(price, fewest - 1, axis=0)[:fewest].sum(axis=0)
        return np.asarray(np.where(has_room, cheapest, np.inf), dtype=np.float64)


def pool_nodes(relaxation: Relaxation) -> list[NDArray[np.intp]]:
    """Return the nodes of every pool, by its index; they follow one another."""
    cluster = relaxation.problem.cluster
    return [np.array(cluster.nodes_of_pool[pool.name], dtype=np.intp) for pool in cluster.pools]


def _running_least(values: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """Return the least of so many values in a row, from each on, along the last axis."""
    found, width = values, 1
    while 2 * width <= length:
        found = np.minimum(found[:, :-width], found[:, width:])
        width *= 2
    if width == length:
        return found
    n = values.shape[1] - length + 1
    return np.minimum(found[:, :n], found[:, length - width : length - width + n])
