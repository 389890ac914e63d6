"""What would help a job that waits, and what it borrows: each on the smallest plan that shows it."""

from __future__ import annotations

from dataclasses import replace

from schedplan.explain.why import explain
from schedplan.model.cluster import Market, Pool
from schedplan.model.plan import JobPart, Term
from schedplan.model.quota import Quota
from schedplan.model.workload import WorkerShape
from schedplan.workflows.explain import explanation_document
from tests.explain import small

NODES = tuple(Pool(name, accelerator="A100", gpus=8, price_per_hour=8.0) for name in ("n1", "n2", "n3", "n4"))


def test_why_a_gang_of_16_waits_while_16_devices_are_free() -> None:
    # 5, 3, 4 and 4 of 8 are held all four hours: 3 + 5 + 4 + 4 = 16 are free, and no node is
    held = {"n1": 5.0, "n2": 3.0, "n3": 4.0, "n4": 4.0}
    jobs = [small.job(f"on-{node}", runtime_minutes=240.0, shape=WorkerShape(gpus=gpus)) for node, gpus in held.items()]
    task = small.problem(*jobs, small.job("gang", workers=2), pools=NODES)
    told = explain(task, small.plan(task, *(JobPart(f"on-{node}", node, 0, 1) for node in held)), "gang")

    assert "16 devices are free, but 3 + 5 + 4 + 4 on n1, n2, n3, n4; it needs 2 nodes with 8 free" in told.reasons[0].message
    # 5 + 3 fit one node, 4 + 4 another: two moves, of 3 and of 4 devices; two more nodes cost 2 x 8 for the hour
    assert [(0.0, 7.0), (16.0, 0.0)] == [(one.cost, one.moved_devices) for one in told.helps]
    assert told.next_step is not None
    assert told.next_step.startswith("2 moves of jobs, 7 devices in all: ")


def test_spot_is_named_where_it_would_let_the_job_start() -> None:
    # od is held all four hours; spot is free at 4 for the hour plus rework, and a third node of od costs 10
    jobs = (small.job("a", runtime_minutes=240.0), small.job("b", runtime_minutes=240.0), small.job())
    calm = replace(small.SPOT, interruptions_per_hour=0.0)
    task = small.problem(*jobs, pools=(small.OD, calm))
    told = explain(task, small.plan(task, JobPart("a", "od/1", 0, 1), JobPart("b", "od/2", 0, 1)), "train")

    assert [4.0, 10.0] == [one.cost for one in told.helps]
    assert told.helps[0].words.startswith("allow spot (spot_ok): from 1970-01-01 00:00+00:00 on spot")
    assert "1 more node of od for 1 h" == told.helps[1].words


def test_a_run_on_borrowed_quota_says_so() -> None:
    # 8 + 8 devices are held in the first hour and 10 promised; of the 8 of b at most 6 are borrowed, at 0.5 an hour
    jobs = (small.job("a", tenant="t"), small.job("b", tenant="t"))
    task = replace(small.problem(*jobs, pools=(small.OD,)), quotas=(Quota("t", 10.0, borrow_price=0.5),))
    told = explain(task, small.plan(task, JobPart("a", "od/1", 0, 1), JobPart("b", "od/2", 0, 1)), "b")

    found = next(reason for reason in told.reasons if reason.rule == "quota")
    assert found.message == (
        "it borrows: 16 gpus are held for tenant t at 1970-01-01 00:00+00:00, 10 are promised;"
        " its part costs 3 USD at 0.5 an hour each"
    )


def test_a_run_within_its_quota_does_not_borrow() -> None:
    task = replace(small.problem(small.job(tenant="t"), pools=(small.OD,)), quotas=(Quota("t", 8.0),))
    told = explain(task, small.plan(task, JobPart("train", "od/1", 0, 1)), "train")

    assert [] == [reason for reason in told.reasons if reason.rule == "quota"]


def test_another_time_is_told_with_what_it_does_to_the_objective() -> None:
    # F = cost / 10 + latency / 4
    dear = replace(small.OD, market=Market.ON_DEMAND, count=1, max_count=1)
    task = small.problem(small.job(), pools=(dear,), hours=2)
    made = small.plan(task, JobPart("train", "od", 0, 1))
    cost = Term("cost", 10.0, "USD", 1.0, 10.0, 10.0, 0.0, in_conflict=True)
    latency = Term("latency", 0.0, "device-hours", 1.0, 4.0, 4.0, 0.0, in_conflict=True)
    told = explain(task, replace(made, terms=(cost, latency)), "train")

    # the same price an hour later, and an hour of waiting of 8 devices: 8 / 4
    later = next(one for one in told.alternatives if one.place == "od, later")
    assert (3600, 0.0, 2.0) == (later.start_s, later.cost_difference, later.objective_difference)


def test_json_has_the_very_sentences() -> None:
    task = small.problem(small.job(), pools=(small.OD,))
    told = explain(task, small.plan(task, JobPart("train", "od/1", 1, 1)), "train")
    facts = dict(explanation_document(told, "USD", "UTC").facts.items)

    assert told.verdict == facts["verdict"]
    assert [reason.message for reason in told.reasons] == [dict(one.items)["message"] for one in facts["reasons"]]  # type: ignore[union-attr]
    assert [one.message for one in told.alternatives] == [dict(one.items)["message"] for one in facts["alternatives"]]  # type: ignore[union-attr]
