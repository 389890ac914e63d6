"""The services of the reference plan keep their rules where services take room from one another, and hold numbers change seldom."""

from __future__ import annotations

import pytest

from schedplan.measures.feasibility import violations
from schedplan.optimize.reference.plan import reference
from schedplan.optimize.reference.services import held_profile
from tests.optimize.problems import problem

NODES = [
    {"name": "a", "count": 4, "gpus": 4, "zone": "z1"},
    {"name": "b", "count": 4, "gpus": 4, "zone": "z2", "market": "on_demand", "price_per_hour": 9},
]
RISING, FALLING = [100, 200, 300, 400, 500, 600, 600, 500], [600, 500, 400, 300, 200, 100, 100, 200]


def task(limits: dict[str, object], **service: object) -> dict[str, object]:
    """Two services whose demand crosses; a replica takes 80 requests/s."""
    same = {"slo_ms": 500, "service_ms": 100, "concurrency": 10, "gpus": 1, **service}
    return {
        "slots": 8,
        "nodes": NODES,
        "limits": {"max_utilization": 0.8, **limits},
        "services": [{"name": "r", **same}, {"name": "s", **same}],
        "demand": [{"service": "r", "rps": RISING}, {"service": "s", "rps": FALLING}],
    }


@pytest.mark.parametrize(
    ("limits", "service"),
    [
        ({}, {}),
        ({}, {"startup_minutes": 90}),
        ({}, {"min_hold_minutes": 180}),
        ({}, {"spread": ["zone", 2]}),
        ({}, {"spread": ["node", 3], "startup_minutes": 30}),
        ({"reserve": "node"}, {}),
        ({"reserve": "zone"}, {}),
        ({"reserve": "zone"}, {"startup_minutes": 60}),
    ],
)
def test_the_reference_keeps_the_rules_of_services(limits: dict[str, object], service: dict[str, object]) -> None:
    given = problem(task(limits, **service))

    assert () == violations(given, reference(given))


@pytest.mark.parametrize(
    ("hold", "held"),
    [
        (60, [1, 3, 2, 2, 4]),
        (120, [1, 3, 3, 3, 4]),  # up at 01:00 and at 04:00; 02:00 would be too soon for the step down
        (300, [3, 3, 3, 3, 4]),  # one change at most, and 3 x 4 + 4 is the least
    ],
)
def test_the_smallest_numbers_that_change_seldom(hold: int, held: list[int]) -> None:
    given = problem({**task({}), "slots": 5, "demand": []})

    assert held == held_profile(given, [1, 3, 2, 2, 4], hold)
