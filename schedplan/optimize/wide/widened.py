"""The arrays of a layout on pools that is too wide to be built start by start: rows of a run are the sums of the rows of its slots.

Sets: kinds of starts = class but for its window, run time, urgency, number and other sites; site; workers. A probe is a start of a
kind for one slot alone, wherever some start of the kind runs.
Formula: the coefficients of a start from slot a to edge e = Σ_{a <= t < e} those of the probe of its kind in t, and 1 in the row
that places its class. Rows of one start alone (its workers over several cells) are written anew for each.
Intuition: what a start holds of a cell, a quota or a device group it holds alike in every slot, so every constraint is written
once, in its file, and asked of the probes. Starts that rows know by name are no probes: they stand in the small model as they are.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model
from scipy.sparse import csr_array, vstack

from schedplan.measures.objective import Normalisation
from schedplan.model.problem import Objective, Problem
from schedplan.model.workload import Job
from schedplan.optimize.cells import Level
from schedplan.optimize.constraints.budget import BEYOND
from schedplan.optimize.formulation import Formulation, aimed, build
from schedplan.optimize.layout import Column, JobClass, Layout, is_bound
from schedplan.optimize.node_devices import may_be_needed
from schedplan.optimize.rows import Rows
from schedplan.optimize.sites import Site
from schedplan.optimize.solvers.linear import Linear, Program, linear
from schedplan.optimize.variables import Variables, most_workers, variables
from schedplan.optimize.wide.start_costs import start_costs


def is_summable(layout: Layout, wanted: Objective) -> bool:
    """Whether the rows of a layout are sums over slots.

    No held goal, budget or stopped job may count starts by when they begin, and no start may hold devices of its own.
    """
    problem, limit = layout.problem, layout.problem.limits.budget_per_day
    has_budget = limit is not None and limit < BEYOND
    if layout.level is not Level.POOLS or has_budget or wanted.at_most or problem.stops or layout.offers_outages:
        return False
    return not may_be_needed(layout)


def widened(layout: Layout, excluded: tuple[Job, ...], wanted: Objective, normalisation: Normalisation) -> Formulation:
    """Return the formulation of a layout with its rows and costs as arrays; ValueError where they are no sums over slots."""
    if not is_summable(layout, wanted):
        raise ValueError("the rows of this layout are not the sums of those of its slots")
    probes = _Probes(layout)
    small = aimed(
        build(replace(layout, columns=probes.columns, problem=_without_stays(layout.problem)), excluded), wanted, normalisation
    )
    if small.form is None:
        raise ValueError("a model with an objective has a form")
    model = cp_model.CpModel()
    whole = variables(layout, model, is_wide=True)
    _add_others(small, whole)
    assembly = _Assembly(probes, small, whole)
    costs = assembly.costs(small.form.coefficients)
    priced = start_costs(layout, wanted, normalisation)
    indices, is_derived = whole.indices, np.zeros(len(layout.columns), dtype=np.bool_)
    is_derived[probes.derived] = True
    costs[indices.gangs[is_derived]] = priced.gangs[is_derived]
    of_workers = zip(indices.worker.tolist(), indices.worker_column.tolist(), indices.worker_cell.tolist(), strict=True)
    for variable, number, cell_idx in of_workers if priced.per_worker else ():
        if is_derived[number]:
            costs[variable] = priced.per_worker.get((number, cell_idx), 0.0)
    arrays = assembly.program(costs, small.form.constant)
    return Formulation(model, whole, Rows(model), small.goals, arrays=arrays)


def _without_stays(problem: Problem) -> Problem:
    """Return a problem whose earlier plan has only the jobs that rows speak of: what others move is a cost of their starts."""
    if problem.earlier is None:
        return problem
    bound = (stay for stay in problem.earlier.jobs if stay.job in problem.job_by_name)
    stays = tuple(stay for stay in bound if is_bound(problem, problem.job_by_name[stay.job]))
    return replace(problem, earlier=replace(problem.earlier, jobs=stays))


class _Probes:
    """The columns of the small model: those that stand as they are, then the probes.

    kept, derived: numbers of the columns of the layout; start_slot, end_edge, kind: of the derived ones, [derived]; probe: number
    of the probe of a kind in a slot, [kind, slot], -1 where no start of the kind runs; int64.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        is_own = [is_bound(layout.problem, one.job) or one.fixed is not None for one in layout.classes]
        numbers, sites = dict[Hashable, int](), dict[Site, int]()
        like = [numbers.setdefault(_kind(layout, one), len(numbers)) for one in layout.classes]
        columns, is_kept = layout.arrays, np.array(is_own, dtype=np.bool_)[layout.arrays.class_idx]
        self.kept, self.derived = np.flatnonzero(is_kept), np.flatnonzero(~is_kept)
        class_idx, site_idx, workers = (part[self.derived] for part in (columns.class_idx, columns.site_idx, columns.workers))
        of_class = [[sites.setdefault(site, len(sites)) for site in one.sites] for one in layout.classes]
        begins = np.cumsum([0, *(len(one) for one in of_class)])[:-1]
        site = np.array([number for one in of_class for number in one], dtype=np.int64)[begins[class_idx] + site_idx]
        most = int(workers.max(initial=0)) + 1
        keys = (np.array(like, dtype=np.int64)[class_idx] * max(len(sites), 1) + site) * most + workers
        _, first, kind = np.unique(keys, return_index=True, return_inverse=True)
        self.kind = kind
        self.start_slot, self.end_edge = columns.start_slot[self.derived], columns.end_edge[self.derived]
        running = np.zeros((len(first), layout.problem.grid.n_slots + 1), dtype=np.int64)
        np.add.at(running, (self.kind, self.start_slot), 1)
        np.add.at(running, (self.kind, self.end_edge), -1)
        is_run = running.cumsum(axis=1)[:, :-1] > 0
        self.probe = np.where(is_run, is_run.cumsum().reshape(is_run.shape) - 1, -1)
        examples = [layout.columns[number] for number in self.derived[first].tolist()]
        kept = tuple(layout.columns[number] for number in self.kept.tolist())
        asked = ((examples[kind], slot) for kind, slot in zip(*(part.tolist() for part in is_run.nonzero()), strict=True))
        self.columns = kept + tuple(Column(one.class_idx, one.site_idx, slot, slot + 1, one.workers) for one, slot in asked)

    def runs(self, derived: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return (place in `derived`, number of a probe that this derived column is summed of) pairs."""
        start_slot, length = self.start_slot[derived], (self.end_edge - self.start_slot)[derived]
        place = np.repeat(np.arange(len(length)), length)
        slot = np.arange(len(place)) - np.repeat(np.cumsum(length) - length, length) + start_slot[place]
        return place, self.probe[self.kind[derived][place], slot]


def _kind(layout: Layout, job_class: JobClass) -> Hashable:
    """Return what the rows of a start hang on beside its site: not when it may run, for how long, how urgent it is, how many are.

    Which devices take it is told by the site.
    """
    job = job_class.job
    shape = replace(job.shape, accelerators=(), gpu_memory_gib=None)
    tenant = job.tenant if job.tenant in layout.problem.quota_tenants else ""
    return shape, job.workers, job.min_workers, job.topology, tenant


def _add_others(small: Formulation, whole: Variables) -> None:
    """Give the whole model the variables that rules brought along in the small one, in their order."""
    for variable in list(small.model.proto.variables)[_end(small.variables) :]:
        whole.model.new_int_var(min(variable.domain), max(variable.domain), variable.name)


def _end(known: Variables) -> int:
    """Return the number of variables that all models of a layout have: those before the ones that rules bring along."""
    amounts = [start.gangs for start in known.starts[-1:]]
    amounts += [amount for start in known.starts[-1:] for _, amount in start.workers if isinstance(amount, cp_model.IntVar)]
    amounts += known.left_out[-1:]
    per_slot = (known.replicas, known.serving, known.alone)
    amounts += [amount for group in per_slot for by_cell in group for by_slot in by_cell.values() for amount in by_slot[-1:]]
    amounts += [amount for by_slot in (*known.on, *known.requested) for amount in by_slot if isinstance(amount, cp_model.IntVar)]
    return max((amount.index for amount in amounts), default=-1) + 1


class _Assembly:
    """The way from the rows of the small model to those of the whole one."""

    def __init__(self, probes: _Probes, small: Formulation, whole: Variables) -> None:
        self.probes, self.small, self.whole = probes, small, whole
        self.n_small, self.n_whole = len(small.model.proto.variables), len(whole.model.proto.variables)
        n_kept = len(probes.kept)
        of_small, of_whole = small.variables.indices, whole.indices
        self.probe_gangs, self.derived_gangs = of_small.gangs[n_kept:], of_whole.gangs[probes.derived]
        self.is_derived = np.zeros(len(of_whole.gangs), dtype=np.bool_)
        self.is_derived[probes.derived] = True
        others = np.arange(len(of_small.gangs) + len(of_small.worker), self.n_small)
        kept_small = np.concatenate([of_small.gangs[:n_kept], of_small.worker[of_small.worker_column < n_kept]])
        kept_whole = np.concatenate([of_whole.gangs[probes.kept], of_whole.worker[~self.is_derived[of_whole.worker_column]]])
        self.same_small = np.concatenate([kept_small, others])
        self.same_whole = np.concatenate([kept_whole, others + self.n_whole - self.n_small])

    def costs(self, coefficients: dict[int, float]) -> NDArray[np.float64]:
        """Return the costs of all variables but those of derived starts."""
        small, found = np.zeros(self.n_small), np.zeros(self.n_whole)
        small[list(coefficients)] = list(coefficients.values())
        found[self.same_whole] = small[self.same_small]
        return found

    def program(self, costs: NDArray[np.float64], constant: float) -> Program:
        """Return the arrays of the whole model."""
        rows = linear(self.small.model)
        if rows is None:
            raise ValueError("a row of a model with an objective is not linear")
        matrix, is_kept = self._slot_rows(rows)
        found = matrix @ self._summing() + self._placing(rows.rows.shape[0])
        links = self._links()
        none = np.zeros(links.shape[0], dtype=np.int64)
        lower, upper = self._ranges(rows)
        return Program(
            csr_array(vstack([found.tocsr()[is_kept], links], format="csr")),
            np.concatenate([rows.row_lower[is_kept], none]),
            np.concatenate([rows.row_upper[is_kept], none]),
            lower,
            upper,
            costs,
            constant,
        )

    def _ranges(self, rows: Linear) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the least and the largest value of all variables."""
        lower, upper = np.zeros(self.n_whole, dtype=np.int64), np.zeros(self.n_whole, dtype=np.int64)
        layout, indices = self.probes.layout, self.whole.indices
        counts = np.array([one.count for one in layout.classes], dtype=np.int64)
        upper[indices.gangs] = counts[layout.arrays.class_idx]
        of_workers = zip(indices.worker.tolist(), indices.worker_column.tolist(), indices.worker_cell.tolist(), strict=True)
        for variable, number, cell_idx in of_workers:
            upper[variable] = most_workers(layout, layout.columns[number], cell_idx)
        lower[self.same_whole], upper[self.same_whole] = rows.lower[self.same_small], rows.upper[self.same_small]
        return lower, upper

    def _slot_rows(self, rows: Linear) -> tuple[csr_array, NDArray[np.bool_]]:
        """Return the rows without what counts a probe as a start, and which of them remain: not those of one probe alone."""
        probe = np.full(self.n_small, -1, dtype=np.int64)
        is_gang = np.zeros(self.n_small, dtype=np.bool_)
        n_kept, indices = len(self.probes.kept), self.small.variables.indices
        probe[indices.gangs], is_gang[self.probe_gangs] = np.arange(len(indices.gangs)) - n_kept, True
        probe[indices.worker] = indices.worker_column - n_kept
        row_of = np.repeat(np.arange(rows.rows.shape[0]), np.diff(rows.rows.indptr))
        is_place = np.zeros(rows.rows.shape[0], dtype=np.bool_)
        is_place[list(self.small.rows.places.values())] = True
        data = np.where(is_gang[rows.rows.indices] & is_place[row_of], 0, rows.rows.data)
        first, last = (np.full(rows.rows.shape[0], -1, dtype=np.int64) for _ in range(2))
        is_filled = np.diff(rows.rows.indptr) > 0
        if is_filled.any():
            begins = rows.rows.indptr[:-1][is_filled]
            first[is_filled] = np.minimum.reduceat(probe[rows.rows.indices], begins)
            last[is_filled] = np.maximum.reduceat(probe[rows.rows.indices], begins)
        is_own = (first == last) & (first >= 0) & (rows.row_lower == 0) & (rows.row_upper == 0)
        return csr_array((data, rows.rows.indices, rows.rows.indptr), shape=rows.rows.shape), ~is_own

    def _summing(self) -> csr_array:
        """Return which variables of the small model make up each of the whole one, int64 [small, whole]."""
        probes, n_kept = self.probes, len(self.probes.kept)
        number, probe = probes.runs(np.arange(len(probes.derived)))
        of_small, of_whole = self.small.variables.indices, self.whole.indices
        is_probe = of_small.worker_column >= n_kept
        of_cell = np.full((len(self.probe_gangs), len(probes.layout.cells)), -1, dtype=np.int64)
        of_cell[of_small.worker_column[is_probe] - n_kept, of_small.worker_cell[is_probe]] = of_small.worker[is_probe]
        place = np.zeros(len(self.is_derived), dtype=np.int64)
        place[probes.derived] = np.arange(len(probes.derived))
        mine = np.flatnonzero(self.is_derived[of_whole.worker_column])
        worker, of_worker = probes.runs(place[of_whole.worker_column[mine]])
        small = [self.same_small, self.probe_gangs[probe], of_cell[of_worker, of_whole.worker_cell[mine][worker]]]
        rows = np.concatenate(small)
        columns = np.concatenate([self.same_whole, self.derived_gangs[number], of_whole.worker[mine][worker]])
        return csr_array((np.ones(len(rows), dtype=np.int64), (rows, columns)), shape=(self.n_small, self.n_whole))

    def _placing(self, n_rows: int) -> csr_array:
        """Return what derived starts count in the rows that place their classes, int64 [row, whole]."""
        places, layout = self.small.rows.places, self.probes.layout
        row_of_class = np.array([places.get(idx, -1) for idx in range(len(layout.classes))], dtype=np.int64)
        rows = row_of_class[layout.arrays.class_idx[self.probes.derived]]
        return csr_array((np.ones(len(rows), dtype=np.int64), (rows, self.derived_gangs)), shape=(n_rows, self.n_whole))

    def _links(self) -> csr_array:
        """Return the rows Σ workers = size · gangs of derived starts over several cells, int64 [start, whole]."""
        indices, sizes = self.whole.indices, self.probes.layout.arrays.workers
        is_mine = self.is_derived[indices.worker_column]
        spread, row = np.unique(indices.worker_column[is_mine], return_inverse=True)
        rows = np.concatenate([np.arange(len(spread)), row.reshape(-1)])
        columns = np.concatenate([indices.gangs[spread], indices.worker[is_mine]])
        values = np.concatenate([-sizes[spread], np.ones(int(is_mine.sum()), dtype=np.int64)])
        return csr_array((values, (rows, columns)), shape=(len(spread), self.n_whole))
