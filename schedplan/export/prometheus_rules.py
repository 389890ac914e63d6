"""The rules of a project as alerts of Prometheus, and a record of the load that services see beside what was planned for.

Format: https://prometheus.io/docs/prometheus/latest/configuration/recording_rules/ (2026-12-01). Rules about a change against a
baseline have no form here: a server knows no other plan.
"""

from __future__ import annotations

from schedplan.check.rules import Change, Level, Operator, Rule
from schedplan.export.form import Form
from schedplan.export.metric_names import PREFIX, PROJECT, label_text, metric_of, whole_text
from schedplan.export.prometheus_text import Watched

LOAD_RECORD = "schedplan:load:requests_per_second"
DEFAULT_LOAD = "sum by (service) (rate(http_requests_total[5m]))"
HOLD = "10m"
_BROKEN = {
    Operator.LESS: ">=",
    Operator.AT_MOST: ">",
    Operator.EQUAL: "!=",
    Operator.AT_LEAST: "<",
    Operator.GREATER: "<=",
}


def rules_form(watched: Watched, rules: tuple[Rule, ...], load: str = DEFAULT_LOAD) -> dict[str, Form]:
    """Return the content of a rule file. load: the expression of the requests per second that services see, by service."""
    groups: list[Form] = []
    if watched.planned_rps:
        groups.append({"name": "schedplan-load", "rules": [{"record": LOAD_RECORD, "expr": load}, _over_plan(watched)]})
    alerts: list[Form] = [_alert(watched, rule) for rule in rules if rule.change is Change.NONE]
    groups.append({"name": "schedplan-rules", "rules": [*alerts, _expired(watched)]})
    return {"groups": groups}


def left_out(rules: tuple[Rule, ...]) -> tuple[str, ...]:
    """Return the rules that have no form as an alert."""
    return tuple(rule.text for rule in rules if rule.change is not Change.NONE)


def _alert(watched: Watched, rule: Rule) -> Form:
    metric = metric_of(rule.measure)
    narrowed = label_text(((PROJECT, watched.project), *rule.labels, *metric.labels))
    subject = metric.name + (narrowed if rule.labels else whole_text(watched.project, rule.measure))
    words = _camel(rule.measure)
    return {
        "alert": f"Schedplan{words}",
        "expr": _broken(rule, subject, metric.factor),
        "for": HOLD,
        "labels": {"severity": "critical" if rule.level is Level.DENY else "warning", PROJECT: literal(watched.project)},
        "annotations": {
            "summary": literal(f"the plan of {watched.project} breaks its rule: {rule.text}"),
            "description": "It is {{ $value }} (in base units). `schedplan check` says what would help.",
        },
    }


def _broken(rule: Rule, subject: str, factor: float) -> str:
    """Return what holds where a rule is broken; a measure that is not there breaks it too."""
    limit = f"{rule.limit * factor:.12g}"
    if rule.upper is not None:
        told = f"({subject} < {limit} or {subject} > {rule.upper * factor:.12g})"
    else:
        told = f"({subject} {_BROKEN[rule.operator]} {limit})"
    return f"{told} or absent({subject})"


def _over_plan(watched: Watched) -> Form:
    planned = f"{PREFIX}_planned_requests_per_second{label_text(((PROJECT, watched.project),))}"
    return {
        "alert": "SchedplanLoadAbovePlan",
        "expr": f"{LOAD_RECORD} > on (service) {planned}",
        "for": HOLD,
        "labels": {"severity": "warning", PROJECT: literal(watched.project)},
        "annotations": {
            "summary": "{{ $labels.service }} sees more load than the plan provides for at any time",
            "description": "It sees {{ $value }} requests per second. Plan again with the load that came.",
        },
    }


def _expired(watched: Watched) -> Form:
    return {
        "alert": "SchedplanPlanExpired",
        "expr": f"time() > {PREFIX}_horizon_end_timestamp_seconds{label_text(((PROJECT, watched.project),))}",
        "labels": {"severity": "warning", PROJECT: literal(watched.project)},
        "annotations": {"summary": literal(f"the plan of {watched.project} has ended; nothing newer is watched")},
    }


def literal(text: str) -> str:
    """Return text that a template of Prometheus shows as it is: two opening braces would begin an action."""
    return text.replace("{{", '{{ "{{" }}')


def _camel(measure: str) -> str:
    return "".join(word.capitalize() for word in measure.split("_"))
