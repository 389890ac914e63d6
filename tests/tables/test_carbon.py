"""The table carbon: values that hold until the next one, averaged over slots."""

from __future__ import annotations

import pytest

from schedplan.errors import InputError
from schedplan.tables.carbon import IntensityChange, intensities
from schedplan.tables.convert import Content, content
from schedplan.tables.read import read_table
from schedplan.timegrid import TimeGrid

T0 = 1_796_083_200
H = 3600


@pytest.fixture
def content_of(write_text):
    def convert(carbon: str, nodes: str = "node,region\nn,east\n") -> Content:
        files = (write_text("carbon.csv", "region,ds,g_per_kwh\n" + carbon), write_text("nodes.csv", nodes))
        return content(tuple(read_table(file) for file in files))

    return convert


def means(changes, grid) -> dict[str, list[float]]:
    return {series.region: series.g_per_kwh.tolist() for series in intensities(changes, grid)}


def test_rows_come_by_region_and_time_and_an_empty_time_is_before_all_others(content_of):
    found = content_of("west,2026-12-01T01:00:00Z,70\neast,,50\nwest,,20\n").intensity_changes

    assert (
        IntensityChange("east", None, 50.0),
        IntensityChange("west", None, 20.0),
        IntensityChange("west", T0 + H, 70.0),
    ) == found


def test_a_slot_has_the_mean_over_its_time(content_of):
    # 2 h slots from T0: 100 for 1 h, then 400 for 1 h = 250; then 400
    changes = (IntensityChange("a", T0 - 5 * H, 100.0), IntensityChange("a", T0 + H, 400.0))

    assert {"a": [250.0, 400.0]} == means(changes, TimeGrid.regular(T0, 120, 2))


def test_quarters_of_an_hour_count_by_their_length():
    # 15 min at 40, 45 min at 80: 70
    changes = (IntensityChange("a", None, 40.0), IntensityChange("a", T0 + 900, 80.0))

    assert {"a": [70.0]} == means(changes, TimeGrid.regular(T0, 60, 1))


def test_a_region_whose_first_value_is_after_the_start_has_none():
    changes = (IntensityChange("a", T0 + 1, 100.0), IntensityChange("b", T0, 7.0))

    assert {"b": [7.0]} == means(changes, TimeGrid.regular(T0, 60, 1))


def test_two_values_for_always_are_a_fault(content_of):
    with pytest.raises(InputError) as caught:
        content_of("east,,50\neast,,60\n")

    assert [("SP1010", 3)] == [(fault.code, fault.row) for fault in caught.value.faults]


def test_a_negative_intensity_is_a_fault(content_of):
    with pytest.raises(InputError) as caught:
        content_of("east,,-1\n")

    assert ["g_per_kwh"] == [fault.column for fault in caught.value.faults]


def test_a_region_without_a_node_is_noted(content_of):
    assert any("carbon: no node is in mars; nodes have east" in note for note in content_of("mars,,5\n").notes)
