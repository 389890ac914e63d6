"""Sensitivity: how far the weight of one dimension must move until another engine fits best. Exact, for one dimension at a time.

With W the weights, S the scores and d the change of the weight of dimension k, two engines draw level where
sum(W x S1) + d x S1k = sum(W x S2) + d x S2k, so d = (sum(W x S1) - sum(W x S2)) / (S2k - S1k).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum

from schedplan.compare_engines.fit import Fit
from schedplan.engines.atom import Dimension

LEAST_DIFFERENCE = 1e-12


@dataclass(frozen=True, slots=True)
class WeightMove:
    """With `dimension` weighing `to_weight` in place of `from_weight`, `challenger` draws level with the best."""

    dimension: Dimension
    from_weight: float
    to_weight: float
    challenger: str

    @property
    def relative(self) -> float:
        """How far the weight moves, as a multiple of what it is; of 1 where it is 0."""
        return abs(self.to_weight - self.from_weight) / (self.from_weight or 1.0)


def weight_moves(best: Fit, others: tuple[Fit, ...]) -> tuple[WeightMove, ...]:
    """Return the smallest move per dimension that lets another engine draw level, smallest first; none where no move does.

    Engines with a dimension that doesn't apply are left out: their total has other weights in it.
    """
    found: list[WeightMove] = []
    for idx in range(len(best.dimensions)):
        moves = [move for other in others if (move := _move(best, other, idx)) is not None]
        if moves:
            found.append(min(moves, key=lambda move: (move.relative, move.challenger)))
    return tuple(sorted(found, key=lambda move: (move.relative, move.dimension.value)))


def _move(best: Fit, other: Fit, idx: int) -> WeightMove | None:
    mine, theirs = _scores(best), _scores(other)
    if mine is None or theirs is None or theirs[idx] == mine[idx]:
        return None
    weights = [one.weight for one in best.dimensions]
    lead = fsum(weight * (a - b) for weight, a, b in zip(weights, mine, theirs, strict=True))
    to_weight = weights[idx] + lead / (theirs[idx] - mine[idx])
    if to_weight < 0 or abs(theirs[idx] - mine[idx]) < LEAST_DIFFERENCE:
        return None
    return WeightMove(best.dimensions[idx].dimension, weights[idx], to_weight, other.engine.name)


def _scores(fit: Fit) -> list[float] | None:
    found = [one.score for one in fit.dimensions]
    known = [score for score in found if score is not None]
    return known if len(known) == len(found) else None
