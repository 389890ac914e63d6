"""Planning again: the same inputs give the same plan, and a lost node moves what stood there alone."""

from __future__ import annotations

from dataclasses import replace

from schedplan.model.cluster import Cluster
from schedplan.model.earlier import Earlier, Stay, Stood
from schedplan.model.plan import Decisions, Plan, PlanStatus
from schedplan.model.problem import Problem
from schedplan.optimize.solve import optimize
from tests.optimize.problems import problem

DAY = {
    "slots": 6,
    "nodes": [{"name": f"n{idx}", "gpus": 4, "price_per_hour": 2} for idx in range(5)],
    "jobs": [
        {"name": "a", "gpus": 2, "workers": 4, "runtime_minutes": 120},
        {"name": "b", "gpus": 1, "workers": 3, "runtime_minutes": 180, "priority": 1},
        {"name": "c", "gpus": 4, "runtime_minutes": 60},
        {"name": "d", "gpus": 2, "runtime_minutes": 240},
    ],
    "services": [{"name": "s", "gpus": 1, "slo_ms": 400, "service_ms": 100, "min_replicas": 1}],
    "demand": [{"service": "s", "rps": [5, 5, 20, 20, 5, 5]}],
}


def as_earlier(task: Problem, decisions: Decisions) -> Earlier:
    edges_s = task.grid.edges_s
    nodes: dict[str, dict[str, int]] = {}
    for part in decisions.parts:
        nodes.setdefault(part.job, {})[part.node] = part.workers
    starts = {part.job: edges_s[part.start_slot] for part in decisions.parts}
    replicas = tuple(
        Stood(one.service, edges_s[one.slot], edges_s[one.slot + 1], one.node, one.replicas) for one in decisions.replicas
    )
    stays = tuple(Stay(job, starts[job], tuple(sorted(there.items()))) for job, there in sorted(nodes.items()))
    return Earlier("0" * 64, edges_s, stays, replicas)


def moved(plan: Plan) -> tuple[float, float]:
    values = {measure.name: measure.value for measure in plan.measures if not measure.labels}
    return values["moved_devices"] or 0.0, values["moved_replica_devices"] or 0.0


def test_unchanged_inputs_give_the_same_plan() -> None:
    task = problem(DAY)
    first = optimize(task)
    again = optimize(replace(task, earlier=as_earlier(task, first.decisions)))

    assert PlanStatus.OPTIMAL is first.proof.status
    assert (first.decisions.parts, first.decisions.replicas) == (again.decisions.parts, again.decisions.replicas)
    assert first.proof.objective == again.proof.objective
    assert (0.0, 0.0) == moved(again)


def test_a_lost_node_moves_what_stood_there_alone() -> None:
    task = problem(DAY)
    first = optimize(task).decisions
    lost = next(part.node for part in first.parts if part.job == "d")
    stood_there = {part.job for part in first.parts if part.node == lost}
    pools = tuple(pool for pool in task.cluster.pools if pool.name != lost)
    again = optimize(replace(task, cluster=Cluster(pools), earlier=as_earlier(task, first)))

    # d (2 devices) and one worker of b stood there; nowhere is a third device free beside the other two of b, so all 3 of b move
    assert {"b", "d"} == stood_there
    assert {part for part in first.parts if part.job not in stood_there} == {
        part for part in again.decisions.parts if part.job not in stood_there
    }
    assert first.replicas == again.decisions.replicas
    assert PlanStatus.OPTIMAL is again.proof.status
    assert (2.0 + 3.0, 0.0) == moved(again)
