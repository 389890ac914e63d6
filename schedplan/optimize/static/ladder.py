"""From the relaxation to whole numbers: how many units of each class on each type, and devices cut by which pattern.

Floors of the optimum, then of the optimum of what is left, then an integer program on the rest. It does not know single nodes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from schedplan.optimize.static.instance import Integers
from schedplan.optimize.static.patterns import Pattern
from schedplan.optimize.static.program import Answer, Floats, Program
from schedplan.optimize.static.relaxation import Relaxation

SLACKS = (0.0, 0.05, 0.10, 0.15, 0.20)
NEARLY_WHOLE = 1e-7
REST_NODES = 200
REST_GAP = 1e-4


@dataclass(frozen=True)
class TypePlan:
    """units int64 [type, class]; cuts: (pattern, devices) per type, in slices of Relaxation.sizes."""

    units: Integers
    cuts: tuple[tuple[tuple[Pattern, int], ...], ...]


def type_plan(relaxation: Relaxation, answer: Answer, weights: Floats, slack: float) -> TypePlan:
    """Return a whole-number plan per type near an optimum of the relaxation with `slack` set aside."""
    matrix, gain = relaxation.matrix(), relaxation.gain(weights)
    _, high = relaxation.limits(slack)
    fixed = np.floor(answer.x + NEARLY_WHOLE)
    left = Program(matrix, gain, high - matrix.times(fixed)).solve()
    if left is not None:
        fixed = fixed + np.floor(left.x + NEARLY_WHOLE)
        kept = np.flatnonzero((left.x > NEARLY_WHOLE) | (answer.x > NEARLY_WHOLE))
        rest = Program(
            matrix.columns(kept),
            gain[kept],
            high - matrix.times(fixed),
            lower=_lower(relaxation, fixed)[kept],
            integer=np.ones(len(kept), dtype=np.bool_),
            node_limit=REST_NODES,
            gap=REST_GAP,
        ).solve()
        if rest is not None:
            fixed[kept] += np.round(rest.x)
    return as_type_plan(relaxation, fixed)


def _lower(relaxation: Relaxation, fixed: Floats) -> Floats:
    """Shares may be taken back, so that floors of shares and of their devices never contradict each other."""
    lower = np.zeros(len(fixed))
    for idx, (t, k) in enumerate(relaxation.units):
        need = relaxation.instance.needs[k][t]
        if need is not None and need.shares:
            lower[idx] = -fixed[idx]
    return lower


def as_type_plan(relaxation: Relaxation, fixed: Floats) -> TypePlan:
    """Return whole column values of a relaxation as a plan per type."""
    instance = relaxation.instance
    units = np.zeros((len(instance.types), len(instance.classes)), dtype=np.int64)
    for idx, (t, k) in enumerate(relaxation.units):
        units[t, k] = round(float(fixed[idx]))
    cuts: list[list[tuple[Pattern, int]]] = [[] for _ in instance.types]
    for idx, (t, pattern) in enumerate(relaxation.cuts, start=relaxation.n_before_cuts):
        devices = round(float(fixed[idx]))
        if devices > 0:
            cuts[t].append((pattern, devices))
    return TypePlan(units, tuple(tuple(of_type) for of_type in cuts))
