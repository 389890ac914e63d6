"""The grammar of --set."""

from __future__ import annotations

import pytest

from schedplan.config.override import Override, overrides_of, parse_set
from schedplan.errors import UsageError


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("solver.seed=3", "solver.seed", "3"),
        (" objective.rates.wait = 2 ", "objective.rates.wait", "2"),
        ("check.rules=cost <= 5", "check.rules", "cost <= 5"),
        ("project.name=", "project.name", ""),
        ("forecast.model=auto", "forecast.model", "auto"),
    ],
)
def test_a_key_and_its_value_are_split_at_the_first_sign(text: str, key: str, value: str) -> None:
    assert Override(key, value, f"--set {key}") == parse_set(text)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("solver.seed", "holds no '='"),
        ("seed=3", "is no section.key"),
        ("=3", "is no section.key"),
        ("solver..seed=3", "is no section.key"),
        ('nodes."h100".count+=4', "speaks of a table"),
        ("nodes.h100.count=4", "speaks of a table"),
        ("solver.seed*=2", "speaks of a table"),
    ],
)
def test_any_other_grammar_is_refused_with_the_form(text: str, fact: str) -> None:
    with pytest.raises(UsageError, match=fact) as caught:
        parse_set(text)

    assert caught.value.hint == "Give it as --set section.key=value, e.g. --set solver.seed=3"


def test_a_flag_that_was_not_given_overrides_nothing() -> None:
    assert overrides_of("solver.gap", None, "--gap") == ()
    assert overrides_of("solver.gap", 0.0, "--gap") == (Override("solver.gap", "0.0", "--gap"),)
