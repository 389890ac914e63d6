"""Normal quantiles. Nothing else."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

_STANDARD = NormalDist()


def standard_quantiles(levels: tuple[float, ...]) -> NDArray[np.float64]:
    """Return the standard normal quantiles of `levels`, each inside (0, 1); float64 [len(levels)]."""
    return np.array([_STANDARD.inv_cdf(level) for level in levels])


def quantiles(mean: NDArray[np.float64], se: NDArray[np.float64], levels: tuple[float, ...]) -> NDArray[np.float64]:
    """Return mean + z * se for each level; float64 [len(levels), h]."""
    return mean + standard_quantiles(levels)[:, None] * se
