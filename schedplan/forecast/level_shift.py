"""Where a load moved to another level and stayed there. It mends nothing: forecasters that difference follow by themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SIDE_SEASONS = 7
LEAST_SEASONS = 4
LEAST_CHANGE = 0.25
LEAST_DEVIATIONS = 4.0


@dataclass(frozen=True, slots=True)
class LevelShift:
    """The first interval of the new level, and the mean load of the seasons before and after."""

    step: int
    before: float
    after: float


def level_shift(values: NDArray[np.float64], season: int) -> LevelShift | None:
    """Return the largest lasting shift of a history without season (1) or with one; None where there is none.

    Compared are the means of whole seasons (of 24 values without one): the medians of up to seven on either side differ by at least
    a quarter, by four times what seasons of one side differ among themselves, and every mean after lies beyond every one before.
    """
    length = season if season > 1 else 24
    n_seasons = len(values) // length
    offset = len(values) - n_seasons * length
    blocks = values[offset:].reshape(n_seasons, length)
    known = ~np.isnan(blocks)
    counts = known.sum(axis=1)
    means = np.divide(np.where(known, blocks, 0.0).sum(axis=1), counts, out=np.full(n_seasons, np.nan), where=counts > 0)
    best, most = None, 0.0
    for split in range(LEAST_SEASONS, n_seasons - LEAST_SEASONS + 1):
        left, right = means[max(split - SIDE_SEASONS, 0) : split], means[split : split + SIDE_SEASONS]
        size = _separation(left[~np.isnan(left)], right[~np.isnan(right)])
        if size > most:
            most, best = size, LevelShift(offset + split * length, float(np.nanmedian(left)), float(np.nanmedian(right)))
    return best


def _separation(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """Return how far two sides lie apart, in deviations of a season within its side; 0 where that is no shift."""
    if min(len(left), len(right)) < LEAST_SEASONS or not (left.max() < right.min() or right.max() < left.min()):
        return 0.0
    change = abs(float(np.median(right) - np.median(left)))
    within = float(np.sqrt((np.var(left) * len(left) + np.var(right) * len(right)) / (len(left) + len(right))))
    if change < LEAST_CHANGE * max(abs(float(np.median(left))), abs(float(np.median(right)))):
        return 0.0
    size = change / max(within, 1e-9 * change)
    return size if size >= LEAST_DEVIATIONS else 0.0
