"""Taking a pin out as a repair: it asks no change of the job's own row."""

from __future__ import annotations

from schedplan.optimize.solve import optimize
from tests.optimize.problems import problem


def test_a_pin_that_is_taken_out_changes_no_column_of_the_job() -> None:
    nodes = [{"name": "n", "gpus": 1}, {"name": "m", "gpus": 2}]
    jobs = [{"name": "a", "gpus": 2}]
    plan = optimize(problem({"slots": 1, "nodes": nodes, "jobs": jobs, "pins": [{"job": "a", "node": "n"}]}))

    # a needs two devices of one node and is pinned to the one with a single device; only the pin made it required
    assert [("pin", "job a")] == [(item.rule, item.subject) for item in plan.proof.conflict]
    assert [("take out the pin of job a", ())] == [(repair.change, repair.edits) for repair in plan.proof.repairs]
    assert "it is pinned on n; a node of n has 1 devices; one worker asks for 2" == plan.proof.conflict[0].evidence
