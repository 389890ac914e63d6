"""Which columns of a program are starts of jobs, of which class, and by which rows a start and a class are held together.

Prices use it: what is not held is worth as much as its class has jobs, and not as many times as it has columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from schedplan.optimize.solvers.priced import Floats
from schedplan.optimize.solvers.program import Program

Indices: TypeAlias = NDArray[np.intp]
NONE = -1
FIRST_STARTS = 2
"""Columns of each class and place that a relaxation begins with: the earliest."""
FIRST_OF_CLASS = 6
"""And of each class in all."""


@dataclass(frozen=True)
class Starts:
    """int64 and bool arrays, [variable]; -1 where it does not apply.

    job_class: of starts, of their workers and of what is left out; start: number of the start that a column belongs to; is_gang: of
    its columns the number of gangs; place: number of the nodes it stands on; slot: when it begins.
    """

    job_class: NDArray[np.int64]
    start: NDArray[np.int64]
    is_gang: NDArray[np.bool_]
    place: NDArray[np.int64]
    slot: NDArray[np.int64]

    @property
    def n_classes(self) -> int:
        return int(self.job_class.max(initial=NONE)) + 1

    @property
    def counts(self) -> NDArray[np.bool_]:
        """Whether a column counts jobs of a class: gangs that start, and what is left out."""
        return np.asarray(self.is_gang | ((self.job_class != NONE) & (self.start == NONE)), dtype=np.bool_)

    def first(self) -> Indices:
        """Return the columns that are no starts, and those of the earliest starts of each class on each place."""
        columns = np.flatnonzero(self.is_gang)
        key = self.job_class[columns] * (int(self.place.max(initial=NONE)) + 2) + self.place[columns]
        order = np.lexsort((columns, self.slot[columns], key))
        chosen = columns[order][rank(key[order]) < FIRST_STARTS]
        chosen = chosen[np.lexsort((chosen, self.slot[chosen], self.job_class[chosen]))]
        chosen = chosen[rank(self.job_class[chosen]) < FIRST_OF_CLASS]
        return np.flatnonzero((self.start == NONE) | np.isin(self.start, self.start[chosen]))

    def whole(self, gangs: Indices) -> Indices:
        """Return all columns of the starts that some columns belong to."""
        return np.flatnonzero(np.isin(self.start, self.start[gangs])) if len(gangs) else gangs


def rank(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the place of each entry among those of its key, in an array in which equal keys stand together."""
    begins = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]]) if len(keys) else np.zeros(0, dtype=np.intp)
    return np.arange(len(keys)) - np.repeat(begins, np.diff(np.r_[begins, len(keys)]))


@dataclass(frozen=True)
class Links:
    """The rows that tie the workers of one start, over several groups of nodes, to its gangs: Σ workers = size · gangs.

    rows, int64 [link]; size and gangs [link]; workers and the link of each [worker], columns of the program.
    """

    rows: NDArray[np.int64]
    size: Floats
    workers: Indices
    link_of_worker: NDArray[np.int64]
    gangs: Indices

    def least(self, reduced: Floats) -> Floats:
        """Return the least reduced cost of the workers of each link."""
        found = np.full(len(self.rows), np.inf)
        np.minimum.at(found, self.link_of_worker, reduced[self.workers])
        return np.where(np.isinf(found), 0.0, found)

    def with_workers(self, reduced: Floats) -> Floats:
        """Return reduced costs, those of gangs with their workers on the cheapest nodes."""
        found = reduced.copy()
        found[self.gangs] += self.size * self.least(reduced)
        return found


def links(program: Program, starts: Starts) -> Links:
    first, last, is_filled = _extremes(program, starts.start)
    is_link = is_filled & (first == last) & (first != NONE) & (program.row_lower == 0) & (program.row_upper == 0)
    rows = np.flatnonzero(is_link)
    part = program.rows[rows]
    link = np.repeat(np.arange(len(rows)), np.diff(part.indptr))
    is_worker = part.data == 1
    is_size = part.data < 0
    size, gangs = np.zeros(len(rows)), np.zeros(len(rows), dtype=np.intp)
    size[link[is_size]], gangs[link[is_size]] = -part.data[is_size], part.indices[is_size]
    return Links(rows, size, part.indices[is_worker].astype(np.intp), link[is_worker], gangs)


def place_rows(program: Program, starts: Starts) -> NDArray[np.int64]:
    """Return the row that places each job class, Σ starts + left out = jobs; -1 where none is found."""
    first, last, is_filled = _extremes(program, starts.job_class)
    is_place = is_filled & (first == last) & (first != NONE) & (program.row_lower == program.row_upper) & (program.row_lower > 0)
    if is_filled.any():
        is_place[is_filled] &= np.logical_and.reduceat(program.rows.data == 1, program.rows.indptr[:-1][is_filled])
    found = np.full(int(starts.job_class.max(initial=NONE)) + 1, NONE, dtype=np.int64)
    found[first[is_place]] = np.flatnonzero(is_place)
    return found


def _extremes(program: Program, of: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Return the least and the largest number of the columns of each row, and whether it has any."""
    is_filled = np.diff(program.rows.indptr) > 0
    first, last = (np.full(len(is_filled), NONE, dtype=np.int64) for _ in range(2))
    begins = program.rows.indptr[:-1][is_filled]
    if len(begins):
        values = of[program.rows.indices]
        first[is_filled], last[is_filled] = np.minimum.reduceat(values, begins), np.maximum.reduceat(values, begins)
    return first, last, is_filled
