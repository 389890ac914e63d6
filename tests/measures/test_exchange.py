"""Weights read aloud: what one unit of a goal is worth in money."""

from dataclasses import replace

from schedplan.measures.exchange import exchange_rates
from schedplan.model.plan import Term

COST = Term("cost", 100.0, "CNY", 0.2, 9300.0, 0.0, 0.0, True)
WAIT = Term("latency", 3.0, "device-h", 0.5, 10.0, 0.0, 0.0, True)


def test_a_device_hour_of_wait_in_money() -> None:
    # (0.5 / 10) / (0.2 / 9300) = 0.05 x 46,500 = 2,325
    (rate,) = exchange_rates((WAIT, COST))

    assert (rate.what, round(rate.worth, 9), rate.unit) == ("1 device-h of wait at the lowest priority", 2325.0, "CNY")


def test_a_goal_without_weight_is_worth_nothing_and_not_told() -> None:
    assert exchange_rates((replace(WAIT, weight=0.0), COST)) == ()


def test_without_a_weight_on_cost_the_weightiest_goal_is_what_is_paid_in() -> None:
    carbon = Term("carbon", 3.0, "gCO2e", 0.1, 5000.0, 0.0, 0.0, True)
    (rate,) = exchange_rates((WAIT, replace(COST, weight=0.0), carbon))

    # a kilogram moves F by 1000 x 0.1 / 5000 = 0.02, an hour of wait by 0.5 / 10 = 0.05
    assert (rate.what, round(rate.worth, 9), rate.unit) == ("1 kg CO2e", 0.4, "device-h of wait")


def test_one_goal_alone_has_no_rate() -> None:
    assert exchange_rates((WAIT,)) == ()
