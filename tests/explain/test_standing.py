"""Why work does not stand where something was decided beforehand: rules, outages, pins."""

from __future__ import annotations

from schedplan.explain.blocker import blocker
from schedplan.explain.why import explain
from schedplan.optimize.solve import optimize
from tests.optimize.problems import problem


def test_a_rule_is_named_for_a_node_and_for_a_job_left_out() -> None:
    task = problem(
        {
            "slots": 1,
            "nodes": [{"name": "e", "gpus": 1, "labels": {"edge": "true"}}],
            "jobs": [{"name": "a", "kind": "training", "gpus": 1}],
            "rules": ["kind=training on edge=true"],
        }
    )
    plan = optimize(task)
    told = "e is closed to it by the rule 'kind=training on edge=true'"

    assert f"no pool takes it: {told}" == blocker(task, plan.decisions, task.jobs[0]).evidence
    found = explain(task, plan, "a", why_not="e")
    assert "job a may not stand on e: rules" == found.verdict
    assert [("rules", told)] == [(reason.rule, reason.message) for reason in found.reasons]


def test_an_outage_is_told_for_a_node_and_for_a_job_left_out() -> None:
    task = problem(
        {
            "slots": 4,
            "nodes": [{"name": "n", "gpus": 1}, {"name": "m", "gpus": 1}],
            "jobs": [
                {"name": "a", "gpus": 1, "runtime_minutes": 240, "priority": 1},
                {"name": "b", "gpus": 1, "runtime_minutes": 180},
            ],
            "outages": [{"node": "n", "start": 1, "end": 2}],
        }
    )
    plan = optimize(task)
    when = "n (maintenance, 1970-01-01 01:00+00:00 to 1970-01-01 02:00+00:00)"

    # a takes m for all four slots; b fits no stretch of n around slot 1.
    found = blocker(task, plan.decisions, task.job_by_name["b"])
    told = f"down: {when}; without that it could run from 1970-01-01 00:00+00:00 on n (1 worker)"
    assert ("outage", told) == (found.rule, found.evidence)
    why_not = explain(task, plan, "b", why_not="n")
    assert "job b has no room on n within its window: outage" == why_not.verdict
    assert [("outage", told)] == [(reason.rule, reason.message) for reason in why_not.reasons]


def test_a_pin_is_told_for_the_job_and_for_another_node() -> None:
    task = problem(
        {
            "slots": 2,
            "nodes": [{"name": "n", "gpus": 1}, {"name": "m", "gpus": 1}],
            "jobs": [{"name": "a", "gpus": 1}],
            "pins": [{"job": "a", "node": "n"}],
        }
    )
    plan = optimize(task)

    assert ("pin", "it is pinned on n") == (explain(task, plan, "a").reasons[0].rule, explain(task, plan, "a").reasons[0].message)
    why_not = explain(task, plan, "a", why_not="m")
    assert "job a may not stand on m: pin" == why_not.verdict


def test_a_pin_of_node_and_start_is_told_once() -> None:
    task = problem(
        {
            "slots": 3,
            "nodes": [{"name": "n", "gpus": 1}, {"name": "m", "gpus": 1}],
            "jobs": [{"name": "a", "gpus": 1}],
            "pins": [{"job": "a", "node": "n", "start": 1}],
        }
    )
    told = [reason.message for reason in explain(task, optimize(task), "a").reasons if reason.rule == "pin"]

    assert 1 == sum("pinned on n" in message for message in told)
    assert "its pin says when it starts" in told
