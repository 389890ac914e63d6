"""The solver against trying everything: a tenth of what `make prove` does, with every theme and a part of the pairs."""

import pytest

from tests.oracle.agreement import ONES, leaves_out, verdict
from tests.oracle.brute_force import best_plan
from tests.oracle.instances import GRAFTS, THEMES, instance, pairs

PER_THEME = 10
EVERY_PAIR = 3


@pytest.mark.parametrize("theme", THEMES)
def test_the_solver_reaches_what_trying_everything_reaches(theme):
    verdicts = [verdict(instance(theme, number)) for number in range(PER_THEME)]

    assert [fault for found in verdicts for fault in found.faults] == []


@pytest.mark.parametrize("theme_idx", range(len(THEMES)), ids=THEMES)
def test_and_so_it_does_where_two_constraints_meet(theme_idx):
    # one instance of every third pair, other thirds for other themes
    grafts = [graft for idx, graft in enumerate(GRAFTS) if (idx + theme_idx) % EVERY_PAIR == 0]
    found = [verdict(problem) for graft in grafts for problem in pairs(THEMES[theme_idx], graft, 1)]

    assert [fault for one in found for fault in one.faults] == []


@pytest.mark.parametrize("theme", THEMES)
def test_every_kind_of_constraint_makes_some_instances_infeasible_or_leaves_work_out(theme):
    # an oracle that only ever places everything would prove little
    problems = [instance(theme, number) for number in range(2 * PER_THEME)]
    answers = [(problem, best_plan(problem, ONES)) for problem in problems]

    assert any(answer is None or leaves_out(problem, answer.decisions) for problem, answer in answers)
