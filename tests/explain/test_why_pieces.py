"""Why a job runs in pieces: for whom it leaves, when it goes on, what that takes."""

from __future__ import annotations

from dataclasses import replace

from schedplan.explain.explanation import Outcome
from schedplan.explain.why import explain
from schedplan.model.best_effort import parse_best_effort
from schedplan.model.outage import Outage
from schedplan.model.plan import JobPart, ReplicaPart
from schedplan.model.problem import Problem
from schedplan.model.workload import Service, WorkerShape
from tests.explain.small import HOUR, OLD, job, plan, problem

CHAT = Service("chat", slo_ms=500, service_ms=100, concurrency=10, shape=WorkerShape(gpus=1.0), min_replicas=0)


def task(**fields: object) -> Problem:
    best = job("a", shape=WorkerShape(gpus=4.0), runtime_minutes=110.0, checkpoint_minutes=30.0, restart_minutes=10.0)
    other = job("b", shape=WorkerShape(gpus=1.0))
    made = problem(best, other, pools=(OLD,), hours=4, services=(CHAT,), rps=0.0)
    return replace(made, best_effort=(parse_best_effort("job=a"),), **fields)  # type: ignore[arg-type]


PIECES = (JobPart("a", "old", 0, 1, 1), JobPart("a", "old", 2, 1, 3))


def reasons(found: Problem, *more: JobPart, replicas: tuple[ReplicaPart, ...] = ()) -> list[str]:
    return [one.message for one in explain(found, plan(found, *PIECES, *more, replicas=replicas), "a").reasons]


def test_it_leaves_for_a_service_and_a_job() -> None:
    leave, overhead, wait = reasons(task(), JobPart("b", "old", 1, 1), replicas=(ReplicaPart("chat", 1, "old", 2),))

    assert leave == (
        "it leaves old at 1970-01-01 01:00+00:00: service chat has 2 replicas there then, 0 before; job starts there: b; "
        "it goes on at 1970-01-01 02:00+00:00, 1 h later"
    )
    assert "leaving and going on takes 10 min in all: 0 min for checkpoints, 10 min for restarts" == overhead
    # an hour away, and the restart
    assert "it is kept from its work for 1.17 h in all after its release" == wait


def test_it_leaves_for_an_outage() -> None:
    found = reasons(task(outages=(Outage("old", HOUR, 2 * HOUR),)))

    assert "an outage closes old" in found[0]


def test_it_leaves_for_nobody() -> None:
    assert "nothing takes its place at once: the goals together are better so" in reasons(task())[0]


def test_the_verdict_tells_the_pieces_and_what_one_piece_would_be() -> None:
    found = explain(task(), plan(task(), *PIECES), "a")

    # 110 min from 00:00 on with nothing else there
    assert found.verdict == (
        "job a runs in 2 pieces: 1970-01-01 00:00+00:00 to 1970-01-01 01:00+00:00 on old (1 worker); "
        "1970-01-01 02:00+00:00 to 1970-01-01 03:00+00:00 on old (1 worker)"
    )
    assert [(Outcome.POSSIBLE, 0)] == [(one.outcome, one.start_s) for one in found.alternatives]


def test_why_not_there_knows_all_pieces() -> None:
    assert explain(task(), plan(task(), *PIECES), "a", why_not="old").verdict == "job a does stand on old"
