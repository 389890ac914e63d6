"""Policies are rows of parts, any of which may be chosen by name; what does not go together is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schedplan.engines.composition import composed, part_names
from schedplan.engines.policy import Policy
from schedplan.engines.policy_table import POLICIES, policy
from schedplan.errors import UsageError
from schedplan.model.policy_parts import Choices


def parts_of(one: Policy) -> Policy:
    return replace(one, name="", summary="", sources=())


@pytest.mark.parametrize(
    ("name", "choices"),
    [
        ("easy", Choices(backfill="easy")),
        ("easy-sjbf", Choices(backfill="easy-sjbf")),
        ("conservative", Choices(backfill="conservative")),
        ("sjf", Choices(order="shortest")),
        ("ljf-skip", Choices(order="largest", blocking="skip")),
        ("fgd", Choices(blocking="skip", nodes="fgd")),
        ("drf", Choices(blocking="skip", share="drf")),
        ("fair-share", Choices(blocking="skip", share="fair-share")),
        ("preempt", Choices(order="priority", blocking="skip", preemption="priority")),
        ("capacity", Choices(blocking="skip", share="capacity", preemption="reclaim")),
    ],
)
def test_a_policy_is_fcfs_with_other_parts(name: str, choices: Choices) -> None:
    assert parts_of(policy(name)) == parts_of(composed(policy("fcfs"), choices))


def test_nothing_chosen_changes_nothing() -> None:
    assert [composed(one, Choices()) for one in POLICIES] == list(POLICIES)


def test_what_was_chosen_stands_in_the_name_and_the_rules() -> None:
    made = composed(policy("easy"), Choices(depth=20, cycle="period", period_seconds=60))
    rules = dict(made.rules())

    assert "easy with depth 20, cycle period, period_seconds 60" == made.name
    assert "one of the first 20 waiting jobs that fits now" in rules["backfill"]
    assert rules["cycle"].startswith("every 60 s")


def test_a_depth_keeps_the_rule_it_is_of() -> None:
    shallow = composed(policy("easy-sjbf"), Choices(depth=3)).backfill
    made = composed(policy("conservative"), Choices(depth=3, compression="none")).backfill

    assert composed(policy("fcfs"), Choices(backfill="easy-sjbf", depth=3)).backfill == shallow
    assert ("conservative", 3, "none") == (made.kind.value, made.depth, made.compression.value)


@pytest.mark.parametrize(
    ("name", "choices", "words"),
    [
        ("fcfs", Choices(order="shrotest"), "there is no order 'shrotest'"),
        ("best-fit", Choices(backfill="easy"), "with blocking skip none does"),
        ("fcfs", Choices(gang="per-worker"), "need blocking skip"),
        ("kube-scheduler", Choices(preemption="priority"), "stops no other"),
        ("volcano", Choices(blocking="head"), "volcano admits jobs by overcommit"),
        ("conservative", Choices(share="drf"), "an order that lasts"),
        ("conservative", Choices(preemption="priority"), "stops none"),
        ("priority", Choices(preemption="priority", grace_minutes=1.0), "needs blocking skip"),
        ("fcfs", Choices(depth=3), "does not backfill"),
        ("easy", Choices(compression="none"), "only conservative"),
        ("fcfs", Choices(grace_minutes=1.0), "stops nothing"),
        ("fcfs", Choices(half_life_hours=1.0), "does not look at past usage"),
        ("fcfs", Choices(cycle="event", period_seconds=3), "with cycle event"),
        ("plan", Choices(order="shortest"), "no parts to choose"),
    ],
)
def test_what_does_not_go_together_is_refused(name: str, choices: Choices, words: str) -> None:
    with pytest.raises(UsageError) as refused:
        composed(policy(name), choices)

    assert words in refused.value.message


def test_every_named_part_can_be_chosen() -> None:
    for part, names in part_names():
        for name in names:
            beside = {"backfill": "conservative"} if part == "compression" else {}
            if part == "gang" and name == "per-worker":
                beside = {"blocking": "skip"}
            composed(policy("fcfs"), Choices(**{part: name}, **beside))  # type: ignore[arg-type]

    assert 11 == len(part_names())
