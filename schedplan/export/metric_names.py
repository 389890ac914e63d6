"""Measures as Prometheus metrics: their names, base units and labels. It knows no plan and no rule.

Names and units: https://prometheus.io/docs/practices/naming/, the text format and its escapes:
https://prometheus.io/docs/instrumenting/exposition_formats/ (2026-12-01).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from schedplan.check.vocabulary import STATS

PREFIX = "schedplan"
STAT = "stat"
PROJECT = "project"

PARTS = ("pool", "tenant", "service", "kind", "job", "cause", "reward", "bound")
_WITHOUT_PARTS = ",".join(f'{name}=""' for name in PARTS)
_NO_NAME = re.compile(r"[^a-zA-Z0-9_]")
_ENDINGS = (
    ("_ms", "_seconds", 1e-3),
    ("_device_h", "_device_seconds", 3600.0),
    ("_kwh", "_joules", 3.6e6),
    ("_g", "_grams", 1.0),
    ("_s", "_seconds", 1.0),
)


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric: its name, by what a value of the measure is multiplied, and the labels that its name turned into."""

    name: str
    factor: float
    labels: tuple[tuple[str, str], ...] = ()


def metric_of(measure: str) -> Metric:
    """Return the metric of a measure: `wait_s_p95` is schedplan_wait_seconds with stat="p95"."""
    base, _, ending = measure.rpartition("_")
    labels = ((STAT, ending),) if ending in STATS and base else ()
    plain = base if labels else measure
    for old, new, factor in _ENDINGS:
        if plain.endswith(old):
            return Metric(f"{PREFIX}_{_NO_NAME.sub('_', plain.removesuffix(old))}{new}", factor, labels)
    return Metric(f"{PREFIX}_{_NO_NAME.sub('_', plain)}", 1.0, labels)


def label_name(name: str) -> str:
    """Return the name of a label in the grammar of Prometheus."""
    found = _NO_NAME.sub("_", name)
    return f"_{found}" if not found or found[0].isdigit() else found


def label_text(labels: tuple[tuple[str, str], ...]) -> str:
    """Return labels as `{name="value",...}`, quotes and backslashes escaped. Values have no control characters."""
    pairs = (f'{label_name(name)}="{_escaped(value)}"' for name, value in labels)
    return "{" + ",".join(pairs) + "}"


def whole_text(project: str, measure: str) -> str:
    """Return the labels of a measure of the whole: it has none of those that its parts have."""
    pairs = label_text(((PROJECT, project), *metric_of(measure).labels))
    return f"{pairs[:-1]},{_WITHOUT_PARTS}}}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
