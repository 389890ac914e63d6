"""Choices of a node for one worker, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.packing.node_choice import Asked, Free, LeastFragmentation, best_fit

HALF, WHOLE, PAIR = Asked(1, 0.5, 1.0, 1.0), Asked(1, 1.0, 1.0, 1.0), Asked(2, 1.0, 1.0, 1.0)


def free(*devices: tuple[float, float], cores: tuple[float, ...] = (8.0, 8.0)) -> Free:
    return Free(np.array(devices), np.array(cores), np.array([8.0] * len(devices)))


def test_best_fit_fills_the_fullest_device_that_has_room() -> None:
    nodes = free((1.0, 0.6), (0.4, 1.0))

    # 0.6 leaves 0.1, the others 0.5; a whole device is left on both, and the second node has less free: 1.4 of 1.6
    assert best_fit(nodes, HALF) == (0, 1)
    assert best_fit(nodes, WHOLE) == (1, None)
    assert best_fit(nodes, PAIR) is None


def test_fragmentation_keeps_pairs_of_devices_whole() -> None:
    nodes = free((1.0, 1.0), (1.0, 0.5))
    choice = LeastFragmentation(nodes, (PAIR, PAIR, HALF))

    # Node 0 is of use to pairs: a half on it would make 1.5 devices useless for two thirds of the work. Node 1 is so already.
    # It takes the first of its devices: on either it leaves 1 device in all that pairs can't use and halves can.
    assert choice.choose(HALF) == (1, 0)
    # expected fragments: node 0 none; node 1 all 1.5 for pairs, none for halves
    assert choice.now.tolist() == pytest.approx([0.0, 1.0])


def test_a_node_is_looked_at_again_when_something_was_put_there() -> None:
    nodes = free((1.0, 0.0), (1.0, 0.0), cores=(1.0, 8.0))
    choice = LeastFragmentation(nodes, (WHOLE,))
    first = choice.choose(WHOLE)
    nodes.take(0, WHOLE)
    choice.took(0)

    # both nodes lose one whole device that was of use, so they tie and the first is taken; then it has none
    assert first == (0, None)
    assert choice.choose(WHOLE) == (1, None)
