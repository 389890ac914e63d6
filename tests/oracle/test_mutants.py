"""Every rule of the check refuses something by itself, and what it accepts is never better than the best plan."""

from collections import Counter

import pytest

from schedplan.measures.rules.case import CODES
from tests.oracle.instances import THEMES, instance
from tests.oracle.mutants import spoilt

PER_THEME = 2
MOST_PER_THEME = 30


@pytest.fixture(scope="module")
def alone() -> Counter[str]:
    """How many mutants each rule alone refuses: over all themes, and over so many of their instances as it takes."""
    found: Counter[str] = Counter()
    for number in range(MOST_PER_THEME):
        for theme in THEMES:
            result = spoilt(instance(theme, number))
            found.update(Counter() if result is None else result.alone)
        if set(CODES) <= set(found):
            break
    return found


@pytest.mark.parametrize("rule", CODES)
def test_every_rule_refuses_a_corruption_that_no_other_rule_refuses(alone, rule):
    # a rule that is new needs a theme in which a single change of the best plan breaks it
    assert alone[rule] > 0


@pytest.mark.parametrize("theme", THEMES)
def test_no_change_of_the_best_plan_is_a_better_plan(theme):
    found = [spoilt(instance(theme, number)) for number in range(PER_THEME)]

    assert [fault for one in found if one is not None for fault in one.faults] == []
