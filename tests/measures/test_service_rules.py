"""Rules of services beyond one slot's demand: what may be lost, and how much of the demand replicas take together."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.measures.coverage import coverage, is_covered
from schedplan.measures.feasibility import violations
from schedplan.model.plan import Decisions, ReplicaPart
from schedplan.model.problem import Problem
from tests.optimize.problems import problem

ZONES = [
    {"name": "a", "count": 4, "gpus": 1, "zone": "z1", "rack": "r1"},
    {"name": "b", "count": 4, "gpus": 2, "zone": "z2", "rack": "r2"},
    {"name": "c", "count": 4, "gpus": 1, "zone": "z2", "rack": "r3"},
    {"name": "d", "count": 4, "gpus": 1},
]
SERVICE = {"name": "s", "gpus": 1, "slo_ms": 500, "service_ms": 100, "concurrency": 10}


def task(reserve: str, **service: object) -> Problem:
    """A service that needs two replicas: 100 requests/s at half the 100 that one of them takes when full."""
    return problem(
        {
            "slots": 1,
            "nodes": ZONES,
            "limits": {"max_utilization": 0.5, "reserve": reserve},
            "services": [{**SERVICE, **service}],
            "demand": [{"service": "s", "rps": [100]}],
        }
    )


def found(given: Problem, stands: dict[str, int]) -> list[tuple[str, str, str]]:
    on = np.ones((len(given.cluster.nodes), given.grid.n_slots), dtype=np.bool_)
    parts = tuple(ReplicaPart("s", 0, node, count) for node, count in sorted(stands.items()))
    return [(one.code, one.subject, one.message) for one in violations(given, Decisions((), parts, on))]


@pytest.mark.parametrize(
    ("reserve", "stands", "lost"),
    [
        ("none", {"a/1": 1, "a/2": 1}, None),
        ("node", {"a/1": 1, "a/2": 1}, "node a/1"),
        ("node", {"a/1": 1, "a/2": 1, "a/3": 1}, None),
        ("node", {"a/1": 1, "b/1": 2}, "node b/1"),  # two go at once
        ("node", {"b/1": 2, "b/2": 2}, None),
        ("zone", {"a/1": 1, "a/2": 1, "b/1": 1}, "zone z1"),
        ("zone", {"a/1": 1, "a/2": 1, "b/1": 1, "c/1": 1}, None),
        ("rack", {"b/1": 2, "c/1": 1}, "rack r2"),
        ("rack", {"a/1": 1, "b/1": 1, "c/1": 1}, None),
        ("zone", {"d/1": 1, "d/2": 1}, None),  # in no zone: never lost with one
        ("node", {"d/1": 1, "d/2": 1}, "node d/1"),
    ],
)
def test_what_stands_elsewhere_serves_after_a_loss(reserve: str, stands: dict[str, int], lost: str | None) -> None:
    told = found(task(reserve), stands)

    if lost is None:
        assert [] == told
        return
    left = sum(count for node, count in stands.items()) - {"node b/1": 2, "zone z1": 2, "rack r2": 2}.get(lost, 1)
    message = f"without {lost}, {left} replicas are left at 1970-01-01 00:00+00:00; they cover {left / 2:.4f} of the demand"
    assert [("SP3118", "service s", message)] == told


def test_a_slot_without_demand_has_nothing_to_lose() -> None:
    given = problem(
        {
            "slots": 1,
            "nodes": ZONES,
            "limits": {"reserve": "node"},
            "services": [SERVICE],
            "demand": [{"service": "s", "rps": [0]}],
        }
    )

    assert [] == found(given, {"a/1": 1})


def test_coverage_adds_the_shares_of_each_model() -> None:
    given = problem(
        {
            "slots": 1,
            "nodes": [{"name": "f", "gpus": 4, "accelerator": "F"}, {"name": "n", "gpus": 4, "accelerator": "N"}],
            "speeds": [{"accelerator": "F", "kind": "s", "speed": 2.0}],
            "limits": {"max_utilization": 0.5},
            "services": [SERVICE],
            "demand": [{"service": "s", "rps": [200]}],
        }
    )
    service = given.services[0]

    # N takes 50 requests/s: 4 of them are needed; F takes 100: 2
    assert pytest.approx(0.75) == coverage(given, service, 0, {"N": 1, "F": 1})
    assert pytest.approx(1.0) == coverage(given, service, 0, {"N": 2, "F": 1})
    assert is_covered(given, service, 0, {"N": 2, "F": 1})
    assert not is_covered(given, service, 0, {"N": 3})
