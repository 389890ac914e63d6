"""Arrays stored slot by slot: they are read as any others."""

from __future__ import annotations

import random

import numpy as np
import pytest

from schedplan.packing.slotwise import folded, together, zeros_by_slot


def test_what_lies_together_is_one_slot_of_all_nodes() -> None:
    assert zeros_by_slot((3, 2))[:, 1].flags.c_contiguous
    assert (0, (3, 2)) == (int(zeros_by_slot((3, 2)).sum()), zeros_by_slot((3, 2)).shape)


@pytest.mark.parametrize(
    ("nodes", "is_span"),
    [
        ([4], True),
        ([2, 3], True),
        ([3, 2], False),
        ([0, 1, 2, 3], True),
        ([0, 3, 2], False),
        ([1, 2, 4], False),
    ],
)
def test_nodes_in_a_row_are_a_span_and_read_the_same(nodes: list[int], is_span: bool) -> None:
    values, rows = np.arange(15).reshape(5, 3), np.array(nodes, dtype=np.intp)

    assert isinstance(together(rows), slice) == is_span
    assert values[rows].tolist() == values[together(rows)].tolist()


@pytest.mark.parametrize("fold", [np.minimum, np.add, np.bitwise_and])
def test_folding_slot_after_slot_is_folding_along_the_slots(fold: np.ufunc) -> None:
    source = random.Random(0)
    for n_slots in (1, 2, 7):
        values = np.asfortranarray([[source.randrange(64) for _ in range(n_slots)] for _ in range(5)])
        before = values.copy()

        assert fold.reduce(values, axis=1).tolist() == folded(fold, values).tolist()
        assert before.tolist() == values.tolist()
