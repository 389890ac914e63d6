"""Values that hold until the next one, as means over slots: prices, intensities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from schedplan.timegrid import TimeGrid


def slot_means(steps: Sequence[tuple[float, float]], grid: TimeGrid) -> NDArray[np.float64]:
    """Return the time-weighted mean of a step function in each slot, float64 [n_slots].

    steps: (instant in seconds from which it holds, value), in order of time, the first not after the start of the grid.
    """
    starts_s = np.array([start_s for start_s, _ in steps])
    ends_s = np.array([*starts_s[1:], np.inf])
    edges_s = np.asarray(grid.edges_s, dtype=np.float64)
    overlap_s = np.minimum(edges_s[1:, None], ends_s) - np.maximum(edges_s[:-1, None], starts_s)
    values = np.array([value for _, value in steps])
    return np.asarray(np.clip(overlap_s, 0, None) @ values / np.diff(edges_s), dtype=np.float64)
