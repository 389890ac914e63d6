"""Counts in sentences: of one and of several."""

from __future__ import annotations

import pytest

from schedplan.ingest.wording import in_number


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 nodes are down and take nothing", "2 nodes are down and take nothing"),
        ("1 nodes are down and take nothing", "1 node is down and takes nothing"),
        ("1 nodes with 1 devices: 1 h100", "1 node with 1 device: 1 h100"),
        ("13 nodes with 1 devices: 1 h100", "13 nodes with 1 device: 1 h100"),
        ("11 jobs have no status; they are taken as completed", "11 jobs have no status; they are taken as completed"),
        ("1 jobs were given more than they asked for", "1 job was given more than it asked for"),
        (
            "1 pods tolerate every taint; taints keep them away all the same",
            "1 pod tolerates every taint; taints keep it away all the same",
        ),
        ("1 heterogeneous jobs; their parts start together", "1 heterogeneous job; its parts start together"),
        ("1 series with 21 samples", "1 series with 21 samples"),
        ("1 jobs ran 0 s; their runtime_minutes stays empty", "1 job ran 0 s; its runtime_minutes stays empty"),
        (
            "1 jobs have devices that do not spread evenly over their nodes",
            "1 job has devices that do not spread evenly over its nodes",
        ),
        ("times have no offset", "times have no offset"),
        ("", ""),
    ],
)
def test_a_count_and_what_is_counted_agree(text, expected):
    assert expected == in_number(text)
