"""A dive: from the relaxation of a model to whole numbers, family by family, each raised where the relaxation leans to it.

Order of families: gangs that fill nodes and workers that share none with their like, replicas, nodes, smaller gangs by size, what
is left. Raising, not rounding: what is raised has its room, and only the rest is solved again. It proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.optimize.formulation import Formulation
from schedplan.optimize.refine.atlas import NONE, Atlas
from schedplan.optimize.refine.kernel import kernel
from schedplan.optimize.solvers.master import Master
from schedplan.optimize.solvers.priced import Floats
from schedplan.optimize.solvers.program import Values

FRACTION = 1e-6
PRICED_EVERY = 4
"""Of so many relaxations one asks for further columns."""
WHOLE_COLUMNS = 100_000
"""Of programs of more columns only the kernel is settled."""


@dataclass(frozen=True, slots=True)
class DiveStyle:
    """whole_from: devices of the smallest gang that is raised before the nodes, as are workers above half a node.

    share: so many of a family are raised at once, as a share of what its fractions add up to.
    """

    whole_from: float
    share: float


STYLES = tuple(DiveStyle(whole_from, share) for whole_from in (8.0, 4.0) for share in (0.5, 0.25))


class _StuckError(Exception):
    """A variable can neither be raised nor kept down."""


def dive(master: Master, formulation: Formulation, atlas: Atlas, style: DiveStyle) -> Values | None:
    """Return whole values that keep every row, found from a relaxation; None where the dive ends in a place without any."""
    program = master.program
    if program.n_columns == 0:
        return np.zeros(0, dtype=np.int64)
    try:
        if program.n_columns > WHOLE_COLUMNS:
            part = kernel(master, atlas)
            found = part.whole(_settled(part.master(), part.atlas, _families(formulation, atlas, style, part.columns), style.share))
        else:
            families = _families(formulation, atlas, style, np.arange(program.n_columns))
            found = np.rint(_settled(master.copied(), atlas, families, style.share)).astype(np.int64)
    except _StuckError:
        return None
    return found if program.is_kept_by(found) else None


def _settled(master: Master, atlas: Atlas, families: list[_Family], share: float) -> Floats:
    """Return the values in which a dive from a master of its own ends."""
    diver = _Diver(master)
    for family in families:
        diver.settle(family, atlas.job_class, share)
    return diver.values


@dataclass(frozen=True, slots=True)
class _Family:
    """Variables that are settled together; by_class: at most one of a job class is raised at once; is_final: then they stay."""

    columns: NDArray[np.intp]
    by_class: bool = False
    is_final: bool = False


def _families(formulation: Formulation, atlas: Atlas, style: DiveStyle, columns: NDArray[np.intp]) -> list[_Family]:
    """Return the families of some columns in their order, numbered along these.

    Nodes are final, so that smaller gangs fill what is paid for.
    """
    layout = formulation.variables.layout
    devices = np.array([job_class.job.devices for job_class in layout.classes])
    half = max((cell.pool.gpus for cell in layout.cells), default=0) / 2
    is_first = np.array(
        [one.job.devices >= style.whole_from or one.job.shape.gpus > half for one in layout.classes], dtype=np.bool_
    )
    is_work = atlas.job_class != NONE
    size, comes_first = np.full(len(is_work), -1.0), np.zeros(len(is_work), dtype=np.bool_)
    size[is_work], comes_first[is_work] = devices[atlas.job_class[is_work]], is_first[atlas.job_class[is_work]]
    replicas = [amount.index for one in formulation.variables.replicas for amounts in one.values() for amount in amounts]
    is_replica = np.zeros(len(is_work), dtype=np.bool_)
    is_replica[replicas] = True
    is_node = (~is_work & ~is_replica & atlas.is_known)[columns]
    size, comes_first, is_work, is_replica = size[columns], comes_first[columns], is_work[columns], is_replica[columns]
    return [
        *_by_size(size, comes_first),
        _Family(np.flatnonzero(is_replica)),
        _Family(np.flatnonzero(is_node), is_final=True),
        *_by_size(size, is_work & ~comes_first),
        _Family(np.arange(len(columns))),
    ]


def _by_size(size: Floats, where: NDArray[np.bool_]) -> Iterator[_Family]:
    """Give the variables of gangs as families, the largest gangs first."""
    for one in sorted(set(size[where].tolist()), reverse=True):
        yield _Family(np.flatnonzero(where & (size == one)), by_class=True)


class _Diver:
    """A relaxation whose ranges close; it asks for further columns once in a while."""

    def __init__(self, master: Master) -> None:
        self.master = master
        self.solves = 0
        self._demand(self._solve())

    @property
    def values(self) -> Floats:
        """The solution, [variable]."""
        values = self.master.values
        assert values is not None
        return values

    def settle(self, family: _Family, job_class: NDArray[np.int64], share: float) -> None:
        """Raise fractions of a family until none is left, then keep what it has reached."""
        columns = family.columns
        while len(fractions := self._fractions(columns, job_class if family.by_class else None)):
            found = self.values[fractions]
            together = float((found - np.floor(found)).sum())
            self._raise(fractions[: max(1, int(together * share))])
        reached = np.rint(self.values[columns])
        self.master.change(columns, reached, reached if family.is_final else self.master.upper[columns])

    def _fractions(self, family: NDArray[np.intp], job_class: NDArray[np.int64] | None) -> NDArray[np.intp]:
        """Return the fractional variables, the largest fraction first; with job classes the largest of each class alone."""
        found = self.values[family]
        fraction = found - np.floor(found + FRACTION)
        order = np.lexsort((family, -fraction))
        columns = family[order[fraction[order] > FRACTION]]
        if job_class is None:
            return columns
        _, first = np.unique(job_class[columns], return_index=True)
        return columns[np.sort(first)]

    def _raise(self, columns: NDArray[np.intp]) -> None:
        lower, upper = self.master.lower[columns], self.master.upper[columns]
        self.master.change(columns, np.ceil(self.values[columns] - FRACTION), upper)
        if self._solve():
            return
        self.master.change(columns, lower, upper)
        if len(columns) > 1:
            half = len(columns) // 2
            self._demand(self._solve())
            self._raise(columns[:half])
            self._raise(columns[half:])
            return
        self._demand(self._solve())
        self.master.change(columns, lower, np.floor(self.values[columns] + FRACTION))
        self._demand(self._solve())

    def _solve(self) -> bool:
        self.solves += 1
        return self.master.solve_again(with_prices=self.solves % PRICED_EVERY == 0)

    def _demand(self, is_solved: bool) -> None:
        if not is_solved:
            raise _StuckError
