"""The grammar of `[rules] best_effort`, and which of the jobs that it selects may run in pieces."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schedplan.model import best_effort
from schedplan.model.best_effort import parse_best_effort
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.pin import Pin
from schedplan.model.problem import Problem
from schedplan.model.selector import Choice, SelectorError
from schedplan.model.workload import Job, JobKind, JobState
from schedplan.timegrid import TimeGrid
from schedplan.workflows.rules import unbroken_told

JOB = Job("a", tenant="research", runtime_minutes=120.0, checkpoint_minutes=30.0)


def problem(*jobs: Job, **fields: object) -> Problem:
    grid, cluster = TimeGrid.regular(0, 60, 6), Cluster((Pool("n", gpus=1),))
    return Problem("p", grid, cluster, jobs, best_effort=(parse_best_effort("tenant=research"),), **fields)  # type: ignore[arg-type]


def test_it_is_a_selector_of_jobs() -> None:
    found = parse_best_effort("kind=batch|tuning, tenant=research")

    assert (Choice("kind", ("batch", "tuning")), Choice("tenant", ("research",))) == found.work
    assert (True, False) == (found.covers(JOB), found.covers(replace(JOB, kind=JobKind.TRAINING)))


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (" ", "selects nothing", "Write it like kind=batch tenant=research"),
        ("research", "research is no field=value", "Write it like kind=batch tenant=research"),
        (
            "service=chat",
            "service is no field of jobs",
            "Fields: kind, job, tenant, user, priority, gang, preemptible, required, spot_ok",
        ),
        ("kind=btch", "kind is never btch", "Did you mean batch?"),
    ],
)
def test_what_is_none_says_why(text: str, message: str, hint: str) -> None:
    with pytest.raises(SelectorError) as caught:
        parse_best_effort(text)

    assert (message, hint) == (str(caught.value), caught.value.hint)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"state": JobState.RUNNING}, "it runs already"),
        ({"preemptible": False}, "it is not preemptible"),
        ({"checkpoint_minutes": None}, "it writes no checkpoint to go on from (checkpoint_minutes)"),
        ({"workers": 2, "min_workers": 1}, "it is an elastic gang (min_workers)"),
        ({"after": ("b",)}, "its times hang on other jobs (after, gang)"),
    ],
)
def test_what_runs_in_one_piece_all_the_same(changes: dict[str, object], why: str) -> None:
    task = problem(replace(JOB, **changes), Job("b", runtime_minutes=60.0))  # type: ignore[arg-type]

    assert {"a": why} == task.unbroken
    assert frozenset() == task.may_pause
    assert (f"job a is best effort and runs in one piece all the same: {why}",) == unbroken_told(task)


def test_a_pinned_job_and_one_instant_know_no_pieces() -> None:
    assert {"a": "it is pinned"} == problem(JOB, pins=(Pin("a", "n"),)).unbroken
    assert frozenset({"a"}) == problem(JOB).may_pause
    assert frozenset() == problem(JOB, is_static=True).may_pause


def test_there_are_only_so_many_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    # 3 kinds x 6 starts x 3 lengths of 120 min in slots of 60, rounded up and one more: 54 a job
    monkeypatch.setattr("schedplan.model.problem.MOST_PIECES", 54)

    assert 54 == best_effort.count_pieces(JOB, TimeGrid.regular(0, 60, 6))
    assert frozenset({"a"}) == problem(JOB, replace(JOB, name="b")).may_pause


def test_a_selector_without_jobs_is_told() -> None:
    assert ("the selector 'tenant=research' of best_effort selects no job of the plan",) == unbroken_told(problem())
