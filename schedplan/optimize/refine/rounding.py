"""A bound from the relaxation with rounding rows: nodes are whole, and so are the gangs on them.

Base rows: of one slot, the capacity rows of a group of cells, with the demand row of a service where all its replicas are in
the group: D · Σ y + Σ a_j v_j >= b over whole numbers v. A class of n gangs has at most n on the group at a time, so its starts
count as one number s, and those the relaxation has placed are counted by what is missing, n − s.
Formula (mixed-integer rounding): Σ y + Σ G(a_j / D) v_j >= ceil(b / D), G(α) = floor(α) + min(1, frac(α) / frac(b / D)).
Intuition: 2.4 nodes are never paid for; either 3 are, or something of what stands there goes.
Source: Marchand and Wolsey 2001, doi.org/10.1287/opre.49.3.363.11211.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import gcd

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from schedplan.optimize.formulation import Formulation
from schedplan.optimize.refine.atlas import NONE, Atlas
from schedplan.optimize.solvers.master import Cut, Master
from schedplan.optimize.solvers.program import ENDLESS, Program

ROUNDS, CUTS_A_ROUND = 12, 80
ALL_GROUPS = 5
"""Up to so many cells every group of them is tried, beyond that each cell alone, those of one device model, and all."""
VIOLATED, STALLED = 1e-3, 1e-5
FEW = 8
MOST_ROUNDED = 1_000_000
"""Coefficients of the largest model that is tightened: the more nodes, the less a whole one weighs."""
EXACT_IN_FLOATS = 2**53

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Base:
    """divisor · Σ nodes + Σ weights_k · units_k >= side, all whole numbers; a unit is the sum of some columns, at most `most`.

    work: units with a most; other: (column, weight) of replicas.
    """

    nodes: tuple[int, ...]
    divisor: int
    side: int
    work: tuple[tuple[NDArray[np.intp], int, int], ...]
    other: tuple[tuple[int, int], ...]

    @cached_property
    def work_columns(self) -> NDArray[np.intp]:
        """The columns of all units, one after another."""
        return np.concatenate([np.zeros(0, dtype=np.intp), *(columns for columns, _, _ in self.work)])

    @cached_property
    def work_sizes(self) -> NDArray[np.int64]:
        return np.array([len(columns) for columns, _, _ in self.work], dtype=np.int64)

    @cached_property
    def work_weights(self) -> NDArray[np.int64]:
        return np.array([weight for _, weight, _ in self.work], dtype=np.int64)

    @cached_property
    def work_most(self) -> NDArray[np.int64]:
        return np.array([most for _, _, most in self.work], dtype=np.int64)

    @cached_property
    def other_columns(self) -> NDArray[np.intp]:
        return np.array([column for column, _ in self.other], dtype=np.intp)

    @cached_property
    def other_weights(self) -> NDArray[np.int64]:
        return np.array([weight for _, weight in self.other], dtype=np.int64)

    def placed(self, values: Floats) -> Floats:
        """Return the value of each unit."""
        unit = np.repeat(np.arange(len(self.work)), self.work_sizes)
        return np.bincount(unit, weights=values[self.work_columns], minlength=len(self.work)).astype(np.float64)


class Relaxed:
    """The relaxation of a program with the rounding rows that its solutions break; `bound` is proven, None without a solution."""

    def __init__(self, program: Program, formulation: Formulation, atlas: Atlas) -> None:
        self.master = Master(program, atlas.starts)
        self.bases = tuple(bases(program, formulation, atlas)) if program.rows.nnz <= MOST_ROUNDED else ()
        self.master.solve()
        self.bound = self.master.proven()
        self.cuts = 0

    def tighten(self) -> None:
        """Add broken rounding rows until hardly anything moves."""
        for _ in range(ROUNDS):
            values = self.master.values
            if self.bound is None or values is None:
                return
            found = sorted((cut for base in self.bases for cut in _cuts(base, values)), key=lambda cut: -cut.violation)
            if not found:
                return
            self.master.add(found[:CUTS_A_ROUND])
            self.cuts += len(found[:CUTS_A_ROUND])
            self.master.solve()
            before, proven = self.bound, self.master.proven()
            # the rows hold for every plan, so a bound once proven stays, and relaxations without any have no plan
            self.bound = None if proven is None else max(before, proven)
            if self.bound is None:
                return
            self.master.drop_idle()
            if self.bound - before < STALLED * abs(before):
                return


def bases(program: Program, formulation: Formulation, atlas: Atlas) -> Iterator[Base]:
    """Give the base rows of a program, found by their form: one cell and slot, work that takes and nodes that give."""
    layout = formulation.variables.layout
    sorts = _Sorts.of(program, formulation)
    capacity, demand = _rows_by_slot(program, atlas, sorts)
    models = [cell.pool.accelerator or "" for cell in layout.cells]
    for slot, row_of_cell in sorted(capacity.items()):
        for group in _groups(models):
            rows = [row_of_cell[cell] for cell in group if cell in row_of_cell]
            found = _base(program, atlas, sorts, rows, demand.get(slot, [])) if rows else None
            if found is not None:
                yield found


@dataclass(frozen=True)
class _Sorts:
    """What a column is, [variable]; most: the largest sum of all columns of its job class of the same sort."""

    is_node: NDArray[np.bool_]
    is_replica: NDArray[np.bool_]
    most: NDArray[np.int64]

    @classmethod
    def of(cls, program: Program, formulation: Formulation) -> _Sorts:
        variables = formulation.variables
        is_node, is_replica = (np.zeros(program.n_columns, dtype=np.bool_) for _ in range(2))
        is_node[[amount.index for on in variables.on for amount in on if isinstance(amount, cp_model.IntVar)]] = True
        is_replica[[amount.index for one in variables.replicas for amounts in one.values() for amount in amounts]] = True
        most = np.zeros(program.n_columns, dtype=np.int64)
        indices, class_idx = variables.indices, variables.layout.arrays.class_idx
        counts = np.array([one.count for one in variables.layout.classes], dtype=np.int64)
        workers = np.array([one.job.workers for one in variables.layout.classes], dtype=np.int64)
        most[indices.gangs] = counts[class_idx]
        most[indices.worker] = (counts * workers)[class_idx[indices.worker_column]]
        return cls(is_node, is_replica, most)


def _groups(models: list[str]) -> list[tuple[int, ...]]:
    cells = range(len(models))
    if len(models) <= ALL_GROUPS:
        return [group for size in range(1, len(models) + 1) for group in combinations(cells, size)]
    of_model = [tuple(cell for cell in cells if models[cell] == model) for model in sorted(set(models))]
    return list(dict.fromkeys([*((cell,) for cell in cells), *of_model, tuple(cells)]))


def _rows_by_slot(program: Program, atlas: Atlas, sorts: _Sorts) -> tuple[dict[int, dict[int, int]], dict[int, list[int]]]:
    """Return the first capacity row of every cell, and the demand rows, by slot."""
    capacity: dict[int, dict[int, int]] = {}
    demand: dict[int, list[int]] = {}
    starts = program.rows.indptr.tolist()
    for row in range(len(starts) - 1):
        columns = program.rows.indices[starts[row] : starts[row + 1]]
        weights = program.rows.data[starts[row] : starts[row + 1]]
        if len(columns) == 0 or not atlas.is_known[columns].all():
            continue
        node, replica = sorts.is_node[columns], sorts.is_replica[columns]
        slot = int(atlas.first_slot[columns].max())
        if replica.all() and (weights > 0).all() and program.row_lower[row] > 0:
            demand.setdefault(slot, []).append(row)
        cell = int(atlas.cell[columns[0]])
        is_one_cell = cell != NONE and bool((atlas.cell[columns] == cell).all())
        is_work = ~node & ((sorts.most[columns] > 0) | replica)
        takes_and_gives = bool((weights[is_work] > 0).all() and (weights[node] < 0).all() and (node | is_work).all())
        if is_one_cell and takes_and_gives and is_work.any() and program.row_upper[row] < ENDLESS:
            capacity.setdefault(slot, {}).setdefault(cell, row)
    return capacity, demand


def _base(program: Program, atlas: Atlas, sorts: _Sorts, rows: list[int], demand: list[int]) -> Base | None:
    """Return the sum of capacity rows, with the demand rows whose replicas they all hold; None where no node is to be chosen."""
    weights, side = _summed(program, rows)
    divisors = {-weight for column, weight in weights.items() if sorts.is_node[column]}
    if len(divisors) != 1:
        return None
    held: set[int] = set()
    for row in sorted(demand, key=lambda row: (-int(program.row_lower[row]), row)):
        asked, least = _summed(program, [row], is_upper=False)
        first = next(iter(asked))
        if any(column not in weights or column in held for column in asked):
            continue
        held |= asked.keys()
        by, of = asked[first], weights[first]
        weights = {column: weight * by for column, weight in weights.items()}
        for column, weight in asked.items():
            weights[column] -= weight * of
        side = side * by - least * of
    common = gcd(side, *weights.values())
    weights, side = {column: weight // common for column, weight in weights.items() if weight}, side // common
    if max(abs(side), *map(abs, weights.values())) >= EXACT_IN_FLOATS:
        return None
    nodes = tuple(column for column in weights if sorts.is_node[column])
    units: dict[tuple[int, int, int], list[int]] = {}
    for column, weight in weights.items():
        if sorts.most[column]:
            units.setdefault((int(atlas.job_class[column]), weight, int(sorts.most[column])), []).append(column)
    work = tuple((np.array(columns, dtype=np.intp), -weight, most) for (_, weight, most), columns in units.items())
    other = tuple((column, -weight) for column, weight in weights.items() if sorts.is_replica[column])
    return Base(nodes, -weights[nodes[0]], -side, work, other)


def _summed(program: Program, rows: list[int], *, is_upper: bool = True) -> tuple[dict[int, int], int]:
    """Return the weights and the side of the sum of rows, whole numbers of any size."""
    weights: dict[int, int] = {}
    sides = program.row_upper if is_upper else program.row_lower
    starts = program.rows.indptr
    for row in rows:
        span = slice(starts[row], starts[row + 1])
        for column, weight in zip(program.rows.indices[span].tolist(), program.rows.data[span].tolist(), strict=True):
            weights[column] = weights.get(column, 0) + weight
    return weights, sum(int(sides[row]) for row in rows)


def _cuts(base: Base, values: Floats) -> Iterator[Cut]:
    """Give the most broken rounding row of a base: ever more of the work that is placed is counted by what is missing."""
    placed, most, weights = base.placed(values), base.work_most, base.work_weights
    order = np.argsort(-placed / np.maximum(most, 1), kind="stable")
    others, at_others = base.other_weights, values[base.other_columns]
    at_nodes = float(values[list(base.nodes)].sum())
    best: tuple[float, NDArray[np.bool_], int] | None = None
    for size in _sizes(placed, most):
        is_missing = np.zeros(len(order), dtype=np.bool_)
        is_missing[order[:size]] = True
        side = base.side - int((weights * most)[is_missing].sum())
        if side % base.divisor == 0:
            continue
        units = np.where(is_missing, most - placed, placed)
        factors = _rounded(np.where(is_missing, -weights, weights), base.divisor, side)
        reached = at_nodes + float(factors @ units) + float(_rounded(others, base.divisor, side) @ at_others)
        violation = -(-side // base.divisor) - reached
        if violation > max(VIOLATED, best[0] if best else 0.0):
            best = (violation, is_missing, side)
    if best is not None:
        yield _cut(base, *best)


def _sizes(placed: Floats, most: NDArray[np.int64]) -> list[int]:
    """Return how many of the units, the fullest first, are tried as counted by what is missing: few, or all full ones and some."""
    full = int((placed >= most * (1.0 - VIOLATED)).sum())
    begun = int((placed > VIOLATED).sum())
    return sorted({*range(min(FEW, begun) + 1), *range(max(full - FEW, 0), min(full + 3 * FEW, begun) + 1)})


def _rounded(weights: NDArray[np.int64], divisor: int, side: int) -> Floats:
    """Return G of weights over the divisor."""
    return np.floor_divide(weights, divisor) + np.minimum(1.0, np.mod(weights, divisor) / (side % divisor))


def _cut(base: Base, violation: float, is_missing: NDArray[np.bool_], side: int) -> Cut:
    factors = _rounded(np.where(is_missing, -base.work_weights, base.work_weights), base.divisor, side)
    rhs = float(-(-side // base.divisor)) - float((factors * base.work_most)[is_missing].sum())
    columns = np.concatenate([np.array(base.nodes, dtype=np.intp), base.work_columns, base.other_columns])
    of_work = np.repeat(np.where(is_missing, -factors, factors), base.work_sizes)
    weights = np.concatenate([np.ones(len(base.nodes)), of_work, _rounded(base.other_weights, base.divisor, side)])
    kept = weights != 0
    return Cut(columns[kept].astype(np.int32), weights[kept], rhs, violation)
