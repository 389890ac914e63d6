"""A dashboard of Grafana over the metrics of a plan: its numbers, what they are by part, and load beside what was planned for.

Format: https://grafana.com/docs/grafana/latest/visualizations/dashboards/build-dashboards/view-dashboard-json-model/ (2026-12-01).
"""

from __future__ import annotations

import hashlib

from schedplan.check.rules import Change, Operator, Rule
from schedplan.export.form import Form
from schedplan.export.metric_names import PREFIX, PROJECT, label_text, metric_of, whole_text
from schedplan.export.prometheus_rules import LOAD_RECORD
from schedplan.export.prometheus_text import Watched

SCHEMA_VERSION = 39
COLUMNS, STAT_WIDTH, STAT_HEIGHT, CHART_WIDTH, CHART_HEIGHT = 24, 4, 4, 12, 8
FIRST = ("cost", "utilization", "slo_attainment", "deadline_hits", "on_time_probability", "headroom", "unplaced", "gap")
_UNITS = {"share": "percentunit", "s": "s", "ms": "s", "kWh": "joule", "g": "massg"}
_SOURCE: dict[str, Form] = {"type": "prometheus", "uid": "${datasource}"}


def dashboard_form(watched: Watched, rules: tuple[Rule, ...]) -> dict[str, Form]:
    """Return the dashboard as Grafana imports it; the thresholds of the rules colour its numbers."""
    known = [one for one in watched.measures if one.value is not None]
    whole = {one.name: one for one in known if not one.labels}
    panels: list[Form] = []
    for idx, name in enumerate(name for name in FIRST if name in whole):
        column, row = idx * STAT_WIDTH % COLUMNS, idx * STAT_WIDTH // COLUMNS
        place = (column, row * STAT_HEIGHT, STAT_WIDTH, STAT_HEIGHT)
        panels.append(_stat(len(panels) + 1, name, whole[name].unit, place, _limits(name, rules)))
    top = -(-len(panels) * STAT_WIDTH // COLUMNS) * STAT_HEIGHT
    parted = sorted({(one.name, label) for one in known for label, _ in one.labels if len(one.labels) == 1 and one.name in whole})
    charts = [(f"{name} by {label}", _by_part(name, label), label) for name, label in parted]
    if watched.planned_rps:
        charts.insert(0, ("load beside what was planned for", "", "service"))
    for idx, (title, expression, label) in enumerate(charts):
        place = (idx % 2 * CHART_WIDTH, top + idx // 2 * CHART_HEIGHT, CHART_WIDTH, CHART_HEIGHT)
        targets = [_target("A", expression, f"{{{{{label}}}}}")] if expression else _load_targets()
        panels.append(_chart(len(panels) + 1, title, place, targets))
    return {
        "uid": hashlib.sha256(watched.project.encode("utf-8", "replace")).hexdigest()[:16],
        "title": f"schedplan: {watched.project}",
        "tags": ["schedplan"],
        "schemaVersion": SCHEMA_VERSION,
        "version": 1,
        "editable": True,
        "refresh": "5m",
        "time": {"from": "now-24h", "to": "now"},
        "templating": {"list": [_datasource(), _project(watched)]},
        "panels": panels,
    }


def _by_part(name: str, label: str) -> str:
    metric = metric_of(name)
    pairs = label_text(((PROJECT, "$project"), *metric.labels))[:-1]
    return f'{metric.name}{pairs},{label}!=""}}'


def _limits(name: str, rules: tuple[Rule, ...]) -> list[Form]:
    """Return the steps of colour of a number: green where the first rule on it holds, red where it does not."""
    factor = metric_of(name).factor
    rule = next((one for one in rules if one.measure == name and not one.labels and one.change is Change.NONE), None)
    if rule is None:
        return [{"color": "blue", "value": None}]
    limit = rule.limit * factor
    if rule.operator is Operator.WITHIN and rule.upper is not None:
        return [{"color": "red", "value": None}, {"color": "green", "value": limit}, {"color": "red", "value": rule.upper * factor}]
    if rule.operator in (Operator.AT_LEAST, Operator.GREATER):
        return [{"color": "red", "value": None}, {"color": "green", "value": limit}]
    return [{"color": "green", "value": None}, {"color": "red", "value": limit}]


def _stat(number: int, name: str, unit: str, place: tuple[int, int, int, int], limits: list[Form]) -> Form:
    expression = metric_of(name).name + whole_text("$project", name)
    return {
        **_panel(number, "stat", name.replace("_", " "), place),
        "targets": [_target("A", expression, "")],
        "fieldConfig": {
            "defaults": {"unit": _UNITS.get(unit, "short"), "thresholds": {"mode": "absolute", "steps": limits}},
            "overrides": [],
        },
    }


def _chart(number: int, title: str, place: tuple[int, int, int, int], targets: list[Form]) -> Form:
    return {
        **_panel(number, "timeseries", title.replace("_", " "), place),
        "targets": targets,
        "fieldConfig": {"defaults": {"unit": "short"}, "overrides": []},
    }


def _load_targets() -> list[Form]:
    planned = f"{PREFIX}_planned_requests_per_second{label_text(((PROJECT, '$project'),))}"
    return [_target("A", LOAD_RECORD, "{{service}}"), _target("B", planned, "{{service}}, planned for")]


def _panel(number: int, kind: str, title: str, place: tuple[int, int, int, int]) -> dict[str, Form]:
    x, y, width, height = place
    return {"id": number, "type": kind, "title": title, "datasource": _SOURCE, "gridPos": {"x": x, "y": y, "w": width, "h": height}}


def _target(name: str, expression: str, legend: str) -> Form:
    return {"refId": name, "expr": expression, "legendFormat": legend or "__auto", "datasource": _SOURCE}


def _datasource() -> Form:
    return {"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Data source"}


def _project(watched: Watched) -> Form:
    query = f"label_values({PREFIX}_horizon_end_timestamp_seconds, {PROJECT})"
    chosen: dict[str, Form] = {"text": watched.project, "value": watched.project}
    return {
        "name": PROJECT,
        "type": "query",
        "label": "Project",
        "query": query,
        "refresh": 2,
        "datasource": _SOURCE,
        "current": chosen,
    }
