"""The grammar of `[rules] forbid`: what it takes, and what it says of what it does not take."""

from __future__ import annotations

import pytest

from schedplan.model.cluster import Pool
from schedplan.model.forbid import parse_forbid, unknown_labels
from schedplan.model.selector import Choice, SelectorError


def test_a_rule_is_two_selectors() -> None:
    rule = parse_forbid("kind=training|tuning, tenant=ml on edge=true market=spot")

    assert (Choice("kind", ("training", "tuning")), Choice("tenant", ("ml",))) == rule.work
    assert (Choice("edge", ("true",)), Choice("market", ("spot",))) == rule.place


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("kind=training", "has no selector on each side of `on`", "Write it like kind=training on edge=true"),
        (" on edge=true", "has no selector on each side of `on`", "Write it like kind=training on edge=true"),
        ("training on edge=true", "training is no field=value", "Write it like kind=training on edge=true"),
        ("kind= on edge=true", "kind= is no field=value", "Write it like kind=training on edge=true"),
        ("tennant=a on edge=true", "tennant is no field of jobs or services", "Did you mean tenant?"),
        ("kind=trainig on edge=true", "kind is never trainig", "Did you mean training?"),
        ("kind=training on market=spott", "market is never spott", "Did you mean spot?"),
    ],
)
def test_what_is_no_rule_says_why(text: str, message: str, hint: str) -> None:
    with pytest.raises(SelectorError) as caught:
        parse_forbid(text)

    assert (message, hint) == (str(caught.value), caught.value.hint)


@pytest.mark.parametrize(
    ("right", "expected"),
    [
        ("edge=true", ()),
        ("label.edge=true", ()),
        ("zone=z", ()),
        ("egde=true", (("egde", "Did you mean edge?"),)),
        ("zzone=a", (("zzone", "Did you mean zone?"),)),
    ],
)
def test_a_field_of_nodes_is_theirs_or_a_label_of_some(right: str, expected: tuple[tuple[str, str], ...]) -> None:
    pools = [Pool("n"), Pool("e", labels=(("edge", "true"),))]

    assert expected == unknown_labels(parse_forbid(f"kind=training on {right}"), pools)
