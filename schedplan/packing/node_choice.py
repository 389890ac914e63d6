"""Node choices for one worker at a time: best fit, and the least growth of fragmentation. Placements are held against them.

They know what is free on nodes and what one worker asks for, not jobs, times or plans. Fragmentation is that of
engines/fragmentation.py; typical is the most frequent work, up to 95 % of all. Scores are whole numbers from 0 to 100 and the first
node of the highest is taken, as in the scheduler of its authors (github.com/hkust-adsl/kubernetes-scheduler-simulator).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.engines.fragmentation import POPULAR, fragments

Floats = NDArray[np.float64]
WHOLE = 1.0
NEARLY = 1e-9


@dataclass(frozen=True, slots=True)
class Asked:
    """What one worker asks for: `count` devices, `share` of each (1 for whole ones), cores and GiB."""

    count: int
    share: float
    cores: float
    memory_gib: float


class Free:
    """What is free, mutable: devices float64 [node, device] (0 where a node has fewer), cores and memory_gib float64 [node]."""

    def __init__(self, devices: Floats, cores: Floats, memory_gib: Floats) -> None:
        self.devices, self.cores, self.memory_gib = devices.copy(), cores.copy(), memory_gib.copy()

    def room(self, asked: Asked) -> NDArray[np.bool_]:
        """Return the nodes with room for one worker, bool [node]."""
        fits = (self.cores >= asked.cores - NEARLY) & (self.memory_gib >= asked.memory_gib - NEARLY)
        return np.asarray(fits & ((self.devices >= asked.share - NEARLY).sum(axis=1) >= asked.count))

    def take(self, node: int, asked: Asked, device: int | None = None) -> None:
        """Take what a worker asks for: a share of `device`, or the first devices that are free enough."""
        chosen = np.flatnonzero(self.devices[node] >= asked.share - NEARLY)[: asked.count] if device is None else [device]
        self.devices[node, chosen] -= asked.share
        self.cores[node] -= asked.cores
        self.memory_gib[node] -= asked.memory_gib


def best_fit(free: Free, asked: Asked, among: NDArray[np.bool_] | None = None) -> tuple[int, int | None] | None:
    """Return (node, device of a share) that leaves least: of the device, then of devices, then of cores; None without room.

    among: nodes that may take it, bool [node]; None: all.
    """
    rows = _rows(free, asked, among)
    if not len(rows):
        return None
    devices = free.devices[rows]
    is_share = asked.count == 1 and asked.share < WHOLE
    left = np.where(devices >= asked.share - NEARLY, devices - asked.share, np.inf)
    tightest = left.min(axis=1) if is_share else np.zeros(len(rows))
    best = int(np.lexsort((rows, free.cores[rows], devices.sum(axis=1), tightest))[0])
    return int(rows[best]), int(left[best].argmin()) if is_share else None


class LeastFragmentation:
    """The choice that lets the fragmentation of nodes grow least. It remembers scores until a node changes."""

    def __init__(self, free: Free, history: Iterable[Asked]) -> None:
        self.free = free
        rows = [(asked.count, asked.share, asked.cores, often) for asked, often in _typical(history)]
        # column by column in memory: sums over it do not change with the way it was made
        self.typical = np.asfortranarray(np.array(rows, dtype=np.float64).reshape(len(rows), 4))
        self.now = fragments(free.devices, free.cores, self.typical)
        self._scores: dict[Asked, tuple[NDArray[np.int64], NDArray[np.int64], set[int]]] = {}

    def choose(self, asked: Asked, among: NDArray[np.bool_] | None = None) -> tuple[int, int | None] | None:
        """Return (node, device of a share); None without room. among: nodes that may take it, bool [node]; None: all."""
        rows = _rows(self.free, asked, among)
        if not len(rows):
            return None
        scores, devices, stale = self._scores.setdefault(asked, self._unknown())
        changed = np.array(sorted(stale & set(rows.tolist())), dtype=np.intp)
        if len(changed):
            scores[changed], devices[changed] = self._scored(changed, asked)
            stale.difference_update(changed.tolist())
        node = int(rows[scores[rows].argmax()])
        return node, int(devices[node]) if asked.count == 1 and asked.share < WHOLE else None

    def took(self, node: int) -> None:
        """Look again at a node on which something was put."""
        self.now[node] = fragments(self.free.devices[[node]], self.free.cores[[node]], self.typical)[0]
        for _, _, stale in self._scores.values():
            stale.add(node)

    def _unknown(self) -> tuple[NDArray[np.int64], NDArray[np.int64], set[int]]:
        n = len(self.now)
        return np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), set(range(n))

    def _scored(self, rows: NDArray[np.intp], asked: Asked) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(score, device) of each row: of a share on its best device, else on the first devices that are free."""
        devices, cores = self.free.devices[rows], self.free.cores[rows] - asked.cores
        fitting = devices >= asked.share - NEARLY
        if asked.count != 1 or asked.share >= WHOLE:
            taken = fitting & (fitting.cumsum(axis=1) <= asked.count)
            score = self._score(rows, fragments(devices - asked.share * taken, cores, self.typical))
            return score, np.zeros(len(rows), dtype=np.int64)
        best, of = np.full(len(rows), -1, dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
        for device in range(devices.shape[1]):
            after = devices.copy()
            after[:, device] -= asked.share
            score = np.where(fitting[:, device], self._score(rows, fragments(after, cores, self.typical)), -1)
            better = score > best
            best[better], of[better] = score[better], device
        return best, of

    def _score(self, rows: NDArray[np.intp], after: Floats) -> NDArray[np.int64]:
        return np.floor(100.0 / (1.0 + np.exp(-(self.now[rows] - after)))).astype(np.int64)


def _rows(free: Free, asked: Asked, among: NDArray[np.bool_] | None) -> NDArray[np.intp]:
    room = free.room(asked)
    return np.flatnonzero(room if among is None else room & among)


def _typical(history: Iterable[Asked]) -> tuple[tuple[Asked, float], ...]:
    """Work by its share of all, the most frequent first, up to POPULAR of it."""
    counts = Counter(history)
    total, reached = sum(counts.values()), 0
    found: list[tuple[Asked, float]] = []
    for asked, count in sorted(
        counts.items(), key=lambda one: (-one[1], one[0].count, one[0].share, one[0].cores, one[0].memory_gib)
    ):
        if reached >= POPULAR * total:
            break
        found.append((asked, count / total))
        reached += count
    return tuple(found)
