"""Export: a saved plan in the languages of other programs, as a folder of files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from schedplan.check.rules import Rule, parse_rules
from schedplan.errors import InputError, UsageError
from schedplan.export.grafana import dashboard_form
from schedplan.export.prometheus_rules import DEFAULT_LOAD, left_out, rules_form
from schedplan.export.prometheus_text import Watched, prometheus_text
from schedplan.model.findings import Measure
from schedplan.model.plan import PlanStatus
from schedplan.report.json import Json, serialized
from schedplan.report.verbatim import visible
from schedplan.tables.artefact_folder import write_folder_whole
from schedplan.tables.obstacles import FolderKind
from schedplan.workflows.check import measured
from schedplan.workflows.plan import SavedPlan, open_plan

TARGETS = ("grafana", "prometheus")
METRICS, RULES, DASHBOARD, RECORD = "schedplan.prom", "schedplan-rules.yml", "schedplan-dashboard.json", "export.json"
EXPORT_FOLDER = FolderKind("export", RECORD, (RECORD, METRICS, RULES, DASHBOARD))


@dataclass(frozen=True, slots=True)
class Exported:
    """The files that were written, and the rules of the project that the target has no form for."""

    paths: tuple[Path, ...]
    left_out: tuple[str, ...]


def export_plan(
    folder: Path,
    out: Path | None = None,
    data: Path | None = None,
    *,
    targets: tuple[str, ...] = TARGETS,
    load: str = DEFAULT_LOAD,
    force: bool = False,
) -> Exported:
    """Write a saved plan for other programs into `out`, None = `export` beside the plan; return what was written.

    load: expression of Prometheus for the requests per second that services see, by service. Raises UsageError for an unknown
    target, InputError for a conflict in place of a plan, what opening a plan raises, OutputError.
    """
    unknown = next((target for target in targets if target not in TARGETS), None)
    if unknown is not None:
        raise UsageError(f"there is no target {unknown}", hint=f"Targets: {', '.join(TARGETS)}.")
    saved = open_plan(folder, data)
    if saved.plan.proof.status is PlanStatus.INFEASIBLE:
        raise InputError(f"{folder}: this is a conflict and no plan; there is nothing to export", code="SP1115")
    rules = tuple(_shown(rule) for rule in parse_rules(saved.project.settings.check.rules))
    files = _files(watched(saved), rules, targets, load)
    target = out if out is not None else folder.parent / "export"
    record: dict[str, Json] = {
        "kind": EXPORT_FOLDER.kind,
        "schema_version": "1.0",
        "files": [name for name, _ in files],
        "targets": list(targets),
    }
    contents = tuple((name, text.encode("utf-8")) for name, text in (*files, (RECORD, serialized(record))))
    write_folder_whole(target, contents, EXPORT_FOLDER, force=force, inputs=saved.project.paths())
    return Exported(tuple(target / name for name, _ in files), left_out(rules))


def _files(plan: Watched, rules: tuple[Rule, ...], targets: tuple[str, ...], load: str) -> tuple[tuple[str, str], ...]:
    files: list[tuple[str, str]] = []
    if "prometheus" in targets:
        files.append((METRICS, prometheus_text(plan)))
        files.append((RULES, yaml.safe_dump(rules_form(plan, rules, load), sort_keys=False, allow_unicode=True, width=120)))
    if "grafana" in targets:
        files.append((DASHBOARD, serialized(dashboard_form(plan, rules))))
    return tuple(files)


def watched(saved: SavedPlan) -> Watched:
    """Return what is watched of a plan, its names without control characters."""
    problem = saved.problem
    return Watched(
        project=visible(problem.name),
        measures=tuple(_plain(measure) for measure in measured(saved.plan)),
        horizon_end_s=problem.grid.end_s,
        planned_rps=tuple((visible(demand.service), float(demand.peak_rps.max())) for demand in problem.demands),
    )


def watched_measures(project: str, measures: tuple[Measure, ...], until_s: int) -> Watched:
    """Return what is watched of measures of what lasts until an instant, their names without control characters."""
    return Watched(visible(project), tuple(_plain(measure) for measure in measures), until_s)


def _plain(measure: Measure) -> Measure:
    return replace(measure, labels=tuple((name, visible(value)) for name, value in measure.labels))


def _shown(rule: Rule) -> Rule:
    return replace(rule, text=visible(rule.text), labels=tuple((name, visible(value)) for name, value in rule.labels))
