"""Numbers of keys: equal where the keys are, over several tables, with empty parts and columns that a table lacks."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from schedplan.tables.keys import in_several, key_numbers, none_repeats


def test_equal_keys_have_equal_numbers():
    one = pa.table({"a": ["x", "x", None], "b": [1, 2, 1]})
    other = pa.table({"b": [1, 2], "a": ["x", None]})

    numbers = key_numbers((one, other), ("a", "b")).tolist()

    # the first row of each is (x, 1); no other two are alike
    assert numbers[0] == numbers[3]
    assert 4 == len(set(numbers))


def test_a_column_that_a_table_lacks_is_empty():
    numbers = key_numbers((pa.table({"a": ["x", "y"]}), pa.table({"a": ["x", "y"], "b": [None, "z"]})), ("a", "b")).tolist()

    assert (True, False) == (numbers[0] == numbers[2], numbers[1] == numbers[3])


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ((["a", "b"], ["c", "d"]), True),
        ((["c", "d"], ["a", "b"]), True),
        ((["a", "c"], ["b", "d"]), False),  # no key twice, and yet not sure at a glance
        ((["a", "b"], ["b", "c"]), False),
        ((["a", "b"], [], ["c"]), True),
        ((["a", None],), False),
        ((), True),
    ],
)
def test_tables_that_rise_one_after_another_repeat_nothing(keys, expected):
    assert expected == none_repeats([pa.table({"k": pa.array(own, pa.string())}) for own in keys], ("k",))


def test_what_stands_in_several_groups():
    numbers, groups = np.array([0, 1, 0, 2, 2, 1]), np.array([0, 0, 1, 1, 1, 0])

    # 0 stands in both groups; 1 and 2 twice in one
    assert [True, False, True, False, False, False] == in_several(numbers, groups).tolist()
    assert [] == in_several(numbers[:0], groups[:0]).tolist()
    assert [] == key_numbers((), ("a",)).tolist()
