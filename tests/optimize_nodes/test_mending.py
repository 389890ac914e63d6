"""Planning again near an earlier plan: what it leaves alone, what it takes off for a service, and when all is searched again."""

from __future__ import annotations

from dataclasses import replace

from schedplan.model.cluster import Cluster
from schedplan.model.earlier import Earlier
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.solve import optimize
from tests.optimize.problems import problem
from tests.optimize.test_disruption import DAY, as_earlier, moved

NEAR = SolveOptions(whole_columns=0)
"""So that the smallest model counts as one that is too large to be searched whole."""
TWO_JOBS = {
    "slots": 2,
    "nodes": [{"name": "n", "gpus": 3, "price_per_hour": 2}],
    "jobs": [
        {"name": "a", "gpus": 1, "runtime_minutes": 120},
        {"name": "b", "gpus": 1, "runtime_minutes": 120, "priority": 1},
    ],
    "services": [{"name": "s", "gpus": 1, "slo_ms": 400, "service_ms": 100, "min_replicas": 1}],
    "demand": [{"service": "s", "rps": [1, 1]}],
}


def test_unchanged_inputs_give_the_same_plan():
    task = problem(DAY)
    first = optimize(task)
    again = optimize(replace(task, earlier=as_earlier(task, first.decisions)), NEAR)

    assert "earlier plan mended: 0 jobs have lost their place in it" in again.proof.route
    assert (first.decisions.parts, first.decisions.replicas) == (again.decisions.parts, again.decisions.replicas)
    assert first.proof.objective == again.proof.objective
    assert (0.0, 0.0) == moved(again)
    assert again.proof.bound is not None
    assert again.proof.bound <= again.proof.objective


def test_a_lost_node_moves_what_stood_there_alone():
    task = problem(DAY)
    first = optimize(task).decisions
    lost = next(part.node for part in first.parts if part.job == "d")
    pools = tuple(pool for pool in task.cluster.pools if pool.name != lost)
    earlier = as_earlier(task, first)
    changed = replace(task, cluster=Cluster(pools), earlier=earlier)
    whole = optimize(changed)

    # d and one worker of b stood there: two of four jobs, more than a fifth, so that all is searched again
    again = optimize(changed, NEAR)

    assert "earlier plan not mended: 2 of 4 jobs have no place in it" in again.proof.route
    assert whole.proof.objective == again.proof.objective


def test_a_service_that_grows_takes_the_room_of_the_job_least_missed():
    task = problem(TWO_JOBS)
    first = optimize(task).decisions
    many = problem({**TWO_JOBS, "demand": [{"service": "s", "rps": [5, 5]}], "jobs": [*TWO_JOBS["jobs"], *spare(8)]})
    again = optimize(replace(many, earlier=as_earlier(task, first)), NEAR)

    # the third device served with one replica, two are needed now: of a and b, a has the lower priority
    assert {"a", "b"} == {part.job for part in first.parts}
    assert [1, 1] == [part.replicas for part in first.replicas]
    assert {"b"} == {part.job for part in again.decisions.parts}
    assert [2, 2] == [part.replicas for part in again.decisions.replicas]


def spare(count):
    """Return jobs that no node is large enough for."""
    return [{"name": f"x{idx}", "gpus": 4, "runtime_minutes": 60} for idx in range(count)]


def test_all_is_searched_again_where_that_is_asked_for():
    task = problem(DAY)
    first = optimize(task)
    again = optimize(replace(task, earlier=as_earlier(task, first.decisions)), replace(NEAR, is_near=False))

    assert "earlier plan" not in again.proof.route
    assert first.decisions.parts == again.decisions.parts


def test_an_earlier_plan_of_other_work_is_not_mended():
    task = problem(DAY)
    again = optimize(replace(task, earlier=Earlier("0" * 64, task.grid.edges_s)), NEAR)

    assert "earlier plan not mended: 4 of 4 jobs have no place in it" in again.proof.route
    assert optimize(task).proof.objective == again.proof.objective
