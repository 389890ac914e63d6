"""Which part of a plan is solved anew: boxes drawn around it at random, by a seed.

Kinds: all that runs in a few hours; some work on two families of nodes; a few jobs with their neighbours. Where a relaxation
guides them: the hours and nodes around one job, drawn by what its place costs beyond the relaxation, for these costs add up to the
gap. It solves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np

from schedplan.optimize.refine.atlas import NONE, Atlas
from schedplan.optimize.refine.box import Box
from schedplan.optimize.solvers.priced import Floats
from schedplan.optimize.solvers.program import Values

HOURS = (5, 12)
JOBS = 25
"""The most jobs that may move in a box; half as many where all nodes are free."""
GUIDED_HOURS = (8, 16)
GUIDED_COLUMNS, LEAST_GUIDED, MOST_GUIDED = 700.0, 300.0, 1_200.0
"""Nodes are added to a guided box until it has so many variables: at first, at least, at most."""
GROWTH, SHRINKAGE = 1.15, 0.85
"""By how much guided boxes grow after one that was solved, and shrink after one that was not."""
ANYWHERE = 0.2
"""What every job weighs in a guided draw beside its cost, as a share of the mean."""


@dataclass(frozen=True)
class Guide:
    """A relaxation, [variable]: its values, its reduced costs, and which variables are worth a look."""

    relaxed: Floats
    reduced: Floats
    looked_at: Box


class Chooser:
    """Draws boxes around a plan."""

    def __init__(self, atlas: Atlas, source: Random) -> None:
        self.atlas, self.source = atlas, source
        self.n_slots = int(atlas.last_slot.max(initial=0)) + 1
        self.is_start = (atlas.job_class != NONE) & (atlas.first_slot != NONE)
        self.is_left_out = (atlas.job_class != NONE) & (atlas.first_slot == NONE)
        spread = atlas.start[atlas.is_gang & (atlas.cell == NONE)]
        self.is_spread = (atlas.start != NONE) & np.isin(atlas.start, spread)
        self.draws = (self.hours, self.hours, self.families, self.jobs)
        self.guide: Guide | None = None
        self.guided_columns = GUIDED_COLUMNS

    def box(self, values: Values) -> Box:
        return self.source.choice(self.draws)(values) if self.guide is None else self.guided(values, self.guide)

    def guided(self, values: Values, guide: Guide) -> Box:
        """All work of some hours on some nodes: those of one dear job, and others until the box is large enough."""
        atlas, counts = self.atlas, np.flatnonzero(self.atlas.starts.counts & (values > 0))
        costs = np.maximum(guide.reduced[counts], 0.0) * values[counts]
        weights = costs + (ANYWHERE * costs.mean() or 1.0)
        job_class = atlas.job_class[self.source.choices(counts.tolist(), weights.tolist())[0]]
        mine = np.flatnonzero((atlas.job_class == job_class) & self.is_start & ((guide.relaxed > 0) | (values > 0)))
        if not len(mine):
            mine = np.flatnonzero((atlas.job_class == job_class) & self.is_start)
        width = self.source.randint(*GUIDED_HOURS)
        first = int(atlas.first_slot[self.source.choice(mine.tolist())]) - self.source.randint(0, width - 1)
        cells = self._shuffled(set(atlas.cell[mine].tolist()) - {NONE})
        cells += self._shuffled(set(range(len(atlas.family_of_cell))) - set(cells))
        box: Box = np.zeros(len(atlas.job_class), dtype=np.bool_)
        for count in range(1, len(cells) + 1):
            box = self._inside(cells[:count], first, first + width, values)
            if int((box & (guide.looked_at | (values > 0))).sum()) > self.guided_columns:
                break
        return box

    def learn(self, *, is_solved: bool) -> None:
        """Draw larger guided boxes after one that was solved, smaller ones after one that was not."""
        size = self.guided_columns * (GROWTH if is_solved else SHRINKAGE)
        self.guided_columns = min(max(size, LEAST_GUIDED), MOST_GUIDED)

    def _shuffled(self, cells: set[int]) -> list[int]:
        return self.source.sample(sorted(cells), len(cells))

    def _inside(self, cells: list[int], first: int, last: int, values: Values) -> Box:
        """Return the variables of some cells and slots: nodes, replicas, what starts there, and all that is left out."""
        atlas = self.atlas
        families = [atlas.family_of_cell[cell] for cell in cells]
        is_here = np.where(self.is_spread, np.isin(atlas.family, families), np.isin(atlas.cell, cells))
        inside = is_here & (atlas.first_slot >= first) & (atlas.first_slot < last)
        moving = np.unique(atlas.job_class[(values > 0) & self.is_start & inside])
        waiting = np.unique(atlas.job_class[(values > 0) & self.is_left_out])
        is_moving = np.isin(atlas.job_class, moving)
        box = (is_moving | np.isin(atlas.job_class, waiting)) & (inside | self.is_left_out)
        box |= (is_moving & is_here & (values > 0)) | (inside & (atlas.job_class == NONE))
        return np.asarray(box, dtype=np.bool_)

    def hours(self, values: Values) -> Box:
        """All work of a few hours, what runs into or out of them with its start, and what is left out."""
        width = self.source.randint(*HOURS)
        first = self.source.randint(-2, max(self.n_slots - width // 2, 0))
        last = first + width
        atlas = self.atlas
        moving = self._running(values, (atlas.first_slot >= first - 1) & (atlas.first_slot < last))
        inside = (atlas.first_slot >= first) & (atlas.first_slot < last)
        box: Box = self._of(moving, values) & (inside | self.is_left_out | (values > 0))
        box |= inside & (atlas.job_class == NONE)
        return box

    def families(self, values: Values) -> Box:
        """Some work on two families of nodes, over all hours."""
        count = self.atlas.n_families
        chosen = self.source.sample(range(count), min(2, count))
        is_here = np.isin(self.atlas.family, chosen)
        moving = self._some(self._running(values, is_here), JOBS)
        box: Box = self._of(moving, values) | (is_here & (self.atlas.job_class == NONE))
        return box

    def jobs(self, values: Values) -> Box:
        """Half as many jobs from anywhere, with everything that has no job."""
        moving = self._some(self._running(values, self.is_start), JOBS // 2)
        box: Box = self._of(moving, values) | ((self.atlas.job_class == NONE) & self.atlas.is_known)
        return box

    def _running(self, values: Values, where: Box) -> list[int]:
        return sorted(set(self.atlas.job_class[(values > 0) & where & self.is_start].tolist()))

    def _some(self, classes: list[int], most: int) -> list[int]:
        return self.source.sample(classes, min(most, len(classes)))

    def _of(self, classes: list[int], values: Values) -> Box:
        """Return the variables of some job classes and of those with work left out (at most as many as jobs move in a box)."""
        left_out = sorted(self.atlas.job_class[(values > 0) & self.is_left_out].tolist())
        return np.asarray(np.isin(self.atlas.job_class, [*classes, *self._some(left_out, JOBS)]), dtype=np.bool_)
