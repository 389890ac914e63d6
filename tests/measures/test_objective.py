from dataclasses import replace

import pytest

from schedplan.measures.objective import GoalValues, Normalisation, Scale, terms, total
from schedplan.model.cluster import Cluster, Pool
from schedplan.model.problem import Objective, Problem
from schedplan.timegrid import TimeGrid

PROBLEM = Problem("p", TimeGrid.regular(0, 60, 1), Cluster((Pool("n", gpus=1),)), objective=Objective(5, 3, 2))
REFERENCE = GoalValues(latency=10, utilization=50, cost=100, carbon=0, unplaced=0.25)
IDEAL = GoalValues(latency=0, utilization=30, cost=100, carbon=0, unplaced=0)


def test_goals_are_divided_by_what_the_reference_loses_to_the_ideal():
    # Weights 5, 3, 2 scale to .5, .3, .2; latency 5/10, idle 40/20, cost 100 / max(1, 100) as reference = ideal; 10 x 0.1 unplaced.
    found = terms(PROBLEM, GoalValues(5, 40, 100, 0, 0.1), Normalisation.between(REFERENCE, IDEAL))

    assert [term.name for term in found] == ["latency", "utilization", "cost", "unplaced"]
    assert [term.unit for term in found] == ["device-h", "device-h", "USD", "share"]
    assert [term.divisor for term in found] == [10, 20, 100, 1]
    assert [term.in_conflict for term in found] == [True, True, False, True]
    assert total(found) == pytest.approx(0.5 * 0.5 + 0.3 * 2 + 0.2 * 1 + 10 * 0.1)


def test_a_goal_with_nothing_between_is_divided_by_its_reference():
    assert Scale(0.0, 0.0).divisor == 1.0
    assert Scale(100.0, 100.0 - 5e-5).divisor == 100.0
    assert Scale(100.0, 99.0).divisor == 1.0


def test_carbon_has_a_term_where_it_has_a_weight():
    problem = replace(PROBLEM, objective=Objective(5, 3, 2, 10))
    found = terms(problem, REFERENCE, Normalisation.between(REFERENCE, IDEAL))

    assert [term.name for term in found] == ["latency", "utilization", "cost", "carbon", "unplaced"]
    assert [term.weight for term in found] == pytest.approx([0.25, 0.15, 0.1, 0.5, 10])


def test_cores_are_the_unit_where_there_are_no_devices():
    problem = replace(PROBLEM, cluster=Cluster((Pool("n", cpus=8),)))
    found = terms(problem, REFERENCE, Normalisation.between(REFERENCE, IDEAL))

    assert found[0].unit == "core-h"
