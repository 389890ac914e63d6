"""Patterns: which shares fit one device together. It knows sizes in slices, not who asks for them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST_PATTERNS = 4_000

Pattern = tuple[int, ...]


def maximal_patterns(sizes: tuple[int, ...], slices: int, most: int = MOST_PATTERNS) -> tuple[tuple[Pattern, ...], bool]:
    """Return (patterns, whether these are all) of the maximal multisets of `sizes` that fit `slices`.

    A pattern counts how often each size occurs; maximal: no further share fits. Beyond `most` the enumeration stops, larger
    sizes having come first.
    """
    order = sorted(range(len(sizes)), key=lambda idx: -sizes[idx])
    smallest = min(sizes, default=0)
    found: list[Pattern] = []
    counts = [0] * len(sizes)

    def extend(position: int, left: int) -> bool:
        if position == len(order):
            if left < smallest:
                found.append(tuple(counts))
            return len(found) < most
        idx = order[position]
        for count in range(left // sizes[idx], -1, -1):
            counts[idx] = count
            if not extend(position + 1, left - count * sizes[idx]):
                counts[idx] = 0
                return False
        counts[idx] = 0
        return True

    if not sizes:
        return (), True
    is_whole = extend(0, slices)
    return tuple(found), is_whole


def dearest_pattern(sizes: tuple[int, ...], prices: tuple[int, ...], slices: int) -> tuple[int, Pattern]:
    """Return (value, pattern) of the shares that are worth most on one device at integer prices per share.

    Unbounded knapsack by dynamic programming, exact in int64: prices x slices must stay below 2^63.
    """
    best = np.zeros(slices + 1, dtype=np.int64)
    choice = np.full(slices + 1, -1, dtype=np.int64)
    wanted = [idx for idx in range(len(sizes)) if prices[idx] > 0]
    if wanted:
        size = np.array([sizes[idx] for idx in wanted], dtype=np.int64)
        price = np.array([prices[idx] for idx in wanted], dtype=np.int64)
        _fill(best, choice, size, price)
    counts = [0] * len(sizes)
    at = slices
    while choice[at] >= 0:
        picked = wanted[int(choice[at])]
        counts[picked] += 1
        at -= sizes[picked]
    return int(best[slices]), tuple(counts)


def _fill(best: NDArray[np.int64], choice: NDArray[np.int64], size: NDArray[np.int64], price: NDArray[np.int64]) -> None:
    order = np.argsort(size, kind="stable")
    for room in range(int(size.min()), len(best)):
        fitting = order[: int(np.searchsorted(size[order], room, side="right"))]
        values = best[room - size[fitting]] + price[fitting]
        top = int(values.argmax())
        best[room], choice[room] = values[top], fitting[top]
