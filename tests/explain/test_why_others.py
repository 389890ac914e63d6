"""Why not there, why so many replicas, and what codes mean."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import schedplan
from schedplan.errors import UsageError
from schedplan.explain.codes import CODE_TEXTS, CodeText, code_text
from schedplan.explain.explanation import Outcome
from schedplan.explain.why import explain
from schedplan.explain.wording import stands
from schedplan.measures.rules.case import CODES
from schedplan.model.plan import JobPart, ReplicaPart
from schedplan.model.quota import Quota
from schedplan.model.workload import Service, WorkerShape
from tests.explain import small

WEB = Service("web", slo_ms=300, service_ms=100, slo_quantile=None, shape=WorkerShape(gpus=1.0))


def test_a_node_that_may_not_hold_it() -> None:
    task = small.problem(small.job(), pools=(small.OD, small.SPOT))
    told = explain(task, small.plan(task, JobPart("train", "od/1", 0, 1)), "train", why_not="spot")

    assert told.verdict == "job train may not stand on spot: market"
    assert told.alternatives[0].outcome is Outcome.REFUSED


def test_a_node_too_small_for_the_gang() -> None:
    task = small.problem(small.job(workers=2), pools=(small.OD,))
    made = small.plan(task, JobPart("train", "od/1", 0, 1), JobPart("train", "od/2", 0, 1))
    other = small.problem(small.job(workers=2), small.job("lone"), pools=(small.OD, small.SPOT))

    assert explain(task, made, "train", why_not="od/2").verdict == "job train does stand on od/2"
    told = explain(other, small.plan(other), "train", why_not="od/1")
    assert told.reasons[0].message == "od/1 holds 1 of its 2 workers when empty"


def test_many_nodes_of_a_pool_are_counted() -> None:
    few = (JobPart("a", "od/1", 0, 2), JobPart("a", "solo", 0, 1))
    many = tuple(JobPart("a", f"od/{number}", 0, 2) for number in range(1, 5))

    assert stands(few) == "od/1 (2 workers), solo (1 worker)"
    assert stands((*many, few[1])) == "4 nodes of od (8 workers), solo (1 worker)"


def test_a_node_that_others_hold() -> None:
    jobs = (small.job("a", runtime_minutes=240.0), small.job())
    task = small.problem(*jobs, pools=(small.OD,))
    made = small.plan(task, JobPart("a", "od/1", 0, 1), JobPart("train", "od/2", 0, 1))
    told = explain(task, made, "train", why_not="od/1")

    assert told.verdict == "job train has no room on od/1 within its window"
    assert told.reasons[-1].message == "taken by job a"
    # the evidence is about that node alone: its 8 devices are held, though od/2 would be free
    assert "0 devices are free there, and it needs 8" in told.reasons[0].message


def test_a_node_that_costs_more() -> None:
    task = small.problem(small.job(spot_ok=True), pools=(small.OD, small.SPOT))
    told = explain(task, small.plan(task, JobPart("train", "spot", 0, 1)), "train", why_not="od/2")

    assert told.verdict.startswith("job train could stand on od/2")
    assert told.reasons[0].rule == "cost"
    assert told.reasons[0].message == "where it stands it costs 4.21 USD, there 10 USD"


def test_a_node_with_room_that_a_quota_forbids() -> None:
    # train holds 8 of the 8 that t may; od/2 is free
    jobs = (small.job("train", tenant="t"), small.job("other", tenant="t"))
    task = replace(small.problem(*jobs, pools=(small.OD,), hours=1), quotas=(Quota("t", 8.0, max=8.0),))
    told = explain(task, small.plan(task, JobPart("train", "od/1", 0, 1)), "other", why_not="od/2")

    assert told.verdict == "job other may not stand on od/2: quota"
    assert [(reason.rule, reason.message) for reason in told.reasons] == [
        ("quota", "there is room from 1970-01-01 00:00+00:00, but 16 gpus would count for tenant t with it, at most 8 may")
    ]


def test_a_service_beside_the_least_that_meets_its_target() -> None:
    # mean of M/M/c with 100 ms at 25/s (2.5 Erlang): 3 replicas 240 ms, 2 have no steady state; so 3 are the fewest
    task = small.problem(pools=(small.OD,), services=(WEB,), rps=25.0)
    counts = (3, 3, 4, 2)
    made = small.plan(task, replicas=tuple(ReplicaPart("web", slot, "od/1", count) for slot, count in enumerate(counts)))
    told = explain(task, made, "web")

    messages = [reason.message for reason in told.reasons]
    assert "is met in 3 of 4 slots" in told.verdict
    assert [3.0, 4.0, 2.0] == [reason.numbers[0].value for reason in told.reasons]
    assert "the fewest that meet the target; latency up to 240.45 ms" in messages[0]
    assert "3 would meet the target" in messages[1]
    assert "fewer than the 3 that meet the target; in some slots there is no steady state" in messages[2]


def test_a_service_and_a_node_of_a_market_it_does_not_take() -> None:
    task = small.problem(services=(WEB,), rps=1.0)
    made = small.plan(task, replicas=tuple(ReplicaPart("web", slot, "od/1", 1) for slot in range(4)))

    assert explain(task, made, "web", why_not="spot").verdict == "service web may not stand on spot: market"
    assert explain(task, made, "web", why_not="od").verdict == "service web does stand on od"
    assert explain(task, made, "web", why_not="od/2").alternatives[0].outcome is Outcome.POSSIBLE


def test_every_code_that_the_source_can_give_has_a_text() -> None:
    found = {
        code
        for path in sorted(Path(schedplan.__file__).parent.rglob("*.py"))
        for code in re.findall(r'"(SP\d{4})"', path.read_text("utf-8"))
        if not code.startswith(("SP10", "SP12"))
    }

    assert found <= {entry.code for entry in CODE_TEXTS}
    assert set(CODES.values()) <= {entry.code for entry in CODE_TEXTS}


def test_codes_are_unique_and_in_order() -> None:
    codes = [entry.code for entry in CODE_TEXTS]

    assert sorted(set(codes)) == codes


def test_a_code_is_found_in_any_case_and_among_others() -> None:
    other = CodeText("SP1003", "ragged", "A line has too few fields.")

    assert code_text("sp3103").name == "gang"
    assert code_text("SP1003", (other,)) == other
    with pytest.raises(UsageError) as caught:
        code_text("SP3199")
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("Did you mean SP31")
