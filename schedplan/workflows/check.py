"""Check: a plan is held against its own constraints first, then against the rules of a project; a replay against the rules."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from schedplan.check.rules import Level, Rule, parse_rules
from schedplan.check.verdict import Verdict, VerdictItem, judge
from schedplan.config.settings import Settings
from schedplan.errors import ConfigError, InputError, SchedplanError, UsageError
from schedplan.model.findings import Finding, Measure
from schedplan.model.plan import Plan, PlanStatus
from schedplan.report.document import Document
from schedplan.report.junit import junit_error_text, junit_text
from schedplan.report.verdict_document import verdict_document
from schedplan.tables.artefact_folder import write_text_whole
from schedplan.tables.artefact_forecast import is_forecast
from schedplan.tables.artefact_simulation import is_simulation, read_simulation
from schedplan.tables.artefacts import PLAN_FOLDER, read_plan
from schedplan.workflows.drift import drift_measures, drift_words, drifts, forecast_rules
from schedplan.workflows.plan import open_plan
from schedplan.workflows.project import Project
from schedplan.workflows.report import ReportForm, report_mark, report_text
from schedplan.workflows.simulation import open_simulation
from schedplan.workflows.verify import verify

REPORT_FORMS = ("junit", "markdown")
_MARKS = {"junit": '<testsuites name="schedplan check"', "markdown": report_mark(ReportForm.MARKDOWN)}


@dataclass(frozen=True)
class Checked:
    """A verdict with its document. held: what was verified besides the rules, and holds."""

    verdict: Verdict
    document: Document
    held: tuple[str, ...] = ()


def check_plan(
    folder: Path,
    settings: Settings | None = None,
    *,
    rules: tuple[str, ...] = (),
    baseline: Path | None = None,
    data: Path | None = None,
) -> Checked:
    """Return the verdict on a saved plan, or on a saved replay by its measures.

    Limits and rules are those of `settings` where given, else those of the plan's own project as it stands now; `rules` replace
    the rules of either. Raises ConfigError where there is no rule, InputError for a conflict in place of a plan, StalePlanError.
    """
    if is_simulation(folder):
        return _check_simulation(folder, rules or (() if settings is None else settings.check.rules), baseline, data)
    saved = open_plan(folder, data, limits=None if settings is None else settings.limits)
    parsed = _parsed(rules or (settings or saved.project.settings).check.rules)
    if saved.plan.proof.status is PlanStatus.INFEASIBLE:
        raise InputError(f"{folder}: this is a conflict and no plan; there is nothing to measure", code="SP1115")
    earlier = _measured_at(baseline) if baseline is not None else None
    broken = tuple(_item(finding) for finding in verify(saved))
    verdict = Verdict((*broken, *judge(parsed, measured(saved.plan), earlier).items))
    held = () if broken else ("verify: every constraint holds",)
    return Checked(verdict, verdict_document(verdict, timezone=saved.problem.timezone), held)


def check_forecast(file: Path, project: Project, *, rules: tuple[str, ...] = ()) -> Checked:
    """Return the verdict on a saved forecast, by the load of the project that came since.

    Without rules here and without rules on forecasts in the project, the usual ones: a closed breaker; a warning where it drifts.
    Raises InputError where none of the load has come yet.
    """
    settings = project.settings
    found = drifts(file, project)
    verdict = judge(parse_rules(forecast_rules(rules, settings)), drift_measures(found), None)
    return Checked(verdict, verdict_document(verdict, timezone=settings.project.timezone, notes=drift_words(found)))


def _check_simulation(folder: Path, texts: tuple[str, ...], baseline: Path | None, data: Path | None) -> Checked:
    parsed = _parsed(texts)
    record = open_simulation(folder, data)
    verdict = judge(parsed, record.measures, _measured_at(baseline) if baseline is not None else None)
    return Checked(verdict, verdict_document(verdict, timezone=record.timezone))


def _parsed(texts: tuple[str, ...]) -> tuple[Rule, ...]:
    if not texts:
        hint = 'Give [check] rules = ["cost <= 1000"] in schedplan.toml, or --rule "cost <= 1000".'
        raise ConfigError("there is no rule to check by", code="SP2003", hint=hint)
    return parse_rules(texts)


def _measured_at(folder: Path) -> tuple[Measure, ...]:
    """Return the measures of a saved plan or replay, whatever has become of its inputs."""
    return read_simulation(folder).measures if is_simulation(folder) else measured(read_plan(folder)[0])


@dataclass(frozen=True, slots=True)
class ReportTarget:
    """A form in which the verdict is also written, and where; path None = standard output."""

    form: str
    path: Path | None


def report_targets(texts: tuple[str, ...]) -> tuple[ReportTarget, ...]:
    """Return what each `FORM=FILE` says; UsageError for another form."""
    found = []
    for text in texts:
        form, equals, file = text.partition("=")
        if form not in REPORT_FORMS or not equals or not file:
            raise UsageError(
                f"--report {text!r} is no FORM=FILE", hint=f"Forms: {', '.join(REPORT_FORMS)}; FILE - is standard output."
            )
        found.append(ReportTarget(form, None if file == "-" else Path(file)))
    return tuple(found)


def reported(checked: Checked, target: ReportTarget, *, force: bool = False) -> str | None:
    """Write the verdict to a target's file, or return its text where it goes to standard output.

    An earlier report of the same form is replaced, anything else only with `force`. Raises OutputError.
    """
    is_junit = target.form == "junit"
    text = junit_text(checked.verdict, held=checked.held) if is_junit else report_text(checked.document, ReportForm.MARKDOWN)
    return _put(text, target, force)


def reported_error(error: SchedplanError, target: ReportTarget, *, force: bool = False) -> str | None:
    """Write why there is no verdict where JUnit was asked for, or return its text for standard output; other forms stay away."""
    return _put(junit_error_text("check", error.message, error.code), target, force) if target.form == "junit" else None


def _put(text: str, target: ReportTarget, force: bool) -> str | None:
    if target.path is None:
        return text
    write_text_whole(target.path, text, mark=_MARKS[target.form], force=force)
    return None


def split_data(data: tuple[Path, ...]) -> tuple[Path | None, Path | None]:
    """Return (folder of a plan or replay, or file of a forecast; project) among what DATA names.

    A folder with a plan.json or simulate.json is the one, and so is a Parquet file that `forecast` wrote.
    """
    plans = tuple(path for path in data if (path / PLAN_FOLDER.record).is_file() or is_simulation(path) or is_forecast(path))
    rest = tuple(path for path in data if path not in plans)
    if len(plans) > 1 or len(rest) > 1:
        raise UsageError("check takes one project and one plan", hint="schedplan check [PROJECT] [PLAN]")
    return (plans[0] if plans else None), (rest[0] if rest else None)


def measured(plan: Plan) -> tuple[Measure, ...]:
    """Return the measures of a plan with those of its proof."""
    return (*plan.measures, Measure("gap", plan.proof.gap, "share"), Measure("gap_avoidable", plan.proof.gap_avoidable, "share"))


def _item(finding: Finding) -> VerdictItem:
    """Return a constraint that does not hold as a broken rule."""
    return VerdictItem(
        rule=f"verify: {finding.subject}",
        level=Level.DENY,
        passed=False,
        measure="verify",
        labels=(),
        value=None,
        limit=0.0,
        upper=None,
        unit="",
        margin=None,
        message=finding.message,
        code=finding.code,
    )
