"""Changes of a problem that must not change the value of its best plan; a tenth of what `make prove` does."""

import pytest

from schedplan.measures.objective import Normalisation, Scale
from schedplan.optimize.options import SolveOptions
from schedplan.optimize.solve import optimize
from tests.oracle.changes import CHANGES, trial
from tests.oracle.instances import THEMES, instance

PER_THEME = 3


@pytest.mark.parametrize("theme", THEMES)
def test_what_must_not_matter_does_not(theme):
    trials = [trial(instance(theme, number)) for number in range(PER_THEME)]

    assert [fault for found in trials for fault in found.faults] == []


@pytest.mark.parametrize("change", CHANGES, ids=[change.name for change in CHANGES])
def test_every_change_changes_something(change):
    # a change that leaves all problems as they are would prove nothing
    problems = [instance(theme, 0) for theme in THEMES]

    assert any(change.of(problem) not in (None, problem) for problem in problems)


def test_fixed_scales_are_the_ones_that_count():
    problem = instance("place", 0)
    one = Scale(1.0, 0.0)
    plan = optimize(problem, SolveOptions(), Normalisation(one, one, one, one))

    divisors = {term.name: term.divisor for term in plan.terms if term.name != "unplaced"}
    assert divisors == {"latency": 1.0, "utilization": 1.0, "cost": 1.0}
