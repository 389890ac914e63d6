"""Names in the order people expect, whatever they hold."""

from hypothesis import given
from hypothesis import strategies as st

from schedplan.simulate.name_order import name_order


def test_numbers_count_as_numbers():
    names = ["job-10", "job-9", "9", "10", "1_2", "1_10", "a", "01", "1"]

    assert ["01", "1", "1_2", "1_10", "9", "10", "a", "job-9", "job-10"] == sorted(names, key=name_order)


def test_a_number_of_any_length_is_taken():
    long, longer = "1" * 5000, "1" * 5001

    assert [long, longer] == sorted([longer, long], key=name_order)


@given(st.lists(st.text()))
def test_the_order_does_not_hang_on_where_names_stood(names):
    ordered = sorted(names, key=name_order)
    names.reverse()

    assert ordered == sorted(names, key=name_order)


@given(st.text(), st.text())
def test_two_names_share_a_place_where_they_are_one(first, second):
    assert (first == second) == (name_order(first) == name_order(second))
