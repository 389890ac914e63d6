"""Slot rooms: how many workers of a shape the nodes of a family take together in each slot of a board, at most.

It looks again only at nodes that have changed since it was last asked. It places nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedplan.model.workload import WorkerShape
from schedplan.packing.board import Board
from schedplan.packing.footprint import Footprint

Counts = NDArray[np.int64]


class SlotRooms:
    """The rooms on one board, followed while work is put on it and taken off."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self._known: dict[tuple[bytes, Footprint], Followed] = {}

    def follow(self, nodes: NDArray[np.intp], shape: WorkerShape) -> Followed:
        """Return what is followed of nodes for a shape, the same for equal ones."""
        key = (nodes.tobytes(), self.board.footprint(int(nodes[0]), shape))
        if key not in self._known:
            self._known[key] = Followed(self.board, nodes, shape)
        return self._known[key]


class Followed:
    """The workers that nodes take in each slot at most: never less than what `place_gang` finds over a span that holds the slot."""

    def __init__(self, board: Board, nodes: NDArray[np.intp], shape: WorkerShape) -> None:
        self._board, self._nodes, self._shape = board, nodes, shape
        self._rooms = board.rooms(nodes, shape)
        self._in_all: Counts = self._rooms.sum(axis=0)
        self._place = {node: place for place, node in enumerate(nodes.tolist())}
        names = dict.fromkeys(board.pools[node].name for node in nodes.tolist())
        self._changes = [board.changed[name] for name in names]
        self._seen = [len(changes) for changes in self._changes]
        self._bits: dict[tuple[int, bool], int] = {}

    def room(self, *, one_node: bool) -> Counts:
        """Return the workers in all, or (one_node) on the roomiest node; int64 [n_slots], not to be changed."""
        self._look_again()
        return np.asarray(self._rooms.max(axis=0), dtype=np.int64) if one_node else self._in_all

    def fits(self, workers: int, *, one_node: bool) -> int:
        """Return the slots in which so many workers may find room, as bits."""
        self._look_again()
        key = (workers, one_node)
        if key not in self._bits:
            self._bits[key] = as_bits(self.room(one_node=one_node) >= workers)
        return self._bits[key]

    def _look_again(self) -> None:
        """See what has changed since the last look."""
        for number, changes in enumerate(self._changes):
            if len(changes) > self._seen[number]:
                changed = [self._place[node] for node in dict.fromkeys(changes[self._seen[number] :]) if node in self._place]
                self._seen[number] = len(changes)
                if changed:
                    now = self._board.rooms(self._nodes[changed], self._shape)
                    self._in_all += (now - self._rooms[changed]).sum(axis=0)
                    self._rooms[changed] = now
                    self._bits.clear()


def as_bits(is_so: NDArray[np.bool_]) -> int:
    """Return flags as the bits of a number, the first one lowest."""
    return int.from_bytes(np.packbits(is_so, bitorder="little").tobytes(), "little")
