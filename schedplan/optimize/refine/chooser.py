"""Which part of a plan is solved anew: boxes drawn around it at random, by a seed.

Kinds: all that runs in a few hours; some work on two families of nodes; a few jobs with their neighbours. It solves nothing.
"""

from __future__ import annotations

from random import Random

import numpy as np

from schedplan.optimize.refine.atlas import NONE, Atlas
from schedplan.optimize.refine.box import Box
from schedplan.optimize.solvers.program import Values

HOURS = (5, 12)
JOBS = 25
"""The most jobs that may move in a box; half as many where all nodes are free."""


class Chooser:
    """Draws boxes around a plan."""

    def __init__(self, atlas: Atlas, source: Random) -> None:
        self.atlas, self.source = atlas, source
        self.n_slots = int(atlas.last_slot.max(initial=0)) + 1
        self.is_start = (atlas.job_class != NONE) & (atlas.first_slot != NONE)
        self.is_left_out = (atlas.job_class != NONE) & (atlas.first_slot == NONE)
        self.draws = (self.hours, self.hours, self.families, self.jobs)

    def box(self, values: Values) -> Box:
        return self.source.choice(self.draws)(values)

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
