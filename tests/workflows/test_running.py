"""What runs already: on single nodes, accepted as it is, or refused with the reason."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schedplan.errors import InputError
from schedplan.measures.feasibility import violations
from schedplan.measures.work import run_minutes
from schedplan.model.cluster import Cluster, Market, NodeStatus, Pool, Taint
from schedplan.model.plan import PlanStatus
from schedplan.model.problem import Problem
from schedplan.model.workload import Job, JobState, Placed, WorkerShape
from schedplan.optimize.solve import optimize
from schedplan.timegrid import TimeGrid
from schedplan.workflows.running import taken_over

HOUR_S = 3600
TWO = Pool("n", 2, 2, 2, gpus=8, cpus=10)
RUNNING = Job(
    "r",
    state=JobState.RUNNING,
    submit_s=10 * HOUR_S,
    start_s=11 * HOUR_S,
    shape=WorkerShape(gpus=1),
    runtime_minutes=180.0,
)


def running(name: str, *placed: tuple[str, int], **more: object) -> Job:
    workers = sum(count for _, count in placed)
    return replace(RUNNING, name=name, workers=workers, placement=tuple(Placed(*one) for one in placed), **more)


def problem(*pools: Pool) -> Problem:
    return Problem("running", TimeGrid.regular(12 * HOUR_S, 60, 4), Cluster(pools))


@pytest.mark.parametrize(
    ("pools", "jobs", "placement"),
    [
        # a pool's name stands for any of its nodes: 16 workers fill both
        ((TWO,), (running("r", ("n", 16)),), [("n/1", 8), ("n/2", 8)]),
        ((TWO,), (running("q", ("n", 8)), running("r", ("n", 8))), [("n/2", 8)]),
        # one that names its node goes first, whatever its name
        ((TWO,), (running("q", ("n", 8)), running("r", ("n/1", 8))), [("n/1", 8)]),
        ((Pool("n", gpus=8),), (running("r", ("n", 1), ("n", 1)),), [("n", 2)]),
        ((replace(TWO, taints=(Taint("k", "v", "NoSchedule"),)),), (running("r", ("n/1", 1)),), [("n/1", 1)]),
        ((replace(TWO, market=Market.SPOT, min_count=0),), (running("r", ("n/2", 1)),), [("n/2", 1)]),
        ((replace(TWO, status=NodeStatus.CORDONED),), (running("r", ("n/1", 1)),), [("n/1", 1)]),
        (
            (Pool("a", gpus=4, accelerator="A"), Pool("b", gpus=4, accelerator="B")),
            (running("r", ("a", 4), ("b", 4), shape=WorkerShape(gpus=1, accelerators=("A",))),),
            [("a", 4), ("b", 4)],
        ),
        ((TWO,), (running("r", ("n/1", 2), shape=WorkerShape(gpus=1, max_per_node=1)),), [("n/1", 2)]),
    ],
)
def test_what_runs_is_planned_where_it_runs(
    pools: tuple[Pool, ...], jobs: tuple[Job, ...], placement: list[tuple[str, int]]
) -> None:
    task = problem(*pools)
    found, _ = taken_over(task, jobs)
    plan = optimize(replace(task, jobs=found))

    assert placement == [(part.node, part.workers) for part in found[-1].placement]
    assert plan.proof.status is PlanStatus.OPTIMAL
    assert violations(replace(task, jobs=found), plan.decisions) == ()


@pytest.mark.parametrize(
    ("pools", "jobs", "words"),
    [
        ((TWO,), (running("r", ("n", 17)),), "no room for its 17 workers"),
        (
            (replace(TWO, count=1, min_count=1, max_count=1),),
            (
                running("q", ("n", 4), shape=WorkerShape(gpus=1, cpus=1.5)),
                running("r", ("n", 4), shape=WorkerShape(gpus=1, cpus=1.5)),
            ),
            "no room for its 4 workers",
        ),
        ((TWO,), (replace(running("r", ("n/1", 4)), workers=8),), "4 of its 8 workers"),
        ((TWO,), (running("r", ("m", 1)),), "no node of the table nodes"),
        ((replace(TWO, status=NodeStatus.DOWN),), (running("r", ("n/1", 1)),), "which is down"),
        (
            (Pool("n", 1, 0, 3, gpus=8, market=Market.ON_DEMAND, startup_minutes=30),),
            (running("r", ("n/2", 8)),),
            "has only 1 nodes now",
        ),
        ((Pool("n", 0, 0, 2, gpus=8, market=Market.ON_DEMAND),), (running("r", ("n", 8)),), "no room"),
    ],
)
def test_what_can_not_be_is_refused(pools: tuple[Pool, ...], jobs: tuple[Job, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        taken_over(problem(*pools), jobs)


def test_an_elastic_gang_runs_on_with_the_workers_that_it_has() -> None:
    # 180 min with 8 workers are 360 with 4; an hour is over and 300 min are left, of which the horizon has 240
    job = replace(running("r", ("n/1", 4)), workers=8, min_workers=2)
    found, said = taken_over(problem(TWO), (job,))
    task = replace(problem(TWO), jobs=found)
    plan = optimize(task)

    assert ("job r runs on beyond the horizon; it is planned up to its end",) == said
    assert 240 == run_minutes(task, found[0], TWO)
    assert [("n/1", 4)] == [(part.node, part.workers) for part in plan.decisions.parts]
    assert () == violations(task, plan.decisions)


def test_a_gang_that_runs_in_part_is_told() -> None:
    rows = (running("r", ("n/1", 1), gang="g"), replace(RUNNING, name="w", state=JobState.PENDING, start_s=None, gang="g"))
    _, said = taken_over(problem(TWO), rows)

    assert ("gang g runs in part; its other rows, w, are planned without what runs",) == said


def test_without_a_placement_a_place_is_found_at_once() -> None:
    found, said = taken_over(problem(TWO), (replace(RUNNING, workers=4),))

    assert (JobState.PENDING, True, 12 * HOUR_S) == (found[0].state, found[0].required, found[0].earliest_start_s)
    assert len(said) == 1
