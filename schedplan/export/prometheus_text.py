"""Measures of a plan as Prometheus text, for a textfile collector or a push gateway; no timestamps, the values are the plan's."""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.export.metric_names import PREFIX, PROJECT, label_text, metric_of
from schedplan.model.findings import Measure

_HELP = {
    f"{PREFIX}_horizon_end_timestamp_seconds": "End of what the plan covers, seconds since 1970 UTC.",
    f"{PREFIX}_planned_requests_per_second": "Highest load that the plan provides for, by service.",
}


@dataclass(frozen=True, slots=True)
class Watched:
    """What is watched of a plan; no text holds control characters. planned_rps: (service, highest load planned for)."""

    project: str
    measures: tuple[Measure, ...]
    horizon_end_s: int
    planned_rps: tuple[tuple[str, float], ...] = ()


def prometheus_text(watched: Watched) -> str:
    """Return every measure that has a value, metrics by name, with a newline at the end."""
    samples: dict[str, list[str]] = {}
    for measure in watched.measures:
        if measure.value is None:
            continue
        metric = metric_of(measure.name)
        labels = ((PROJECT, watched.project), *measure.labels, *metric.labels)
        samples.setdefault(metric.name, []).append(f"{metric.name}{label_text(labels)} {_number(measure.value * metric.factor)}")
    end = f"{PREFIX}_horizon_end_timestamp_seconds"
    samples[end] = [f"{end}{label_text(((PROJECT, watched.project),))} {watched.horizon_end_s}"]
    planned = f"{PREFIX}_planned_requests_per_second"
    for service, rps in watched.planned_rps:
        labels = ((PROJECT, watched.project), ("service", service))
        samples.setdefault(planned, []).append(f"{planned}{label_text(labels)} {_number(rps)}")
    lines: list[str] = []
    for name in sorted(samples):
        lines += [
            f"# HELP {name} {_HELP.get(name, 'A measure of a plan or replay; docs/measures.md of schedplan says what it means.')}",
            f"# TYPE {name} gauge",
        ]
        lines += sorted(samples[name])
    return "\n".join(lines) + "\n"


def _number(value: float) -> str:
    return f"{value:.12g}"
