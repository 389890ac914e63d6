"""Why jobs wait in the samples defrag-7-6-7 and half-idle-half-queued, and what would help at which price."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from schedplan.explain.explanation import Explanation, Outcome
from schedplan.explain.why import explain
from schedplan.measures.feasibility import violations
from schedplan.model.plan import Decisions
from schedplan.model.workload import Job, JobState
from schedplan.optimize.rearrange import fewest_moves
from schedplan.workflows.optimize import Planned
from tests.samples.conftest import planned


@pytest.fixture(scope="module")
def defrag() -> Planned:
    return planned("defrag-7-6-7")


@pytest.fixture(scope="module")
def half_idle() -> Planned:
    return planned("half-idle-half-queued")


def told(made: Planned, job: str) -> Explanation:
    return explain(made.prepared.problem, made.plan, job)


def helps_of(found: Explanation) -> list[tuple[str, float | None]]:
    return [(one.words, one.cost) for one in found.helps]


def test_four_free_devices_on_three_nodes_hold_no_job_of_four(defrag: Planned) -> None:
    waits = next(reason for reason in told(defrag, "W").reasons if reason.rule == "capacity")

    # 8 - 7, 8 - 6, 8 - 7
    assert "4 devices are free, but 1 + 2 + 1 on n1, n2, n3; it needs one node with 4 free" in waits.message
    # what runs is over after 8 h
    assert 8.0 == waits.numbers[0].value


def test_the_nodes_that_may_take_it_are_all_named(defrag: Planned) -> None:
    place = next(reason for reason in told(defrag, "W").reasons if reason.rule == "place")

    # it runs on n1, and at the same hour n2 and n3 are as free at the same price
    assert "no pools but n1, n2, n3 take it and have room for it within its window" == place.message


def test_what_helps_costs_nothing_or_a_node_for_two_hours(defrag: Planned) -> None:
    (moves, free), (node, cost) = helps_of(told(defrag, "W"))

    assert moves.startswith("2 moves of jobs, 3 devices in all: ")
    assert 0.0 == free
    # 2 h at 8
    assert ("1 more node of n1 for 2 h", 16.0) == (node, cost)


def test_the_fewest_moves_are_two_of_three_devices_and_fill_the_cluster(defrag: Planned) -> None:
    problem, plan = defrag.prepared.problem, defrag.plan
    others = tuple(part for part in plan.decisions.parts if part.job != "W")
    without = Decisions(others, (), plan.decisions.on)
    moved = fewest_moves(problem, without, problem.job_by_name["W"], ("n1", "n2", "n3"), 0, 2)

    # W needs 4 on one node, which has 1 or 2 free: it must give up 2 or 3 devices. A job of 4 has no other node; a 2 alone needs
    # a node with 2 free, and leaves 3 on a node of 7 or 4 on n2, whose 2 has no other node. So a 2 and a 1 of n1 or n3 go.
    assert moved is not None
    assert (2, 3.0) == (len(moved.moves), moved.devices)
    # 7 + 6 + 7 + 4 = 24 of 24
    assert 24.0 == sum(part.workers * problem.job_by_name[part.job].shape.gpus for part in moved.decisions.parts)
    assert () == violations(replace(problem, jobs=tuple(_unbound(job) for job in problem.jobs)), moved.decisions)


def _unbound(job: Job) -> Job:
    """Return a job that may stand anywhere: a move takes what runs off its node."""
    return replace(job, state=JobState.PENDING, placement=(), earliest_start_s=None)


def test_half_of_the_nodes_are_a_quarter_full(half_idle: Planned) -> None:
    use = half_idle.plan.node_use
    assert use is not None
    shares = use.devices_used[:, 0] / 8

    # 2 of 8 on n1 to n4; 8 of 8 on n5, n7, n8; 5 replicas on n6: 300 / (4 / 0.05 s x 0.9) = 4.2
    assert [0.25, 0.25, 0.25, 0.25, 1.0, 0.625, 1.0, 1.0] == shares.tolist()
    assert 4 == int(np.sum(shares < 0.3))


@pytest.mark.parametrize(
    ("job", "rule", "evidence", "helps"),
    [
        # 8 - 2 on four nodes; two notebooks of 2 moved, or two nodes for 4 h at 16
        (
            "wide",
            "capacity",
            "24 devices are free, but 6 + 6 + 6 + 6 on n1, n2, n3, n4; it needs 2 nodes with 8 free",
            [("2 moves of jobs, 4 devices in all", 0.0), ("2 more nodes of n1 for 4 h", 128.0)],
        ),
        # train-vision holds 8, and 4 x 2 would be added
        (
            "capped",
            "quota",
            "16 gpus would count for tenant vision with it, at most 8 may",
            [("a quota (max) of 16 gpus for tenant vision", None)],
        ),
        # in each rack two nodes have 6 free, one worker of 4 each: 2 of 4. A node more holds the other two, 4 h at 16
        (
            "racked",
            "topology",
            "12 devices are free and it needs 16; across the cluster there is room from 2026-12-01 08:00",
            [("let it span a cluster in place of one rack", 0.0), ("1 more node of n1 for 4 h", 64.0)],
        ),
    ],
)
def test_each_gang_waits_for_a_reason_of_its_own(
    half_idle: Planned, job: str, rule: str, evidence: str, helps: list[tuple[str, float | None]]
) -> None:
    found = told(half_idle, job)
    waits = next(reason for reason in found.reasons if "it waits 6 h" in reason.message)

    assert rule == waits.rule
    assert evidence in waits.message
    assert [cost for _, cost in helps] == [one.cost for one in found.helps]
    assert all(one.words.startswith(words) for (words, _), one in zip(helps, found.helps, strict=True))
    assert found.next_step is not None
    assert helps[0][0] in found.next_step


def test_other_places_and_times_are_told_with_what_they_cost_the_objective(half_idle: Planned) -> None:
    others = {other.place: other for other in told(half_idle, "wide").alternatives}

    # n6 has another device model; an hour later costs the same money on owned nodes, and more waiting
    assert Outcome.REFUSED is others["n6"].outcome
    later = others["n1, n2, n3 and 4 more, later"]
    assert 0.0 == later.cost_difference
    assert later.objective_difference is not None
    assert later.objective_difference > 0


def test_a_thousand_requests_cost_their_share_of_the_node(half_idle: Planned) -> None:
    found = {one.name: one.value for one in half_idle.plan.measures if not one.labels}

    # 5 of 8 devices at 4 an hour, and 300 x 3.6 = 1,080 thousand requests an hour
    assert found["cost_per_1000_requests"] == pytest.approx(5 / 8 * 4 / 1080)
