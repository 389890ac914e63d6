from __future__ import annotations

from itertools import product

from schedplan.optimize.static.patterns import dearest_pattern, maximal_patterns


def test_patterns_of_two_sizes_on_one_device() -> None:
    # 50 and 30 of 100: 2 x 50; 50 + 30 (20 left, less than 30); 3 x 30 (10 left). 1 x 50 alone leaves 50, so it is not maximal.
    expected = {(0, 2), (1, 1), (3, 0)}
    found, is_whole = maximal_patterns((30, 50), 100)

    assert expected == set(found)
    assert is_whole


def test_enumeration_stops_at_its_limit() -> None:
    found, is_whole = maximal_patterns((1, 2, 3, 5, 7), 40, most=10)

    assert len(found) == 10
    assert not is_whole


def test_no_sizes_no_patterns() -> None:
    assert maximal_patterns((), 100) == ((), True)


def test_dearest_pattern_is_the_best_of_all() -> None:
    sizes, prices, slices = (7, 11, 20), (3, 6, 10), 60
    # Every multiset: at most 8 of 7, 5 of 11, 3 of 20.
    counts = [c for c in product(range(9), range(6), range(4)) if sum(n * s for n, s in zip(c, sizes, strict=True)) <= slices]
    expected = max(sum(n * p for n, p in zip(c, prices, strict=True)) for c in counts)
    value, pattern = dearest_pattern(sizes, prices, slices)

    assert expected == value
    assert value == sum(n * p for n, p in zip(pattern, prices, strict=True))
    assert sum(n * s for n, s in zip(pattern, sizes, strict=True)) <= slices


def test_free_shares_are_in_no_dearest_pattern() -> None:
    assert dearest_pattern((30, 50), (0, 0), 100) == (0, (0, 0))
