"""Stacks: what their layers give them, their presets, and the parameters that --set takes."""

from __future__ import annotations

import pytest

from schedplan.engines.atom import ATOM_NAMES
from schedplan.engines.fact import Value
from schedplan.engines.formulas.volcano import VolcanoScore
from schedplan.engines.parameter import Tier, shown
from schedplan.engines.policy_table import policy
from schedplan.engines.stack import Preset, Stack
from schedplan.engines.stack_facts import stack_engine
from schedplan.engines.stack_table import STACKS, parse_changes, stack_names, stacks_of
from schedplan.errors import UsageError

MODELLED = [stack for stack in STACKS if stack.model is not None]


def named(name: str) -> Stack:
    return next(stack for stack in STACKS if stack.name == name)


def test_the_four_stacks_of_several_layers_are_there() -> None:
    assert {"kueue+kube-scheduler", "trainer+volcano", "kuberay+kueue", "autopilot+kueue"} <= set(stack_names())


@pytest.mark.parametrize("stack", STACKS, ids=[stack.name for stack in STACKS])
def test_every_fact_of_a_stack_is_one_of_a_layer_with_its_source_and_day(stack: Stack) -> None:
    found = stack_engine(stack)

    assert tuple(fact.atom for fact in found.facts) == ATOM_NAMES
    assert {fact.engine for fact in found.facts} <= set(stack.engines)
    assert all(fact.source.startswith("https://") and fact.checked_on.year == 2026 for fact in found.facts)


@pytest.mark.parametrize(
    ("name", "atom", "expected"),
    [
        # Volcano places what Trainer makes: whole gangs.
        ("trainer+volcano", "gang", Value.YES),
        # Katib searches, whatever places the trials.
        ("trainer+volcano", "hyperparameter-search", Value.YES),
        # Placement groups are inside of Ray; pods are placed by kube-scheduler, admitted by Kueue: partial both.
        ("kuberay+kueue", "gang", Value.PARTIAL),
        ("kuberay+kueue", "serving-autoscaling", Value.YES),
        ("kuberay+kueue", "fractional-gpu", Value.PARTIAL),
        # Kueue is open source, Autopilot isn't.
        ("autopilot+kueue", "open-source", Value.NO),
        ("autopilot+kueue", "quota-borrowing", Value.YES),
    ],
)
def test_what_layers_make_together(name: str, atom: str, expected: Value) -> None:
    assert stack_engine(named(name)).fact_of[atom].value is expected


@pytest.mark.parametrize("stack", MODELLED, ids=[stack.name for stack in MODELLED])
def test_presets_are_policies_that_say_their_rules_and_what_they_leave_out(stack: Stack) -> None:
    assert stack.model is not None
    for preset in Preset:
        made = stack.policy(preset)
        assert policy(made.name) == made
        assert made.differs
        assert made.sources
        assert made.engine == stack.name
    assert stack.model.checked_by


@pytest.mark.parametrize("stack", MODELLED, ids=[stack.name for stack in MODELLED])
def test_every_parameter_takes_its_own_values_and_changes_the_policy_or_its_words(stack: Stack) -> None:
    """What is assumed has a band, and the default lies in it."""
    assert stack.model is not None
    for one in stack.model.parameters:
        for value in (one.default, one.tuned):
            assert value is None or one.read(shown(value)) == value
        if one.band is not None:
            assert isinstance(one.default, int | float)
            assert one.band[0] <= one.default <= one.band[1]
        if one.tier is Tier.MEASURED:
            assert one.band is not None


def test_a_change_reaches_the_score() -> None:
    changed = named("volcano").policy(Preset.DEFAULT, parse_changes([("volcano.binpack.gpu", "10")]))

    assert changed.nodes.score == VolcanoScore(packed=(10.0, 1.0, 1.0))
    assert changed.name == "volcano with volcano.binpack.gpu=10"


@pytest.mark.parametrize(
    ("key", "text", "said"),
    [
        ("vulcano.binpack.gpu", "1", "there is no engine 'vulcano'"),
        ("volcano.binpack.gpus", "1", "volcano has no parameter 'binpack.gpus'"),
        ("volcano.binpack.gpu", "-1", "it takes a number from 0 to 1000"),
        ("volcano.binpack.gpu", "ten", "it takes a number"),
        ("kueue.topology-aware", "yes", "it takes true or false"),
        ("yunikorn.nodesort", "binpack", "it takes one of fair, binpacking"),
        ("kubeflow.trials", "3", "kubeflow has no parameter that a replay obeys"),
    ],
)
def test_what_is_no_parameter_is_refused(key: str, text: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_changes([(key, text)])

    assert said in refused.value.message
    assert refused.value.hint


def test_a_layer_names_the_stacks_that_a_replay_can_follow() -> None:
    assert [stack.name for stack in stacks_of("volcano")] == ["volcano"]
    assert [stack.name for stack in stacks_of("kueue")] == ["kueue+kube-scheduler", "kuberay+kueue", "autopilot+kueue"]
    assert [stack.name for stack in stacks_of("Katib")] == ["trainer+volcano", "kubeflow"]
