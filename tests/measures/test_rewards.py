"""Rewards by hand: points at a limit, points per unit beyond it, penalties, measures without a value."""

import pytest

from schedplan.measures.rewards import earned, rewards
from schedplan.model.findings import Measure
from schedplan.model.problem import Reward


@pytest.mark.parametrize(
    ("reward", "value", "points"),
    [
        # once, at the limit and beyond, nothing below it
        (Reward("utilization", True, 0.7, 5.0), 0.7, 5.0),
        (Reward("utilization", True, 0.7, 5.0), 0.69, 0.0),
        # 5 points for each tenth above 0.7: 1.5 tenths
        (Reward("utilization", True, 0.7, 5.0, 0.1), 0.85, 7.5),
        # 1 point less for each 60 s above 600: 3 of them
        (Reward("wait_s_p95", True, 600.0, -1.0, 60.0), 780.0, -3.0),
        # 2 points for each 1,000 below 40,000: 3.2 of them
        (Reward("cost", False, 40_000.0, 2.0, 1_000.0), 36_800.0, 6.4),
        (Reward("cost", False, 40_000.0, 2.0), 40_001.0, 0.0),
        (Reward("cost", False, 40_000.0, 2.0), None, None),
    ],
)
def test_points_of_a_reward(reward, value, points):
    assert earned(reward, value) == (None if points is None else pytest.approx(points))


def test_the_score_is_the_sum_and_is_not_known_where_one_part_is_not():
    measures = [Measure("cost", 900.0, "EUR"), Measure("energy_kwh", None, "kWh"), Measure("cost", 1.0, "EUR", (("tenant", "a"),))]
    cheap, clean = Reward("cost", False, 1_000.0, 1.0, 50.0), Reward("energy_kwh", False, 10.0, 1.0)

    # (1,000 - 900) / 50 = 2
    assert [("cost below 1000", 2.0), ("", 2.0)] == told(rewards((cheap,), measures))
    assert [("cost below 1000", 2.0), ("energy_kwh below 10", None), ("", None)] == told(rewards((cheap, clean), measures))
    assert [] == told(rewards((), measures))


def told(found):
    return [(dict(one.labels).get("reward", ""), one.value) for one in found]
