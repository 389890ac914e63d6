"""The arrays of a layout on pools that is too wide to be built start by start: rows of a run are the sums of the rows of its slots.

Sets: kinds of starts = class but for its window, run time, urgency and number; site; workers. A probe is a start of a kind for one
slot alone, wherever some start of the kind runs.
Formula: the coefficients of a start from slot a to edge e = Σ_{a <= t < e} those of the probe of its kind in t, and 1 in the row
that places its class. Rows of one start alone (its workers over several cells) are written anew for each.
Intuition: what a start holds of a cell, a quota or a device group it holds alike in every slot, so every constraint is written
once, in its file, and asked of the probes. Starts that rows know by name are no probes: they stand in the small model as they are.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model
from scipy.sparse import csr_array, vstack

from schedplan.measures.objective import Normalisation
from schedplan.model.problem import Objective
from schedplan.model.workload import Job
from schedplan.optimize.constraints.budget import BEYOND
from schedplan.optimize.formulation import Formulation, aimed, build
from schedplan.optimize.layout import Column, JobClass, Layout, Level, is_named
from schedplan.optimize.node_devices import may_be_needed
from schedplan.optimize.rows import Rows
from schedplan.optimize.solvers.linear import Linear, Program, linear
from schedplan.optimize.start_costs import start_costs
from schedplan.optimize.variables import Amount, Start, Variables, variables


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
    small = aimed(build(replace(layout, columns=probes.columns), excluded), wanted, normalisation)
    if small.form is None:
        raise ValueError("a model with an objective has a form")
    model = cp_model.CpModel()
    whole = variables(layout, model)
    _add_others(small, whole)
    assembly = _Assembly(probes, small, whole)
    costs = assembly.costs(small.form.coefficients)
    priced = start_costs(layout, wanted, normalisation)
    for number in probes.derived:
        start = whole.starts[number]
        costs[start.gangs.index] = priced.gangs[number]
        for cell_idx, amount in start.workers if priced.per_worker else ():
            if isinstance(amount, cp_model.IntVar) and len(start.workers) > 1:
                costs[amount.index] = priced.per_worker.get((number, cell_idx), 0.0)
    arrays = assembly.program(costs, small.form.constant)
    return Formulation(model, whole, Rows(model), small.goals, arrays=arrays)


class _Probes:
    """The columns of the small model: those that stand as they are, then the probes.

    kept, derived: numbers of the columns of the layout; start_slot, end_edge, kind: of the derived ones, [derived]; probe: number
    of the probe of a kind in a slot, [kind, slot], -1 where no start of the kind runs.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        is_own = [is_named(layout.problem, one.job) or one.fixed is not None for one in layout.classes]
        numbers: dict[Hashable, int] = {}
        like = [numbers.setdefault(_kind(layout, one), len(numbers)) for one in layout.classes]
        self.kept = [number for number, column in enumerate(layout.columns) if is_own[column.class_idx]]
        self.derived = [number for number, column in enumerate(layout.columns) if not is_own[column.class_idx]]
        mine = [layout.columns[number] for number in self.derived]
        kinds: dict[tuple[int, int, int], int] = {}
        named = [kinds.setdefault((like[one.class_idx], one.site_idx, one.workers), len(kinds)) for one in mine]
        self.kind = np.array(named, dtype=np.int64)
        self.start_slot = np.array([one.start_slot for one in mine], dtype=np.int64)
        self.end_edge = np.array([one.end_edge for one in mine], dtype=np.int64)
        running = np.zeros((len(kinds), layout.problem.grid.n_slots + 1), dtype=np.int64)
        np.add.at(running, (self.kind, self.start_slot), 1)
        np.add.at(running, (self.kind, self.end_edge), -1)
        is_run = running.cumsum(axis=1)[:, :-1] > 0
        self.probe = np.where(is_run, is_run.cumsum().reshape(is_run.shape) - 1, -1)
        first = dict(zip(reversed(named), reversed(mine), strict=True))
        kept = tuple(layout.columns[number] for number in self.kept)
        asked = ((first[kind], slot) for kind, slot in zip(*(part.tolist() for part in is_run.nonzero()), strict=True))
        self.columns = kept + tuple(Column(one.class_idx, one.site_idx, slot, slot + 1, one.workers) for one, slot in asked)

    def runs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return (number of a derived column, number of a probe that it is summed of) pairs."""
        length = self.end_edge - self.start_slot
        number = np.repeat(np.arange(len(length)), length)
        slot = np.arange(len(number)) - np.repeat(np.cumsum(length) - length, length) + self.start_slot[number]
        return number, self.probe[self.kind[number], slot]


def _kind(layout: Layout, job_class: JobClass) -> Hashable:
    """Return what the rows of a start hang on, of its class: not when it may run, for how long, how urgent it is, how many are."""
    job = job_class.job
    tenant = job.tenant if job.tenant in layout.problem.quota_tenants else ""
    return job.shape, job.workers, job.min_workers, job.topology, tenant, job_class.sites


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
        n_starts = sum(len(_own(start)) for start in small.variables.starts)
        kept = [idx for number in range(len(probes.kept)) for idx in _own(small.variables.starts[number])]
        others = np.arange(n_starts, self.n_small)
        self.same_small = np.concatenate([np.array(kept, dtype=np.int64), others])
        held = [idx for number in probes.kept for idx in _own(whole.starts[number])]
        self.same_whole = np.concatenate([np.array(held, dtype=np.int64), others + self.n_whole - self.n_small])
        self.probe_starts = small.variables.starts[len(probes.kept) :]
        self.derived_starts = [whole.starts[number] for number in probes.derived]
        self.is_spread = np.array([len(_own(start)) > 1 for start in self.derived_starts], dtype=np.bool_)

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
        lower[self.same_whole], upper[self.same_whole] = rows.lower[self.same_small], rows.upper[self.same_small]
        classes = self.probes.layout.classes
        for start, is_spread in zip(self.derived_starts, self.is_spread.tolist(), strict=True):
            upper[start.gangs.index] = classes[start.column.class_idx].count
            for amount in (amount for _, amount in start.workers if is_spread and isinstance(amount, cp_model.IntVar)):
                upper[amount.index] = max(amount.proto.domain)
        return lower, upper

    def _slot_rows(self, rows: Linear) -> tuple[csr_array, NDArray[np.bool_]]:
        """Return the rows without what counts a probe as a start, and which of them remain: not those of one probe alone."""
        probe = np.full(self.n_small, -1, dtype=np.int64)
        is_gang = np.zeros(self.n_small, dtype=np.bool_)
        for number, start in enumerate(self.probe_starts):
            probe[_own(start)], is_gang[start.gangs.index] = number, True
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
        number, probe = self.probes.runs()
        of_probe = np.array([start.gangs.index for start in self.probe_starts], dtype=np.int64)
        of_start = np.array([start.gangs.index for start in self.derived_starts], dtype=np.int64)
        small, whole = [self.same_small, of_probe[probe]], [self.same_whole, of_start[number]]
        spread = self.is_spread[number]
        for one, other in zip(number[spread].tolist(), probe[spread].tolist(), strict=True):
            of_cell = dict(self.probe_starts[other].workers)
            pairs = [(of_cell[cell_idx], amount) for cell_idx, amount in self.derived_starts[one].workers]
            small.append(_indices(pair[0] for pair in pairs))
            whole.append(_indices(pair[1] for pair in pairs))
        rows, columns = np.concatenate(small), np.concatenate(whole)
        return csr_array((np.ones(len(rows), dtype=np.int64), (rows, columns)), shape=(self.n_small, self.n_whole))

    def _placing(self, n_rows: int) -> csr_array:
        """Return what derived starts count in the rows that place their classes, int64 [row, whole]."""
        rows = [self.small.rows.places[start.column.class_idx] for start in self.derived_starts]
        columns = [start.gangs.index for start in self.derived_starts]
        return csr_array((np.ones(len(rows), dtype=np.int64), (rows, columns)), shape=(n_rows, self.n_whole))

    def _links(self) -> csr_array:
        """Return the rows Σ workers = size · gangs of derived starts over several cells, int64 [start, whole]."""
        spread = [start for start, is_spread in zip(self.derived_starts, self.is_spread.tolist(), strict=True) if is_spread]
        rows, columns, values = [], [], []
        for row, start in enumerate(spread):
            gangs, *workers = _own(start)
            rows += [row] * (len(workers) + 1)
            columns += [gangs, *workers]
            values += [-start.column.workers, *([1] * len(workers))]
        return csr_array((np.array(values, dtype=np.int64), (rows, columns)), shape=(len(spread), self.n_whole))


def _own(start: Start) -> list[int]:
    """Return the variables of a start: its gangs, and its workers on each cell where these are chosen (one worker is its gang)."""
    amounts = (amount.index for _, amount in start.workers if isinstance(amount, cp_model.IntVar))
    return list(dict.fromkeys((start.gangs.index, *amounts)))


def _indices(amounts: Iterable[Amount]) -> NDArray[np.int64]:
    return np.array([amount.index for amount in amounts if isinstance(amount, cp_model.IntVar)], dtype=np.int64)
