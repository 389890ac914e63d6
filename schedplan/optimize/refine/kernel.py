"""The kernel of a relaxed program: the few classes of jobs that are still worth a decision, each with its cheapest starts.

Of a large program the relaxation leaves hardly more classes in fractions than it has rows of capacity; all others start whole. So
those in fractions are chosen anew, with as many of the others as are cheapest to move, from columns of small reduced cost; the
rest stands. Source: kernel search, Angelelli, Mansini and Speranza 2010, doi.org/10.1016/j.cor.2010.02.002.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from schedplan.optimize.refine.atlas import NONE, Atlas
from schedplan.optimize.refine.box import part_of
from schedplan.optimize.solvers.master import Master
from schedplan.optimize.solvers.priced import Floats
from schedplan.optimize.solvers.program import Program, Values

FRACTION = 1e-6
MOST_CLASSES, MOST_COLUMNS = 3_000, 20_000
"""Beyond these a relaxation takes so much longer that fewer choices are better (measured at 300 and 1,000 nodes)."""


@dataclass(frozen=True)
class Kernel:
    """columns: of the whole program, in their order; program, atlas: of these alone; values: of the whole, what stands."""

    columns: NDArray[np.intp]
    program: Program
    atlas: Atlas
    values: Values

    def master(self) -> Master:
        """Return the relaxation of the kernel, with all of its columns; not solved."""
        return Master(self.program, self.atlas.starts, np.arange(len(self.columns)))

    def whole(self, found: Floats) -> Values:
        """Return the values of the whole program, from those of the kernel."""
        values = self.values.copy()
        values[self.columns] = np.rint(found)
        return values


def kernel(master: Master, atlas: Atlas, most_classes: int = MOST_CLASSES, most_columns: int = MOST_COLUMNS) -> Kernel:
    """Return the kernel of a program whose relaxation is solved. ValueError where it is not.

    Open are the classes in fractions, then those whose next start is cheapest.
    """
    values, prices = _solved(master)
    is_fraction = np.abs(values - np.rint(values)) > FRACTION
    in_fractions = np.zeros(atlas.starts.n_classes, dtype=np.bool_)
    in_fractions[atlas.job_class[is_fraction & (atlas.job_class != NONE)]] = True
    unused = np.flatnonzero(atlas.starts.counts & (values <= FRACTION))
    following = np.full(len(in_fractions), np.inf)
    np.minimum.at(following, atlas.job_class[unused], prices[unused])
    order = np.lexsort((np.arange(len(in_fractions)), following, ~in_fractions))
    chosen = order[: max(most_classes, int(in_fractions.sum()))]
    return _cut(master.program, atlas, np.rint(values).astype(np.int64), _columns(atlas, values, prices, chosen, most_columns))


def _solved(master: Master) -> tuple[Floats, Floats]:
    """Return the values of a solved relaxation and the reduced costs, those of gangs with their workers."""
    if master.values is None:
        raise ValueError("a relaxation without a solution has no kernel")
    return master.values, np.maximum(master.links.with_workers(master.reduced_costs()), 0.0)


def _columns(atlas: Atlas, values: Floats, prices: Floats, classes: NDArray[np.int64], most: int) -> NDArray[np.intp]:
    """Return all columns without a class and, of some classes, what they have, what is left out and the cheapest starts."""
    is_open = np.isin(atlas.job_class, classes) & (atlas.job_class != NONE)
    always = (atlas.job_class == NONE) | (is_open & ((values > FRACTION) | (atlas.first_slot == NONE)))
    further = np.flatnonzero(is_open & ~always & atlas.is_gang)
    cheapest = further[np.lexsort((further, prices[further]))][: max(most - int(always.sum()), 0)]
    gangs = np.concatenate([cheapest, np.flatnonzero(always & atlas.is_gang)])
    return np.union1d(np.flatnonzero(always), atlas.starts.whole(gangs))


def _cut(program: Program, atlas: Atlas, values: Values, columns: NDArray[np.intp]) -> Kernel:
    rows, lower, upper = part_of(program, values, columns)
    costs = program.costs[columns]
    constant = program.objective(values) - float(costs @ values[columns])
    part = Program(csr_array(rows), lower, upper, program.lower[columns], program.upper[columns], costs, constant)
    return Kernel(columns, part, atlas.of(columns), values)
