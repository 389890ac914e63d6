"""Goals held at values: what exceeds one is told with its value and its limit."""

from dataclasses import replace

from schedplan.measures.feasibility import violations
from schedplan.model.problem import AtMost


def test_a_goal_above_what_it_is_held_at_is_told_with_its_value(day, day_plan):
    # 107 replica-hours at 300, 40 node-hours at 100, and the rework expected on spot: 10 (e^0.05 - 1) x 8 - 4 h on ten nodes at 100
    cost = 107 * 300 + 40 * 100 + 101.6877
    held = replace(day, objective=replace(day.objective, at_most=(AtMost("cost", cost - 0.01), AtMost("unplaced", 0.0))))
    enough = replace(day, objective=replace(day.objective, at_most=(AtMost("cost", cost + 0.01),)))

    (found,) = violations(held, day_plan)
    assert ("SP3150", "goal cost") == (found.code, found.subject)
    assert "is 36201.68" in found.message
    assert () == violations(enough, day_plan)
