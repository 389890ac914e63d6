"""A plan for Prometheus and Grafana: names, units and escapes by their documented grammar, whatever the names of things are."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml

from schedplan.check.rules import parse_rules
from schedplan.export.grafana import dashboard_form
from schedplan.export.metric_names import Metric, label_name, label_text, metric_of
from schedplan.export.prometheus_rules import left_out, literal, rules_form
from schedplan.export.prometheus_text import Watched, prometheus_text
from schedplan.model.findings import Measure

HOSTILE = 'a"} 1\\ {{ .Values }} </script> | =cmd'
WATCHED = Watched(
    HOSTILE,
    (
        Measure("cost", 100.0, "EUR"),
        Measure("cost", 60.0, "EUR", (("pool", HOSTILE),)),
        Measure("cost", 40.0, "EUR", (("pool", "b"),)),
        Measure("wait_s_p95", 1800.0, "s"),
        Measure("utilization", 0.8, "share"),
        Measure("energy_kwh", 2.0, "kWh"),
        Measure("gap", None, "share"),
    ),
    1796169600,
    (("chat", 1240.0),),
)
RULES = parse_rules(
    (
        "cost <= 99",
        "utilization in 0.70..0.90 warn",
        "p95(wait_s) < 4h",
        'cost{pool="b"} > 1',
        "delta%(cost) <= 2",
        "energy_kwh <= 1",
    )
)
SAMPLE = re.compile(r'[a-zA-Z_:][a-zA-Z0-9_:]*\{[a-zA-Z_]\w*="(?:[^"\\]|\\["\\n])*"(?:,[a-zA-Z_]\w*="(?:[^"\\]|\\["\\n])*")*\} \S+')


@pytest.mark.parametrize(
    ("measure", "metric"),
    [
        ("cost", Metric("schedplan_cost", 1.0)),
        ("wait_s_p95", Metric("schedplan_wait_seconds", 1.0, (("stat", "p95"),))),
        ("latency_ms_max", Metric("schedplan_latency_seconds", 1e-3, (("stat", "max"),))),
        ("lost_device_h", Metric("schedplan_lost_device_seconds", 3600.0)),
        ("energy_kwh", Metric("schedplan_energy_joules", 3.6e6)),
        ("carbon_g", Metric("schedplan_carbon_grams", 1.0)),
        ("makespan_s", Metric("schedplan_makespan_seconds", 1.0)),
    ],
)
def test_metrics_are_in_base_units(measure: str, metric: Metric) -> None:
    assert metric == metric_of(measure)


def test_labels_keep_the_grammar() -> None:
    assert ("a_b", "_1", "_") == (label_name("a-b"), label_name("1"), label_name(""))
    assert '{pool="a\\"b\\\\c"}' == label_text((("pool", 'a"b\\c'),))


def test_every_line_is_a_sample_or_says_what_one_is() -> None:
    lines = prometheus_text(WATCHED).splitlines()
    samples = [line for line in lines if not line.startswith("#")]

    assert [] == [line for line in samples if not SAMPLE.fullmatch(line)]
    # six measures with a value, the end of the horizon, one service
    assert 8 == len(samples)
    assert any(line.endswith(" 7200000") and "energy_joules" in line for line in samples)
    assert not any("schedplan_gap" in line for line in lines)


def alerts(watched: Watched = WATCHED) -> list[dict[str, Any]]:
    form = yaml.safe_load(yaml.safe_dump(rules_form(watched, RULES)))
    return [rule for group in form["groups"] for rule in group["rules"] if "alert" in rule]


def test_a_rule_is_an_alert_on_the_side_where_it_is_broken() -> None:
    found = {alert["alert"]: alert for alert in alerts()}
    first = next(alert for alert in alerts() if "<= 99" in alert["annotations"]["summary"])

    assert ") or absent(" in first["expr"]
    assert " > 99)" in first["expr"]
    assert 'stat="p95"' in found["SchedplanWaitSP95"]["expr"]
    # four hours, in seconds; broken where it is not below
    assert " >= 14400)" in found["SchedplanWaitSP95"]["expr"]
    assert ("warning", "critical") == (found["SchedplanUtilization"]["labels"]["severity"], first["labels"]["severity"])
    assert " > 3600000)" in found["SchedplanEnergyKwh"]["expr"]
    assert {"SchedplanLoadAbovePlan", "SchedplanPlanExpired"} <= set(found)


def test_a_rule_about_another_plan_is_left_out_and_told() -> None:
    assert ("delta%(cost) <= 2",) == left_out(RULES)
    assert not any("delta" in alert["annotations"]["summary"] for alert in alerts())


def test_names_begin_no_template() -> None:
    ours = ("{{ $value }}", "{{ $labels.service }}")
    for alert in alerts():
        for text in (*alert["annotations"].values(), *alert["labels"].values()):
            rest = text.replace('{{ "{{" }}', "")
            for known in ours:
                rest = rest.replace(known, "")
            assert "{{" not in rest
    assert '{{ "{{" }} .Values }}' == literal("{{ .Values }}")


def test_the_dashboard_asks_only_for_what_is_written() -> None:
    board = json.loads(json.dumps(dashboard_form(WATCHED, RULES)))
    written = set(re.findall(r"^# TYPE (\S+) gauge$", prometheus_text(WATCHED), re.MULTILINE)) | {
        "schedplan:load:requests_per_second"
    }
    asked = {
        name
        for panel in board["panels"]
        for target in panel["targets"]
        for name in re.findall(r"schedplan[_:][a-z_:]+(?=\{|$)", target["expr"])
    }

    assert asked
    assert asked <= written


def test_panels_have_numbers_of_their_own_and_do_not_overlap() -> None:
    panels = dashboard_form(WATCHED, RULES)["panels"]
    assert isinstance(panels, list)
    taken: set[tuple[int, int]] = set()
    numbers = set()
    for panel in panels:
        assert isinstance(panel, dict)
        numbers.add(panel["id"])
        place = panel["gridPos"]
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
        assert not cells & taken
        assert max(x for x, _ in cells) < 24
        taken |= cells

    assert len(numbers) == len(panels)


def test_the_colour_of_a_number_turns_where_its_rule_breaks() -> None:
    panels = {panel["title"]: panel for panel in dashboard_form(WATCHED, RULES)["panels"]}
    steps = {name: panels[name]["fieldConfig"]["defaults"]["thresholds"]["steps"] for name in ("cost", "utilization")}

    assert [("green", None), ("red", 99.0)] == [(step["color"], step["value"]) for step in steps["cost"]]
    assert [("red", None), ("green", 0.7), ("red", 0.9)] == [(step["color"], step["value"]) for step in steps["utilization"]]
