"""What every start of a layout on pools adds to F, many at a time: the formulas of `objective`, for starts that no rule names.

Waiting and lateness, hours kept busy, expected rework, emissions, what moves against an earlier plan (of a start over several cells
no more than leaves all of them). A test holds it against `objective`, start by start.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.emissions import emission_of
from schedplan.measures.moves import stay_of
from schedplan.measures.objective import Normalisation
from schedplan.measures.work import counted_share, duty, lateness, node_share
from schedplan.model.problem import GOALS, Objective
from schedplan.optimize.cells import Cell
from schedplan.optimize.constraints.elastic import is_taken_back
from schedplan.optimize.constraints.spot import fewest_nodes, rework_node_h
from schedplan.optimize.layout import Column, JobClass, Layout
from schedplan.optimize.sites import Site

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class StartCosts:
    """gangs: what a gang of each column adds, [column]; per_worker: what a worker of it adds on top on each cell, where some do."""

    gangs: Floats
    per_worker: dict[tuple[int, int], float]


def start_costs(layout: Layout, wanted: Objective, normalisation: Normalisation) -> StartCosts:
    """Return what starts add to F; of columns that a rule names nothing is said."""
    pricing = _Pricing(layout, wanted, normalisation)
    gangs = np.zeros(len(layout.columns))
    per_worker: dict[tuple[int, int], float] = {}
    numbered = groupby(enumerate(layout.columns), key=lambda pair: (pair[1].class_idx, pair[1].site_idx, pair[1].workers))
    for _, group in numbered:
        pairs = list(group)
        numbers, columns = [number for number, _ in pairs], [column for _, column in pairs]
        gangs[numbers] = pricing.of(columns)
        cells = layout.site(columns[0]).cells
        for cell_idx in cells if len(cells) > 1 else ():
            emitted = pricing.emitted(columns, layout.cells[cell_idx])
            per_worker.update({(number, cell_idx): float(value) for number, value in zip(numbers, emitted, strict=True) if value})
    return StartCosts(gangs, per_worker)


class _Pricing:
    """The factors of the goals in F, and what is looked up once."""

    def __init__(self, layout: Layout, wanted: Objective, normalisation: Normalisation) -> None:
        self.layout, self.problem = layout, layout.problem
        self.factor = {goal: wanted.weight(goal) / normalisation.of(goal).divisor if wanted.weight(goal) else 0.0 for goal in GOALS}
        self.edges_s = np.array(self.problem.grid.edges_s, dtype=np.float64)
        self.emissions = {pool.name: emission_of(self.problem, pool) for pool in self.problem.cluster.pools}
        self.late: dict[tuple[int, int, int], float] = {}

    def of(self, columns: list[Column]) -> Floats:
        """Return the cost of a gang of columns of one class, site and number of workers."""
        job_class, site = self.layout.classes[columns[0].class_idx], self.layout.site(columns[0])
        late = np.array([self._late(job_class, column) for column in columns])
        found = self.factor["latency"] * (late + self._moved(job_class, site, columns))
        if not site.cells:
            return found
        cell = self.layout.cells[site.cells[0]]
        found -= self.factor["utilization"] * self._busy_h(columns)
        if is_taken_back(cell.pool) and self.factor["cost"]:
            workers = columns[0].workers
            nodes = fewest_nodes(workers, max(site.per_node))
            node_h = rework_node_h(self.problem, job_class.job, cell.pool, nodes, workers)
            found += self.factor["cost"] * node_h * self.problem.price_per_h(cell.pool)[[column.start_slot for column in columns]]
        if len(site.cells) == 1:
            found += columns[0].workers * self.emitted(columns, cell)
        return found

    def emitted(self, columns: list[Column], cell: Cell) -> Floats:
        """Return what a worker of columns adds to F by its emissions on a cell."""
        emission = self.emissions[cell.pool.name]
        if emission is None or not self.factor["carbon"]:
            return np.zeros(len(columns))
        shape = self.layout.classes[columns[0].class_idx].job.shape
        full = np.array([float(emission.duty[column.start_slot : column.end_edge].sum()) for column in columns])
        return self.factor["carbon"] * node_share(cell.pool, shape) * full * self._duty(columns)

    def _late(self, job_class: JobClass, column: Column) -> float:
        key = (column.class_idx, column.start_slot, column.end_edge)
        if key not in self.late:
            span_s = self.problem.grid.slot_start_s(column.start_slot), self.problem.grid.edges_s[column.end_edge]
            self.late[key] = lateness(self.problem, job_class.job, *span_s)
        return self.late[key]

    def _moved(self, job_class: JobClass, site: Site, columns: list[Column]) -> Floats:
        """Return what the devices of a gang that move count as, in device-hours."""
        stay = stay_of(self.problem, job_class.job)
        if stay is None:
            return np.zeros(len(columns))
        price = self.problem.objective.move_device_h * counted_share(job_class.job.shape, self.problem.cluster)
        nodes = {name for idx in site.cells for name in self.layout.cells[idx].nodes}
        here = sum(count for node, count in stay.nodes if node in nodes)
        is_then = np.array([self.problem.grid.slot_start_s(column.start_slot) == stay.start_s for column in columns])
        return price * np.where(is_then, max(columns[0].workers - here, 0), columns[0].workers)

    def _busy_h(self, columns: list[Column]) -> Floats:
        """Return the counted-resource-hours in which a gang is busy."""
        shape = self.layout.classes[columns[0].class_idx].job.shape
        held = columns[0].workers * counted_share(shape, self.problem.cluster)
        return np.asarray(held * self._booked_h(columns) * self._duty(columns), dtype=np.float64)

    def _booked_h(self, columns: list[Column]) -> Floats:
        start, end = [column.start_slot for column in columns], [column.end_edge for column in columns]
        return np.asarray((self.edges_s[end] - self.edges_s[start]) / 3600, dtype=np.float64)

    def _duty(self, columns: list[Column]) -> Floats:
        """Return the share of its booked hours in which a gang counts as busy."""
        job, cells = self.layout.classes[columns[0].class_idx].job, self.layout.site(columns[0]).cells
        if not job.is_elastic or not cells:
            return np.ones(len(columns))
        pool, workers = self.layout.cells[cells[0]].pool, columns[0].workers
        return np.array([duty(self.problem, job, pool, workers, float(booked_h)) for booked_h in self._booked_h(columns)])
