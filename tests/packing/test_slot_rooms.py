"""Rooms that are followed: after any takes and gives they are what a recount of all that stands finds."""

from __future__ import annotations

import random

import numpy as np
import pytest

from schedplan.model.cluster import Cluster, Pool
from schedplan.model.problem import Problem
from schedplan.model.workload import WorkerShape
from schedplan.packing.board import Board, Hold
from schedplan.packing.slot_rooms import Counts, SlotRooms, as_bits
from schedplan.timegrid import TimeGrid

N_SLOTS = 6
POOLS = (Pool("a", 3, 3, 3, gpus=4, cpus=16), Pool("b", 2, 2, 2, gpus=8, cpus=12), Pool("c", gpus=4, cpus=16))
FOLLOWED = np.array([0, 1, 2, 3, 4], dtype=np.intp)
"""The nodes of a and b; what stands on that of c is none of theirs."""
SHAPES = tuple(WorkerShape(gpus=gpus, cpus=cpus) for gpus, cpus in ((1, 0), (2, 5), (4, 1), (0, 3)))


def recounted(board: Board, standing: list[tuple[Hold, WorkerShape]], shape: WorkerShape) -> Counts:
    """Return the workers that each followed node takes in each slot, from what stands alone, int64 [node, slot]."""
    found = np.zeros((len(FOLLOWED), N_SLOTS), dtype=np.int64)
    for row, node in enumerate(FOLLOWED.tolist()):
        here = [(hold, of) for hold, of in standing if hold.node_idx == node]
        for slot in range(N_SLOTS):
            there = [(hold.workers, of) for hold, of in here if hold.first_slot <= slot < hold.end_slot]
            devices = board.pools[node].gpus - sum(workers * of.gpus for workers, of in there)
            cores = (board.pools[node].cpus or 0) - sum(workers * of.cpus for workers, of in there)
            found[row, slot] = min(free // asked for free, asked in ((devices, shape.gpus), (cores, shape.cpus)) if asked)
    return found


@pytest.mark.parametrize("seed", range(6))
def test_rooms_are_those_of_a_recount_after_any_takes_and_gives(seed: int) -> None:
    source = random.Random(seed)
    board = Board(Problem("p", TimeGrid.regular(0, 60, N_SLOTS), Cluster(POOLS)))
    rooms = SlotRooms(board)
    followed = [rooms.follow(FOLLOWED, shape) for shape in SHAPES]
    standing: list[tuple[Hold, WorkerShape]] = []
    for _ in range(60):
        shape, node = source.choice(SHAPES), source.randrange(6)
        first = source.randrange(N_SLOTS)
        end = source.randint(first + 1, N_SLOTS)
        most = int(board.room(np.array([node], dtype=np.intp), shape, first, end)[0])
        if standing and source.random() < 0.4:
            board.give_back(standing.pop(source.randrange(len(standing)))[0])
        elif most:
            standing.append((board.take(node, shape, source.randint(1, most), first, end), shape))
        if source.random() < 0.5:
            continue  # several changes are seen at once, too
        for one, asked in zip(followed, SHAPES, strict=True):
            expected = recounted(board, standing, asked)

            assert expected.sum(axis=0).tolist() == one.room(one_node=False).tolist()
            assert expected.max(axis=0).tolist() == one.room(one_node=True).tolist()
            assert as_bits(expected.sum(axis=0) >= 3) == one.fits(3, one_node=False)
            assert as_bits(expected.max(axis=0) >= 3) == one.fits(3, one_node=True)


def test_equal_questions_are_followed_once() -> None:
    rooms = SlotRooms(Board(Problem("p", TimeGrid.regular(0, 60, N_SLOTS), Cluster(POOLS))))

    assert rooms.follow(FOLLOWED, SHAPES[0]) is rooms.follow(FOLLOWED.copy(), WorkerShape(gpus=1))
    assert rooms.follow(FOLLOWED, SHAPES[0]) is not rooms.follow(FOLLOWED[:2], SHAPES[0])


def test_the_first_flag_is_the_lowest_bit() -> None:
    assert 0b01101 == as_bits(np.array([True, False, True, True, False]))
    assert 1 << 9 == as_bits(np.arange(10) == 9)
