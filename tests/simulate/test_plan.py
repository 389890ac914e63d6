"""A plan is followed: as planned where all goes as planned, by the stated rules where it does not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schedplan.engines.policy_table import policy
from schedplan.errors import UsageError
from schedplan.measures.timeline_check import broken_laws
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.timeline import REASONS, StartReason
from schedplan.model.workload import Job, Topology, WorkerShape
from schedplan.simulate.follow import FollowedPlan, Occupation, PlannedStart
from schedplan.simulate.replay import replay
from schedplan.simulate.work import Ask

ONE = WorkerShape(gpus=1)
TWO_NODES = Cluster((Pool("n1", gpus=2), Pool("n2", gpus=2)))


def job(name: str, run: int, submit: int = 0, workers: int = 1) -> Job:
    return Job(name, submit_s=submit, workers=workers, shape=ONE, runtime_minutes=run / 60, time_limit_minutes=run / 60)


def followed(jobs: tuple[Job, ...], plan: FollowedPlan, cluster: Cluster = TWO_NODES) -> dict[str, tuple[int, str, StartReason]]:
    """Return (start, nodes, why) of every job that started."""
    found = replay(cluster, jobs, policy("plan"), plan=plan).timeline

    assert () == broken_laws(found)
    nodes: dict[int, list[str]] = {}
    for idx, node in zip(found.parts.job.tolist(), found.parts.node.tolist(), strict=True):
        nodes.setdefault(idx, []).append(found.nodes[node])
    return {
        name: (int(found.start_s[idx]), "+".join(nodes[idx]), REASONS[found.reason[idx]])
        for idx, name in enumerate(found.jobs)
        if found.started[idx]
    }


def test_as_planned() -> None:
    # Best fit would put b on n1 at 0; the plan has it on n2 at 5.
    plan = FollowedPlan((PlannedStart("a", 0, (("n1", 1),)), PlannedStart("b", 5, (("n2", 1),))), ())
    expected = {"a": (0, "n1", StartReason.AS_PLANNED), "b": (5, "n2", StartReason.AS_PLANNED)}

    assert expected == followed((job("a", 10), job("b", 10)), plan)


def test_its_place_is_taken_and_another_is_free() -> None:
    # a was planned for 5 s and runs 9: at 5 n1 has one device for b, which needs two on one node; n2 has them.
    jobs = (job("a", 9), replace(job("b", 3), shape=WorkerShape(gpus=2)))
    plan = FollowedPlan((PlannedStart("a", 0, (("n1", 1),)), PlannedStart("b", 5, (("n1", 1),))), ())

    assert (5, "n2", StartReason.PLANNED_ELSEWHERE) == followed(jobs, plan)["b"]


def test_its_place_is_taken_and_the_other_is_claimed() -> None:
    # As before, but c is planned on all of n2 from 6 to 16: b, 5 to 8, would be in its way and waits for a to end at 9.
    jobs = (job("a", 9), job("b", 3, workers=2), job("c", 10, workers=2))
    starts = (PlannedStart("a", 0, (("n1", 1),)), PlannedStart("b", 5, (("n1", 2),)), PlannedStart("c", 6, (("n2", 2),)))
    found = followed(jobs, FollowedPlan(starts, ()))

    assert (9, "n1", StartReason.PLANNED_LATE) == found["b"]
    assert (6, "n2", StartReason.AS_PLANNED) == found["c"]


def test_submitted_after_its_planned_start() -> None:
    plan = FollowedPlan((PlannedStart("a", 0, (("n2", 1),)),), ())

    assert {"a": (7, "n2", StartReason.PLANNED_LATE)} == followed((job("a", 1, submit=7),), plan)


def test_a_job_without_a_plan_goes_beside_it() -> None:
    # x runs 0-8 and would be in the way of b (from 5) on n1 and n2; y runs 0-5 and ends as b begins.
    jobs = (job("b", 10, workers=4), job("x", 8), job("y", 5))
    plan = FollowedPlan((PlannedStart("b", 5, (("n1", 2), ("n2", 2))),), ())
    found = followed(jobs, plan)

    assert (0, StartReason.BESIDE_PLAN) == (found["y"][0], found["y"][2])
    assert 5 == found["b"][0]
    assert (15, StartReason.BESIDE_PLAN) == (found["x"][0], found["x"][2])


def test_replicas_and_nodes_that_are_off_are_left_alone() -> None:
    # n1 is off until 20, n2 has one replica until 10: x (2 workers) finds room at 10.
    replica = Ask(ONE, 1, Topology.CLUSTER, True)
    plan = FollowedPlan((), (Occupation("n1", 0, 20, None), Occupation("n2", 0, 10, replica)))

    assert {"x": (10, "n2", StartReason.BESIDE_PLAN)} == followed((job("x", 4, workers=2),), plan)


def test_late_jobs_do_not_wait_for_one_another() -> None:
    # All planned on n1; a overruns until 30. b and c are then late together: b first, c beside it.
    jobs = (job("a", 30, workers=2), job("b", 4), job("c", 4), job("z", 40, workers=2))
    starts = [PlannedStart("a", 0, (("n1", 2),)), PlannedStart("b", 10, (("n1", 1),)), PlannedStart("c", 20, (("n1", 1),))]
    starts.append(PlannedStart("z", 0, (("n2", 2),)))
    found = followed(jobs, FollowedPlan(tuple(starts), ()))

    assert (30, 30) == (found["b"][0], found["c"][0])


def test_a_plan_and_its_policy_belong_together() -> None:
    with pytest.raises(UsageError, match="needs a plan"):
        replay(TWO_NODES, (job("a", 1),), policy("plan"))
    with pytest.raises(UsageError, match="follows no plan"):
        replay(TWO_NODES, (job("a", 1),), policy("fcfs"), plan=FollowedPlan((), ()))
