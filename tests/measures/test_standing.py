"""What is decided about places beforehand: rules of selector on selector, outages, by their rules of the check."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from schedplan.measures.accounting import account
from schedplan.measures.feasibility import violations
from schedplan.measures.forbidding import idle_rules, with_rules
from schedplan.model.plan import Decisions, JobPart, ReplicaPart
from schedplan.model.problem import Problem
from tests.optimize.problems import problem

NODES = [{"name": "e", "gpus": 2, "labels": {"edge": "true"}}, {"name": "n", "gpus": 2}]
SERVICE = {"name": "s", "gpus": 1, "slo_ms": 1000, "service_ms": 100, "service_cv": 0}


def found(task: Problem, parts: tuple[JobPart, ...] = (), replicas: tuple[ReplicaPart, ...] = ()) -> list[tuple[str, str, str]]:
    on = np.ones((len(task.cluster.nodes), task.grid.n_slots), dtype=np.bool_)
    return [(one.code, one.subject, one.message) for one in violations(task, Decisions(parts, replicas, on))]


def test_a_rule_refuses_what_stands_where_it_forbids() -> None:
    task = problem(
        {
            "slots": 1,
            "nodes": NODES,
            "jobs": [{"name": "a", "kind": "training", "gpus": 1}],
            "services": [SERVICE],
            "demand": [{"service": "s", "rps": [0]}],
            "rules": ["kind=training|service on edge=true"],
        }
    )

    assert [] == found(task, (JobPart("a", "n", 0, 1),), (ReplicaPart("s", 0, "n", 1),))
    message = "stands on e, which the rule 'kind=training|service on edge=true' forbids"
    assert [("SP3117", "job a", message), ("SP3117", "service s", message)] == found(
        task, (JobPart("a", "e", 0, 1),), (ReplicaPart("s", 0, "e", 1),)
    )


def test_a_rule_that_matches_nothing_is_said() -> None:
    task = problem({"nodes": NODES, "jobs": [{"name": "a", "gpus": 1}], "rules": ["kind=training on edge=true"]})

    assert ("the rule 'kind=training on edge=true' keeps nothing apart: no work matches it",) == idle_rules(task)
    assert () == idle_rules(with_rules(replace(task, forbid=())))


def test_an_outage_refuses_what_stands_in_a_slot_that_it_touches() -> None:
    task = problem(
        {
            "slots": 3,
            "nodes": [{"name": "n", "count": 2, "gpus": 2}],
            "jobs": [{"name": "a", "gpus": 1, "runtime_minutes": 90}],
            "services": [SERVICE],
            "demand": [{"service": "s", "rps": [0, 0, 0]}],
            "outages": [{"node": "n/1", "start": 2.5, "end": 2.6, "kind": "failure"}],
        }
    )
    replicas = (ReplicaPart("s", 0, "n/1", 1), ReplicaPart("s", 1, "n/1", 1), ReplicaPart("s", 2, "n/2", 1))

    # 90 min book two slots: from slot 0 they end before the outage, from slot 1 on they do not.
    assert [] == found(task, (JobPart("a", "n/1", 0, 1),), replicas)
    assert [] == found(task, (JobPart("a", "n/2", 1, 1),), replicas)
    when = "failure, 1970-01-01 02:30+00:00 to 1970-01-01 02:36+00:00"
    assert [
        ("SP3130", "job a", f"stands on n/1 in its outage ({when})"),
        ("SP3130", "service s", f"stands on n/1 in its outage ({when}) (1 parts)"),
    ] == found(task, (JobPart("a", "n/1", 1, 1),), (*replicas[:2], ReplicaPart("s", 2, "n/1", 1)))


def test_a_fallback_pool_that_is_away_is_none() -> None:
    nodes = [
        {"name": "spot", "gpus": 1, "market": "spot", "interruptions_per_hour": 0.1},
        {"name": "own", "gpus": 1},
    ]
    job = {"name": "a", "gpus": 1, "spot_ok": True, "deadline": 3}
    free = problem({"slots": 4, "nodes": nodes, "jobs": [job]})
    away = problem({"slots": 4, "nodes": nodes, "jobs": [job], "outages": [{"node": "own", "start": 1, "end": 2}]})
    on = np.ones((2, 4), dtype=np.bool_)
    stands = [account(task, Decisions((JobPart("a", "spot", 0, 1),), (), on)).placements[0] for task in (free, away)]

    assert ["own", None] == [placement.fallback_pool for placement in stands]


def test_a_pin_refuses_another_place_another_time_and_leaving_out() -> None:
    task = problem(
        {
            "slots": 3,
            "nodes": [{"name": "p", "count": 2, "gpus": 2}, {"name": "q", "gpus": 2}],
            "jobs": [{"name": "a", "gpus": 1}],
            "services": [SERVICE],
            "demand": [{"service": "s", "rps": [0, 0, 0]}],
            "pins": [{"job": "a", "node": "p", "start": 0.5}, {"service": "s", "node": "p/1", "replicas": 1, "start": 1}],
        }
    )
    replicas = (ReplicaPart("s", 0, "q", 1), ReplicaPart("s", 1, "p/1", 1), ReplicaPart("s", 2, "p/1", 1))
    asked = "it is pinned on p, started at 1970-01-01 00:30+00:00"

    # 00:30 is rounded up to slot 1; the service is free in slot 0
    assert [] == found(task, (JobPart("a", "p/2", 1, 1),), replicas)
    assert [("SP3131", "job a", f"{asked}; it stands on q")] == found(task, (JobPart("a", "q", 1, 1),), replicas)
    assert [("SP3131", "job a", f"{asked}; it starts at 1970-01-01 02:00+00:00")] == found(
        task, (JobPart("a", "p/1", 2, 1),), replicas
    )
    assert ("SP3131", "job a", f"{asked} and is left out") in found(task, (), replicas)
    moved = (*replicas[:2], ReplicaPart("s", 2, "p/2", 1))
    told = "it is pinned at least 1 on p/1 from 1970-01-01 01:00+00:00; 0 stand there at 1970-01-01 02:00+00:00 (1 slots)"
    assert [("SP3131", "service s", told)] == found(task, (JobPart("a", "p/2", 1, 1),), moved)


def test_a_stop_wants_something_more_urgent_in_its_place() -> None:
    running = {"name": "r", "gpus": 1, "state": "running", "placement": {"n": 1}, "start": 0, "runtime_minutes": 120}
    jobs = [running, {"name": "w", "gpus": 1, "priority": 3}]
    task = problem({"slots": 3, "nodes": [{"name": "n", "gpus": 1}, {"name": "m", "gpus": 1}], "jobs": jobs, "stopped": ["r"]})
    message = "is stopped on n, and no job of a priority above 0 stands there instead"

    assert [] == found(task, (JobPart("w", "n", 1, 1),))
    # elsewhere, or when it would be over, w needs no stop
    assert [("SP3132", "job r", message)] == found(task, (JobPart("w", "m", 0, 1),))
    assert [("SP3132", "job r", message)] == found(task, (JobPart("w", "n", 2, 1),))
