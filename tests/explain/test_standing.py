"""Why work does not stand where something was decided beforehand: rules."""

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
