"""What is decided about places beforehand: rules of selector on selector, by their rule of the check."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

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
