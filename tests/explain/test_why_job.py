"""Why a job stands where it does: each reason on the smallest plan that has it."""

from __future__ import annotations

from dataclasses import replace
from math import exp

import pytest

from schedplan.errors import UsageError
from schedplan.explain.explanation import Explanation, Outcome, Reason
from schedplan.explain.why import explain
from schedplan.model.cluster import Pool
from schedplan.model.plan import JobPart, PlanStatus, Unplaced
from schedplan.model.quota import Quota
from schedplan.model.workload import WorkerShape
from tests.explain import small

HOUR = small.HOUR


def reason(explanation: Explanation, rule: str) -> Reason:
    return next(reason for reason in explanation.reasons if reason.rule == rule)


def number(reason: Reason, name: str) -> float:
    return next(number.value for number in reason.numbers if number.name == name)


def test_the_cheaper_place_is_told_with_what_the_other_would_cost() -> None:
    # 8 of 8 devices for an hour: spot 4 + rework; on demand 10. rework = (E[T] - 1) h at 4 an hour, E[T] = (e^0.1 - 1)/0.1
    task = small.problem(small.job(spot_ok=True))
    told = explain(task, small.plan(task, JobPart("train", "spot", 0, 1)), "train")

    cost = 4.0 + 4.0 * ((exp(0.1) - 1) / 0.1 - 1)
    other = told.alternatives[0]
    assert told.verdict == "job train runs on spot (1 worker) from 1970-01-01 00:00+00:00 to 1970-01-01 01:00+00:00"
    assert number(reason(told, "cost"), "cost") == pytest.approx(cost)
    assert (other.place, other.outcome, other.start_s, other.cost) == ("od", Outcome.POSSIBLE, 0, 10.0)
    assert other.cost_difference == pytest.approx(10.0 - cost)
    # on spot one node-hour of 4 is paid, on demand one of 10: the bill changes by the same as the job's own share
    assert other.bill_difference == pytest.approx(10.0 - cost)


def test_a_share_of_a_node_costs_its_share_but_the_bill_counts_whole_nodes() -> None:
    # 2 of 8 devices: a quarter of 10 on od, of 4 on flat; od/1 is on for big (6 devices) anyway, so the bill rises by 4 elsewhere
    flat = Pool("flat", min_count=0, accelerator="H100", gpus=8, market=small.OD.market, price_per_hour=4.0)
    shapes = {"big": WorkerShape(gpus=6.0, accelerators=("A100",)), "tiny": WorkerShape(gpus=2.0)}
    task = small.problem(*(small.job(name, shape=shape) for name, shape in shapes.items()), pools=(small.OD, flat))
    told = explain(task, small.plan(task, JobPart("big", "od/1", 0, 1), JobPart("tiny", "od/1", 0, 1)), "tiny")

    other = told.alternatives[0]
    assert (other.place, other.cost, other.cost_difference, other.bill_difference) == ("flat", 1.0, -1.5, 4.0)
    assert "these nodes are paid anyway" in reason(told, "cost").message


def test_a_pool_too_small_for_a_worker_is_not_told_as_one_that_takes_it() -> None:
    # a gang may span nodes of one device model; those of 2 devices hold no worker that asks for 8
    thin = Pool("thin", accelerator="A100", gpus=2, market=small.OD.market, price_per_hour=3.0)
    task = small.problem(small.job(workers=2), pools=(small.OD, thin), hours=1)
    told = explain(task, small.plan(task, JobPart("train", "od/1", 0, 1), JobPart("train", "od/2", 0, 1)), "train")

    assert "no pool but od takes it and has room for it within its window" == reason(told, "place").message


def test_pools_that_refuse_it_say_by_which_rule() -> None:
    task = small.problem(small.job(), pools=(small.OD, small.SPOT, small.OLD))
    told = explain(task, small.plan(task, JobPart("train", "od/1", 0, 1)), "train")

    found = {other.place: (other.outcome, other.rule) for other in told.alternatives}
    assert found == {
        "old": (Outcome.REFUSED, "devices"),
        "spot": (Outcome.REFUSED, "market"),
        "od, later": (Outcome.POSSIBLE, None),
    }
    assert reason(told, "place").message == "no pool but od takes it and has room for it within its window"


def test_a_full_family_is_told_as_full() -> None:
    # both od nodes are held for all 4 hours, so od has no room; 0 of its devices are free
    jobs = (small.job("a", runtime_minutes=240.0), small.job("b", runtime_minutes=240.0), small.job(spot_ok=True))
    task = small.problem(*jobs)
    made = small.plan(task, JobPart("a", "od/1", 0, 1), JobPart("b", "od/2", 0, 1), JobPart("train", "spot", 0, 1))
    told = explain(task, made, "train")

    other = told.alternatives[0]
    assert (other.place, other.outcome, other.rule) == ("od", Outcome.NO_ROOM, "capacity")
    assert "room for 0 of its 1 worker at best" in other.message


