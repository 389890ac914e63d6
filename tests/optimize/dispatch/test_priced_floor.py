"""A floor on which jobs are put one by one: what is left out is put where it adds least."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schedplan.measures.accounting import goal_values
from schedplan.measures.feasibility import violations
from schedplan.measures.objective import Normalisation, terms, total
from schedplan.model.plan import Decisions
from schedplan.model.problem import Problem
from schedplan.optimize.dispatch.on_floor import may_be_renewed
from schedplan.optimize.dispatch.priced_floor import PricedFloor, completed_on_nodes
from schedplan.optimize.nodes.rates import Rates
from schedplan.optimize.reference.plan import normalisation, reference
from tests.optimize.problems import problem
from tests.oracle.instances import THEMES, instance

FIRST = {theme: instance(theme, 1) for theme in THEMES}
ON_FLOOR = [theme for theme, one in FIRST.items() if may_be_renewed(one) and not violations(one, reference(one))]


@pytest.mark.parametrize("theme", ON_FLOOR)
def test_what_is_completed_keeps_every_rule_and_what_stands_and_is_no_worse(theme: str) -> None:
    whole = FIRST[theme]
    known = reference(whole)
    scales = normalisation(whole, known)
    names = sorted({part.job for part in known.parts if not whole.job_by_name[part.job].required})
    left = replace(known, parts=tuple(part for part in known.parts if part.job not in names[::2]))
    found = completed_on_nodes(whole, Rates.of(whole, scales), left)

    assert found is not None
    assert violations(whole, found) == ()
    assert set(left.parts) <= set(found.parts)
    assert _worth(whole, found, scales) <= _worth(whole, left, scales) + 1e-9


def test_a_job_stands_at_the_first_start_that_has_room() -> None:
    jobs = [{"name": name, "gpus": 8, "runtime_minutes": 60.0} for name in ("a", "b", "c")]
    whole = problem({"slots": 3, "nodes": [{"name": "n", "gpus": 8}], "jobs": jobs})
    floor = PricedFloor(whole, Rates.of(whole, normalisation(whole, reference(whole))))
    first, second, third = whole.jobs

    # the node is taken in slot 1; a start with slot 3 would be beyond the horizon
    assert floor.put_first(first, [(0, 1), (0, 0)])
    assert floor.put_first(second, [(0, 1), (0, 3), (0, 2)])
    assert not floor.put_first(third, [(0, 1), (0, 2)])

    decisions = floor.decisions()
    assert decisions is not None
    assert {"a": 1, "b": 2} == {part.job: part.start_slot for part in decisions.parts}


def _worth(whole: Problem, decisions: Decisions, scales: Normalisation) -> float:
    return total(terms(whole, goal_values(whole, decisions), scales))
