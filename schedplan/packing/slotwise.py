"""Arrays over nodes and slots that are stored slot by slot, and how they are read for many nodes in few slots."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def zeros_by_slot(shape: tuple[int, int]) -> NDArray[np.int64]:
    """Return zeros, [node, slot], stored slot by slot: what is asked over all nodes in few slots lies together."""
    return np.zeros(shape, dtype=np.int64, order="F")


def together(nodes: NDArray[np.intp]) -> NDArray[np.intp] | slice:
    """Return nodes as a span where they stand one after another: a view of an array, and no copy."""
    first, last = int(nodes[0]), int(nodes[-1]) + 1
    return slice(first, last) if last - first == len(nodes) and (len(nodes) < 3 or (np.diff(nodes) == 1).all()) else nodes


def folded(fold: np.ufunc, by_slot: NDArray[Any]) -> NDArray[Any]:
    """Return what is folded over the few slots of [node, slot], node by node, slot after slot: numpy is slow along short rows."""
    found = by_slot[:, 0].copy()
    for slot in range(1, by_slot.shape[1]):
        fold(found, by_slot[:, slot], out=found)
    return found
