"""The fewest moves that make room for a job, by hand."""

from __future__ import annotations

import numpy as np

from schedplan.model.plan import Decisions, JobPart
from schedplan.optimize.rearrange import fewest_moves
from tests.optimize.problems import problem


def test_an_elastic_gang_with_fewer_workers_is_in_the_way_for_longer() -> None:
    # e: 60 min with 2 workers, 120 with the one that it has: it holds one of the two devices of big in slots 0 and 1. wide wants
    # both in slot 1; small has room for e.
    task = problem(
        {
            "slots": 2,
            "nodes": [{"name": "big", "gpus": 2}, {"name": "small", "gpus": 1}],
            "jobs": [{"name": "e", "gpus": 1, "workers": 2, "min_workers": 1}, {"name": "wide", "gpus": 2}],
        }
    )
    decisions = Decisions((JobPart("e", "big", 0, 1),), (), np.ones((2, 2), dtype=np.bool_))
    found = fewest_moves(task, decisions, task.job_by_name["wide"], task.cluster.nodes, 1, 2)

    assert found is not None
    assert [("e", 1, "big", "small")] == [(move.job, move.workers, move.from_node, move.to_node) for move in found.moves]
    assert 1.0 == found.devices
    assert (JobPart("e", "small", 0, 1), JobPart("wide", "big", 1, 1)) == found.decisions.parts
