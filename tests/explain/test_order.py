"""Work that hangs on other work, and gangs that may have fewer workers: what is told of them."""

from __future__ import annotations

from schedplan.explain.blocker import blocker
from schedplan.explain.explanation import Outcome
from schedplan.explain.why import explain
from schedplan.model.plan import JobPart
from schedplan.model.workload import WorkerShape
from tests.explain import small

HOUR = 3600
ONE = WorkerShape(gpus=1.0)


def test_a_row_is_left_out_with_the_row_that_has_no_place() -> None:
    rows = (small.job("a", gang="g"), small.job("b", gang="g", shape=WorkerShape(gpus=16.0)))
    task = small.problem(*rows)
    first, second = (blocker(task, small.plan(task).decisions, row) for row in task.jobs)

    assert "devices" == first.rule == second.rule
    assert first.evidence.startswith("gang g starts together or not at all; its row b: no pool takes it")
    assert second.evidence.startswith("gang g starts together or not at all; no pool takes it")


def test_rows_with_room_but_no_start_in_common() -> None:
    # one node: a must start in hour 0, b not before hour 1
    rows = (small.job("a", gang="g", deadline_s=HOUR), small.job("b", gang="g", earliest_start_s=HOUR))
    task = small.problem(*rows, pools=(small.OD,))
    found = blocker(task, small.plan(task).decisions, task.jobs[0])

    assert "gang" == found.rule
    assert "each row of gang g has room by itself, and no slot is the start of all: a, b" == found.evidence


def test_rows_for_which_there_is_room_together() -> None:
    # two nodes of od at 10 an hour, one for each row
    rows = (small.job("a", gang="g"), small.job("b", gang="g"))
    task = small.problem(*rows, pools=(small.OD,))
    found = blocker(task, small.plan(task).decisions, task.jobs[0])

    assert ("objective", 20.0) == (found.rule, found.repair_cost)


def test_a_row_says_what_it_starts_with() -> None:
    rows = (small.job("a", gang="g"), small.job("b", gang="g"))
    task = small.problem(*rows, pools=(small.OD,))
    at_once = small.plan(task, JobPart("a", "od/1", 0, 1), JobPart("b", "od/2", 0, 1))
    later = small.plan(task, JobPart("a", "od/1", 2, 1), JobPart("b", "od/2", 2, 1))
    told = [reason.message for made in (at_once, later) for reason in explain(task, made, "a").reasons if reason.rule == "gang"]

    together = "it starts together with b, the other rows of gang g"
    assert told[0] == f"{together}, with the first slot in which all of them may start and have room"
    assert told[1].startswith(f"{together}, although all of them have room from 1970-01-01 00:00+00:00")


def test_another_place_for_a_job_leaves_what_waits_for_it_where_it_is() -> None:
    # spot is held in hour 0: there the first could start in hour 1 only, and its follower starts in hour 1
    jobs = (small.job("first", spot_ok=True), small.job("next", after=("first",)), small.job("held", spot_ok=True))
    task = small.problem(*jobs)
    parts = (JobPart("first", "od/1", 0, 1), JobPart("next", "od/1", 1, 1), JobPart("held", "spot", 0, 1))
    (other,) = explain(task, small.plan(task, *parts), "first").alternatives

    assert ("spot", Outcome.NO_ROOM) == (other.place, other.outcome)


def test_an_elastic_gang_says_how_many_workers_it_has() -> None:
    # 60 min with 8 workers are 120 with 4
    task = small.problem(small.job(workers=8, min_workers=2, shape=ONE))
    half = small.plan(task, JobPart("train", "od/1", 0, 4))
    whole = small.plan(task, JobPart("train", "od/1", 0, 8))
    told = [reason.message for made in (half, whole) for reason in explain(task, made, "train").reasons if reason.rule == "elastic"]

    assert told == [
        "it runs with 4 of its 8 workers (at least 2), 2 times as long: 2 h",
        "it runs with all its 8 workers; 2 would do",
    ]


def test_an_elastic_gang_larger_than_the_cluster_is_told_by_its_least() -> None:
    # 2 nodes of 8 devices hold 16 of the 17 that it needs at least; one more node is enough
    task = small.problem(small.job(workers=40, min_workers=17, shape=ONE), pools=(small.OD,))
    found = blocker(task, small.plan(task).decisions, task.jobs[0])

    assert ("gang", "1 more node of od for 1 h, or lower its min_workers") == (found.rule, found.repair)
    assert found.evidence.startswith("needs 17 to 40 workers at once; od, the largest place that takes it, holds 16")


def test_an_elastic_gang_with_less_room_than_its_least() -> None:
    # of each node 7 devices are held: 2 of the 3 workers that it needs at least have room
    jobs = (*(small.job(name, shape=WorkerShape(gpus=7.0), runtime_minutes=240.0) for name in "ab"),)
    task = small.problem(*jobs, small.job(workers=8, min_workers=3, shape=ONE), pools=(small.OD,))
    made = small.plan(task, JobPart("a", "od/1", 0, 1), JobPart("b", "od/2", 0, 1))
    found = blocker(task, made.decisions, task.job_by_name["train"])

    assert ("capacity", "1 more node of od for 1 h") == (found.rule, found.repair)
    assert found.evidence.startswith("od has room for 2 of its 3 to 8 workers")
