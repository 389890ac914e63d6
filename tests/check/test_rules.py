"""What a rule says once it is read, and what is said about one that can't be."""

import time

import pytest

from schedplan.check.rules import Change, Level, Operator, Rule, parse_rule, parse_rules
from schedplan.errors import ConfigError


def test_the_plainest_rule_denies() -> None:
    rule = parse_rule("slo_attainment >= 0.99")

    assert Rule("slo_attainment >= 0.99", "slo_attainment", (), Change.NONE, Operator.AT_LEAST, 0.99) == rule
    assert rule.level is Level.DENY


def test_a_range_with_a_level() -> None:
    rule = parse_rule("utilization in 0.70..0.90 warn")

    assert (0.7, 0.9, Operator.WITHIN, Level.WARN) == (rule.limit, rule.upper, rule.operator, rule.level)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("p95(wait_s) <= 15m", 900.0),  # 15 x 60 s
        ("wait_s_p95 <= 900", 900.0),
        ("wait_s_max <= 1.5h", 5400.0),  # 1.5 x 3600 s
        ("latency_ms_p95 <= 0.2s", 200.0),  # 0.2 x 1000 ms
        ("lost_device_h <= 30min", 0.5),
        ("gap <= 2%", 0.02),
        ("utilization < 70 %", 0.7),  # 70/100, not 70 x 0.01 = 0.7000000000000001
        ("carbon_g < 1.5kg", 1500.0),
        ("energy_kwh < 2MWh", 2000.0),
        ("cost <= 36100", 36100.0),
        ("cost<=3.6e4", 36000.0),
        ("delta%(cost) <= 5%", 5.0),
        ("delta%(cost) <= 5", 5.0),
        ("delta(utilization) > -2%", -0.02),
    ],
)
def test_limits_are_in_the_unit_of_their_measure(text: str, limit: float) -> None:
    assert limit == parse_rule(text).limit


@pytest.mark.parametrize("text", ["cost <= 36100 EUR", "cost <= 36100EUR", "cost in 3..36100EUR warn"])
def test_a_currency_is_kept_for_the_comparison(text: str) -> None:
    assert parse_rule(text).currency == "EUR"


def test_labels_are_sorted_and_their_quotes_opened() -> None:
    rule = parse_rule(r'cost{tenant="a \"b\" \\ ü", pool="x,}=1"} < 5')

    assert (("pool", "x,}=1"), ("tenant", 'a "b" \\ ü')) == rule.labels


def test_a_change_of_a_statistic() -> None:
    rule = parse_rule('delta( p95( wait_s{tenant="x"} ) ) < 1h deny')

    assert ("wait_s_p95", (("tenant", "x"),), Change.ABSOLUTE, 3600.0) == (rule.measure, rule.labels, rule.change, rule.limit)


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("", 1, "expected the name of a measure"),
        ("cost", 5, "expected one of < <= == >= > or in"),
        ("cost = 3", 6, "expected one of"),
        ("cost <= ", 9, "expected a number"),
        ("cost <= --3", 9, "'--3' is not a number"),
        ("cost <= 1e999", 9, "'1e999' is not a finite number"),
        ("cost <= \u0661", 9, "expected a number"),
        ("cost <= nan", 9, "expected a number"),
        ("cost{tenant} < 3", 12, "expected '='"),
        ('cost{a="x} < 2', 8, "this quote is never closed"),
        ('cost{a="1",a="2"} < 2', 12, "the label a occurs twice"),
        ("p95(wait_s < 3", 12, "expected ')'"),
        ("p42(wait_s) < 3", 1, "'p42' is no statistic"),
        ("utilization in 1..0", 19, "the range ends below its start"),
        ("utilization in 1", 17, "expected '..'"),
        ("cost < 3 EUR warn x", 19, "expected warn, deny or the end"),
    ],
)
def test_a_fault_is_told_with_its_position(text: str, position: int, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_rule(text)

    assert f"position {position}: {words}" in caught.value.message
    assert (2, "SP2201") == (caught.value.exit_status, caught.value.code)


@pytest.mark.parametrize(
    ("text", "code", "hint"),
    [
        ("utilizaton > 1", "SP2202", "Did you mean utilization?"),
        ("p95(gap) > 1", "SP2202", "Did you mean gap?"),
        ("cost = 3", "SP2201", "For equality write ==."),
        ("wait_s_p95 <= 5kg", "SP2203", "It takes ms, s, m, min, h, d or none."),
        ("cost <= 5 wrn", "SP2203", "Did you mean warn?"),
        ("preemptions < 3 s", "SP2203", "Leave the unit out."),
        ("cost < 5 %", "SP2203", "It takes a currency code such as EUR or none."),
    ],
)
def test_a_fault_comes_with_the_next_step(text: str, code: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_rule(text)

    assert (code, hint) == (caught.value.code, caught.value.hint)


def test_an_unknown_measure_without_a_neighbour_lists_what_there_is() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_rule("zzzzzz > 1")

    assert "slo_attainment" in (caught.value.hint or "")


def test_more_measures_may_be_named() -> None:
    assert parse_rule("my_own < 1", ("my_own",)).measure == "my_own"


def test_all_faults_of_all_rules_are_told() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_rules(("cost < 1", "cost = 1", "gapp < 1"))

    assert ["SP2201", "SP2202"] == [fault.code for fault in caught.value.faults]
    assert "rule 2: 'cost = 1'" in caught.value.message
    assert "rule 3: 'gapp < 1'" in caught.value.message


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000,
        "delta(" * 20_000,
        " " * 100_000,
        "cost{" + 'a="x",' * 20_000,
        'cost{a="' + "\\" * 100_000,
        "cost < " + "9" * 100_000,
        "cost < " + "1e" * 50_000,
        "a" * 100_000 + " < 1",
        "cost < 1" + "." * 100_000,
    ],
)
def test_a_hostile_rule_is_answered_at_once(text: str) -> None:
    begun = time.process_time()
    with pytest.raises(ConfigError) as caught:
        parse_rule(text)

    assert time.process_time() - begun < 1.0
    assert len(caught.value.message) < 300


def test_the_longest_rule_is_read_at_once() -> None:
    labels = ",".join(f'l{number}="x"' for number in range(100))
    begun = time.process_time()
    rule = parse_rule(f"cost{{{labels}}} < 1")

    assert len(rule.labels) == 100
    assert time.process_time() - begun < 1.0
