"""Weights read aloud: what one unit of a goal is worth in money."""

from dataclasses import replace

from schedplan.model.plan import Term
from schedplan.report.exchange import exchange_rates

COST = Term("cost", 100.0, "CNY", 0.2, 9300.0, 0.0, 0.0, True)
WAIT = Term("latency", 3.0, "device-h", 0.5, 10.0, 0.0, 0.0, True)


def test_a_device_hour_of_wait_in_money() -> None:
    # (0.5 / 10) / (0.2 / 9300) = 0.05 x 46,500 = 2,325
    (rate,) = exchange_rates((WAIT, COST))

    assert (rate.what, round(rate.worth, 9), rate.unit) == ("1 device-h of wait at the lowest priority", 2325.0, "CNY")


def test_a_goal_without_weight_is_worth_nothing_and_not_told() -> None:
    assert exchange_rates((replace(WAIT, weight=0.0), COST)) == ()


def test_without_a_weight_on_cost_there_is_no_money_to_tell() -> None:
    assert exchange_rates((WAIT, replace(COST, weight=0.0))) == ()
