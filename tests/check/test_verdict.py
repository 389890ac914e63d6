"""What passes and what breaks, at the limit and beside it, and what is never a pass."""

from math import nan

import pytest

from schedplan.check.rules import parse_rule
from schedplan.check.verdict import Verdict, judge
from schedplan.model.findings import Measure


def verdict(rule: str, *measures: Measure, baseline: tuple[Measure, ...] | None = None) -> Verdict:
    return judge((parse_rule(rule),), measures, baseline)


def whole(name: str, value: float | None, unit: str = "") -> Measure:
    return Measure(name, value, unit)


@pytest.mark.parametrize(
    ("rule", "value", "passes", "margin"),
    [
        ("cost <= 100", 100.0, True, 0.0),
        ("cost <= 99", 100.0, False, -1.0),
        ("cost < 100", 100.0, False, 0.0),
        ("cost < 100", 99.5, True, 0.5),
        ("cost >= 100", 100.0, True, 0.0),
        ("cost > 100", 100.0, False, 0.0),
        ("cost == 100", 100.0, True, 0.0),
        ("cost == 100", 101.0, False, -1.0),
        ("cost in 90..110", 100.0, True, 10.0),
        ("cost in 90..95", 100.0, False, -5.0),
        ("cost in 100..100", 100.0, True, 0.0),
        ("cost <= 100", 100.00000001, True, -1e-8),  # within a billionth of the limit: 1e-7
        ("cost <= 100", 100.000001, False, -1e-6),
    ],
)
def test_operators_at_and_beside_their_limit(rule: str, value: float, passes: bool, margin: float) -> None:
    item = verdict(rule, whole("cost", value)).items[0]

    assert passes == item.passed
    assert item.margin == pytest.approx(margin, rel=1e-6)
    assert (None if passes else "SP5001") == item.code


@pytest.mark.parametrize("value", [None, nan, float("inf"), float("-inf")])
@pytest.mark.parametrize("rule", ["cost <= 1", "cost >= 1", "cost > -1", "cost == 1", "cost in 0..9"])
def test_no_value_is_never_a_pass(rule: str, value: float | None) -> None:
    result = verdict(rule, whole("cost", value))

    assert not result.passed
    assert result.items[0].code == "SP5002"


def test_a_measure_that_is_not_there_is_a_finding() -> None:
    item = verdict("gap <= 0.02", whole("cost", 1.0)).items[0]

    assert (False, "SP5002", "gap has no value here") == (item.passed, item.code, item.message)


def test_a_label_that_is_not_there_is_a_finding_and_names_those_there_are() -> None:
    item = verdict('cost{tenant="b"} <= 9', Measure("cost", 1.0, "EUR", (("tenant", "a"),))).items[0]

    assert (False, "SP5003") == (item.passed, item.code)
    assert 'cost is not known for {tenant="b"}, only for {tenant="a"}' == item.message


def test_the_whole_is_not_answered_by_a_part() -> None:
    assert not verdict("cost <= 9", Measure("cost", 1.0, "EUR", (("tenant", "a"),))).passed


def test_labels_choose_the_exact_measure_before_those_with_more() -> None:
    measures = (
        Measure("cost", 1.0, "EUR", (("tenant", "a"),)),
        Measure("cost", 50.0, "EUR", (("pool", "p"), ("tenant", "a"))),
    )

    assert len(verdict('cost{tenant="a"} <= 9', *measures).items) == 1
    assert len(verdict('cost{pool="p"} <= 9', *measures).denials) == 1


def test_every_measure_with_more_labels_must_hold() -> None:
    measures = tuple(Measure("cost", value, "EUR", (("pool", name), ("tenant", "a"))) for name, value in (("p", 5.0), ("q", 15.0)))

    items = verdict('cost{tenant="a"} <= 9', *measures).items

    assert [True, False] == [item.passed for item in items]
    assert 'cost{pool="q", tenant="a"} = 15 EUR; <= 9 EUR is broken' == items[1].message


def test_changes_against_a_baseline() -> None:
    before = (whole("cost", 80.0, "EUR"),)
    now = whole("cost", 100.0, "EUR")

    assert verdict("delta(cost) <= 20", now, baseline=before).passed  # 100 - 80 = 20
    assert not verdict("delta(cost) < 20", now, baseline=before).passed
    assert verdict("delta%(cost) == 25%", now, baseline=before).passed  # 20 / 80 = 25 %


@pytest.mark.parametrize(
    ("baseline", "words"),
    [
        (None, "needs a baseline"),
        ((), "the baseline has no such value"),
        ((whole("cost", None),), "the baseline has no such value"),
        ((whole("cost", 0.0),), "the baseline is 0"),
    ],
)
def test_a_change_without_a_baseline_is_a_finding(baseline: tuple[Measure, ...] | None, words: str) -> None:
    item = verdict("delta%(cost) <= 5", whole("cost", 1.0), baseline=baseline).items[0]

    assert (False, "SP5004") == (item.passed, item.code)
    assert words in item.message


def test_nothing_that_stays_nothing_has_not_changed() -> None:
    assert verdict("delta%(preemptions) <= 0", whole("preemptions", 0.0), baseline=(whole("preemptions", 0.0),)).passed


def test_a_limit_in_another_currency_is_not_compared() -> None:
    item = verdict("cost <= 100 USD", whole("cost", 1.0, "CNY")).items[0]

    assert (False, "SP5005") == (item.passed, item.code)


def test_a_currency_of_a_rate_is_that_of_its_numerator() -> None:
    assert verdict("cost_per_1000_requests <= 1 CNY", whole("cost_per_1000_requests", 0.5, "CNY/1000 requests")).passed


def test_a_broken_warning_lets_the_gate_pass() -> None:
    result = verdict("cost <= 1 warn", whole("cost", 2.0))

    assert result.passed
    assert (0, 1) == (len(result.denials), len(result.warnings))


def test_a_broken_budget_names_its_rule() -> None:
    item = verdict("cost <= 36099", whole("cost", 36100.0, "CNY")).denials[0]

    assert ("cost <= 36099", "cost = 36100 CNY; <= 36099 CNY is broken", -1.0) == (item.rule, item.message, item.margin)
