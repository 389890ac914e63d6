"""Rules of services beyond one slot's demand: what may be lost, and how much of the demand replicas take together."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.measures.coverage import coverage, is_covered
from schedplan.measures.feasibility import violations
from schedplan.measures.warm_up import serving_parts
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


LAGGING = {**SERVICE, "startup_minutes": 60}
ALL_WARM = {"slots": 4, "nodes": [{"name": "n", "gpus": 4}, {"name": "m", "gpus": 4, "caches": ["key"]}]}


def serving(counts: dict[str, tuple[int, ...]], **service: object) -> list[dict[str, int]]:
    """Replicas that serve in each of four slots of an hour, per node; counts: those that stand."""
    given = problem({**ALL_WARM, "services": [{**SERVICE, **service}], "demand": [{"service": "s", "rps": [1, 1, 1, 1]}]})
    parts = [ReplicaPart("s", slot, node, count) for node, row in counts.items() for slot, count in enumerate(row) if count]
    return [{part.node: part.replicas for part in stands} for stands in serving_parts(given, given.services[0], sorted(parts))]


@pytest.mark.parametrize(
    ("startup", "stands", "serve"),
    [
        (0, (1, 3, 2, 3), (1, 3, 2, 3)),
        (60, (1, 3, 3, 3), (1, 1, 3, 3)),  # two came at 01:00 and serve from 02:00 on
        (61, (1, 3, 3, 3), (1, 1, 1, 3)),
        (60, (2, 3, 2, 3), (2, 2, 2, 2)),  # the last to come is the first to go
        (60, (2, 1, 2, 2), (2, 1, 1, 2)),  # who comes back warms up anew
        (600, (2, 3, 3, 3), (2, 2, 2, 2)),  # only what was there at the start is warm
    ],
)
def test_a_new_replica_serves_after_its_lag(startup: float, stands: tuple[int, ...], serve: tuple[int, ...]) -> None:
    assert [{"n": count} for count in serve] == serving({"n": stands}, startup_minutes=startup)


def test_the_model_is_loaded_where_it_is_not_cached() -> None:
    counts = {"n": (0, 1, 1, 1), "m": (0, 1, 1, 1)}

    # 60 min on n, none on m, which holds the key
    expected = [{}, {"m": 1}, {"n": 1, "m": 1}, {"n": 1, "m": 1}]
    assert expected == serving(counts, affinity="key", load_minutes=60)
    assert [{}, {}, {"n": 1, "m": 1}, {"n": 1, "m": 1}] == serving(counts, load_minutes=60)


def test_replicas_that_warm_up_are_refused_for_demand_and_for_a_loss() -> None:
    given = problem(
        {
            "slots": 2,
            "nodes": [{"name": "n", "count": 3, "gpus": 1}],
            "limits": {"max_utilization": 0.5, "reserve": "node"},
            "services": [LAGGING],
            "demand": [{"service": "s", "rps": [50, 50]}],
        }
    )
    on = np.ones((3, 2), dtype=np.bool_)

    # one replica is enough; the second, of slot 1, is not ready for the loss of the first
    warm = (ReplicaPart("s", 0, "n/1", 1), ReplicaPart("s", 0, "n/2", 1), ReplicaPart("s", 1, "n/1", 1))
    stays, moves = (Decisions((), (*warm, ReplicaPart("s", 1, node, 1)), on) for node in ("n/2", "n/3"))
    assert () == violations(given, stays)
    assert ["SP3118"] == [one.code for one in violations(given, moves)]
    gone = Decisions((), (*warm[:2], ReplicaPart("s", 1, "n/3", 1)), on)
    assert ["SP3107"] == [one.code for one in violations(given, gone)]