@pytest.mark.parametrize(
    ("deadline_h", "message"),
    [(1.0, "zero slack"), (2.5, "1.5 h of slack"), (0.5, "it ends 0.5 h after its deadline")],
)
def test_slack_is_what_lies_between_the_end_of_the_run_and_the_deadline(deadline_h: float, message: str) -> None:
    task = small.problem(small.job(deadline_s=int(deadline_h * HOUR)))
    told = explain(task, small.plan(task, JobPart("train", "od/1", 0, 1)), "train")

    assert any(message in reason.message for reason in told.reasons)
    assert (told.next_step is None) == (deadline_h > 1)


def test_spot_risk_and_the_fallback_that_is_there() -> None:
    # one spot node, 0.1 reclaims an hour, one hour: e^-0.1 to be left alone; od has both nodes free until 03:00
    task = small.problem(small.job(spot_ok=True, deadline_s=3 * HOUR))
    told = explain(task, small.plan(task, JobPart("train", "spot", 0, 1)), "train")

    assert number(reason(told, "spot"), "uninterrupted_probability") == pytest.approx(exp(-0.1))
    assert "without checkpoints" in reason(told, "spot").message
    assert reason(told, "fallback").message.startswith("fallback: od keeps 8 devices free")


def test_a_missing_fallback_is_said_with_what_was_free() -> None:
    # both od nodes are held in hour 0: 0 of the 8 devices it needs
    jobs = (small.job("a"), small.job("b"), small.job(spot_ok=True, deadline_s=2 * HOUR))
    task = small.problem(*jobs)
    made = small.plan(task, JobPart("a", "od/1", 0, 1), JobPart("b", "od/2", 0, 1), JobPart("train", "spot", 0, 1))

    found = reason(explain(task, made, "train"), "fallback")
    expected = "no fallback: it needs 8 devices; od has 0 free at 1970-01-01 00:00+00:00"
    assert expected == found.message


def test_waiting_for_room() -> None:
    # one node of od only: train has to wait until a is over
    one = replace(small.OD, count=1, max_count=1)
    task = small.problem(small.job("a"), small.job(), pools=(one,))
    made = small.plan(task, JobPart("a", "od", 0, 1), JobPart("train", "od", 1, 1))

    found = reason(explain(task, made, "train"), "capacity")
    assert found.message == (
        "it waits 1 h: od has no room for it sooner; from 1970-01-01 00:00+00:00 0 devices are free and it needs 8"
    )
    assert number(found, "wait") == 1.0


@pytest.mark.parametrize(("status", "words"), [(PlanStatus.OPTIMAL, "proven best"), (PlanStatus.FEASIBLE, "unproven")])
def test_waiting_although_there_is_room_claims_no_more_than_the_proof(status: PlanStatus, words: str) -> None:
    task = small.problem(small.job())
    made = small.plan(task, JobPart("train", "od/1", 2, 1))
    made = replace(made, proof=replace(made.proof, status=status))

    assert words in reason(explain(task, made, "train"), "objective").message


def test_it_starts_when_what_it_comes_after_is_over() -> None:
    task = small.problem(small.job("first"), small.job(after=("first",)))
    made = small.plan(task, JobPart("first", "od/1", 0, 1), JobPart("train", "od/1", 1, 1))

    assert "what it comes after (first) is over" in reason(explain(task, made, "train"), "after").message


def test_a_job_left_out_tells_what_the_plan_recorded() -> None:
    task = small.problem(small.job())
    made = replace(small.plan(task), unplaced=(Unplaced("job", "train", 1, "budget", "too dear", "a higher budget", 12.5),))
    told = explain(task, made, "train")

    assert told.verdict == "job train is left out: budget"
    assert told.reasons[0].message == "too dear"
    assert told.next_step == "a higher budget (12.5 USD)"
    assert [Outcome.POSSIBLE, Outcome.REFUSED] == [other.outcome for other in told.alternatives]


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    task = small.problem(small.job())

    with pytest.raises(UsageError) as caught:
        explain(task, small.plan(task), "trian")

    assert caught.value.hint == "Did you mean train?"
    with pytest.raises(UsageError, match="no node or pool 'od/3'"):
        explain(task, small.plan(task), "train", why_not="od/3")


def test_a_wait_for_a_quota_is_told() -> None:
    # the second node is free from the start, but t may hold 8 devices at a time
    jobs = (small.job("a", tenant="t"), small.job("b", tenant="t"))
    task = replace(small.problem(*jobs, pools=(small.OD,), hours=2), quotas=(Quota("t", 8.0, max=8.0),))
    told = explain(task, small.plan(task, JobPart("a", "od/1", 0, 1), JobPart("b", "od/1", 1, 1)), "b")

    found = reason(told, "quota")
    assert found.message == (
        "it waits 1 h: there is room from 1970-01-01 00:00+00:00, but 16 gpus would count for tenant t with it, at most 8 may"
    )
