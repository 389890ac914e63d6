"""Check: a plan is held against its own constraints first, then against the rules of a project; a replay against the rules."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from schedplan.check.place import Place, Places
from schedplan.check.rules import Level, Rule, parse_rules
from schedplan.check.verdict import Verdict, VerdictItem, judge
from schedplan.config.settings import Settings
from schedplan.errors import ConfigError, UsageError
from schedplan.model.findings import Finding, Measure
from schedplan.model.plan import Plan, PlanStatus
from schedplan.model.problem import Problem
from schedplan.model.progress import Watch, unwatched
from schedplan.report.document import Document
from schedplan.report.figures import written_money
from schedplan.report.verdict_document import verdict_document
from schedplan.tables.artefact_forecast import is_forecast
from schedplan.tables.artefact_simulation import RECORD, is_simulation, read_simulation
from schedplan.tables.artefacts import PLAN_FOLDER, read_plan
from schedplan.workflows.check_lint import Lint
from schedplan.workflows.drift import drift_measures, drift_words, drifts, forecast_rules
from schedplan.workflows.optimize import default_folder, plan_project, save, solve_options
from schedplan.workflows.plan import open_plan
from schedplan.workflows.project import Project
from schedplan.workflows.simulation import open_simulation
from schedplan.workflows.verify import verify

NO_PLAN = "SP5007"
LEFT_OUT = ("unplaced", "deadline_hits", "gang_start_rate")
"""Measures that a repair of work left out would mend."""


@dataclass(frozen=True)
class Checked:
    """A verdict with its document. places: where its rules stand; held: what was verified besides the rules, and holds."""

    verdict: Verdict
    document: Document
    places: Places
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
        return _check_simulation(folder, rules, settings, baseline, data)
    saved = open_plan(folder, data, limits=None if settings is None else settings.limits)
    parsed = _parsed(rules or (settings or saved.project.settings).check.rules)
    places = _places(folder / PLAN_FOLDER.record, None if rules else (settings or saved.project.settings))
    if saved.plan.proof.status is PlanStatus.INFEASIBLE:
        return check_conflict(saved.problem, saved.plan, places)
    earlier = _measured_at(baseline) if baseline is not None else None
    broken = tuple(_item(finding) for finding in verify(saved))
    lint = Lint.of(saved.project, parsed)
    verdict = Verdict((*broken, *_verdict(saved.plan, saved.problem, parsed, earlier, lint).items))
    held = () if broken else ("verify: every constraint holds",)
    return Checked(verdict, verdict_document(verdict, timezone=saved.problem.timezone), places, held)


def check_solved(
    project: Project,
    folder: Path | None = None,
    *,
    rules: tuple[str, ...] = (),
    baseline: Path | None = None,
    force: bool = False,
    watch: Watch = unwatched,
) -> Checked:
    """Plan a project, save the plan in `folder` (None: where plans of the project are saved), and return the verdict on it.

    Where no plan is possible nothing is saved, and that is the verdict. Raises what planning raises, OutputError.
    """
    settings = project.settings
    parsed = _parsed(rules or settings.check.rules)
    target = folder if folder is not None else default_folder(project)
    planned = plan_project(project, solve_options(settings), watch=watch)
    if planned.is_infeasible:
        return check_conflict(planned.prepared.problem, planned.plan, Places(Place(_shown(settings.file or target))))
    earlier = _measured_at(baseline) if baseline is not None else None
    save(planned, project, target, force=force)
    verdict = _verdict(planned.plan, planned.prepared.problem, parsed, earlier, Lint.of(project, parsed))
    places = _places(target / PLAN_FOLDER.record, None if rules else settings)
    return Checked(verdict, verdict_document(verdict, timezone=planned.prepared.problem.timezone), places)


def check_conflict(problem: Problem, plan: Plan, places: Places) -> Checked:
    """Return the verdict where no plan is possible: the rules that exclude one another, and the cheapest change that helps."""
    told = "; ".join(f"{item.rule} of {item.subject}: {item.evidence}" for item in plan.proof.conflict)
    hint = ""
    if plan.proof.repairs:
        first = plan.proof.repairs[0]
        hint = f"Cheapest repair: {first.change}{_priced(first.cost, problem.currency)}."
    message = (
        f"no plan meets every rule of the inputs at once ({told})" if told else "no plan meets every rule of the inputs at once"
    )
    verdict = Verdict((_broken("a plan is possible", "plan", message, NO_PLAN, hint),))
    return Checked(verdict, verdict_document(verdict, timezone=problem.timezone), places)


def _verdict(plan: Plan, problem: Problem, rules: tuple[Rule, ...], baseline: tuple[Measure, ...] | None, lint: Lint) -> Verdict:
    judged = judge(rules, (*measured(plan), *lint.measures()), baseline)
    return Verdict(tuple(lint.told(_with_repair(item, plan, problem.currency)) for item in judged.items))


def check_forecast(file: Path, project: Project, *, rules: tuple[str, ...] = ()) -> Checked:
    """Return the verdict on a saved forecast, by the load of the project that came since.

    Without rules here and without rules on forecasts in the project, the usual ones: a closed breaker; a warning where it drifts.
    Raises InputError where none of the load has come yet.
    """
    settings = project.settings
    found = drifts(file, project)
    verdict = judge(parse_rules(forecast_rules(rules, settings)), drift_measures(found), None)
    document = verdict_document(verdict, timezone=settings.project.timezone, notes=drift_words(found))
    return Checked(verdict, document, _places(file, None if rules else settings))


def _check_simulation(
    folder: Path, rules: tuple[str, ...], settings: Settings | None, baseline: Path | None, data: Path | None
) -> Checked:
    parsed = _parsed(rules or (() if settings is None else settings.check.rules))
    record = open_simulation(folder, data)
    verdict = judge(parsed, record.measures, _measured_at(baseline) if baseline is not None else None)
    document = verdict_document(verdict, timezone=record.timezone)
    return Checked(verdict, document, _places(folder / RECORD, None if rules else settings))


def _parsed(texts: tuple[str, ...]) -> tuple[Rule, ...]:
    if not texts:
        hint = 'Give [check] rules = ["cost <= 1000"] in schedplan.toml, or --rule "cost <= 1000".'
        raise ConfigError("there is no rule to check by", code="SP2003", hint=hint)
    return parse_rules(texts)


def _measured_at(folder: Path) -> tuple[Measure, ...]:
    """Return the measures of a saved plan or replay, whatever has become of its inputs."""
    return read_simulation(folder).measures if is_simulation(folder) else measured(read_plan(folder)[0])


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
    return _broken(f"verify: {finding.subject}", "verify", finding.message, finding.code, finding.hint or "")


def _broken(rule: str, measure: str, message: str, code: str, hint: str) -> VerdictItem:
    """Return a rule without numbers that does not hold."""
    return VerdictItem(
        rule=rule,
        level=Level.DENY,
        passed=False,
        measure=measure,
        labels=(),
        value=None,
        limit=0.0,
        upper=None,
        unit="",
        margin=None,
        message=message,
        code=code,
        hint=hint,
    )


def _with_repair(item: VerdictItem, plan: Plan, currency: str) -> VerdictItem:
    """Say the cheapest repair where a rule is broken by work that was left out."""
    rows = [row for row in plan.unplaced if row.repair]
    if item.passed or item.measure not in LEFT_OUT or not rows:
        return item
    first = min(rows, key=lambda row: (row.repair_cost is None, row.repair_cost or 0.0, row.name))
    hint = (
        f"Cheapest repair: {first.repair}{_priced(first.repair_cost, currency)}, for {first.kind} {first.name} ({first.evidence})."
    )
    return replace(item, hint=hint)


def _priced(cost: float | None, currency: str) -> str:
    return "" if cost is None else f", {written_money(cost)} {currency}"


def _places(otherwise: Path, settings: Settings | None) -> Places:
    """Return where rules are shown. settings: whose rules they are, None where they come from the command line."""
    shown = Place(_shown(otherwise))
    if settings is None or settings.file is None:
        return Places(shown)
    return Places(shown, (_shown(settings.file), settings.file.read_text("utf-8")))


def _shown(path: Path) -> str:
    """Return a path relative to the working directory where it lies below it, with `/`."""
    absolute, here = path.absolute(), Path.cwd()
    normal = Path(os.path.normpath(absolute))
    return normal.relative_to(here).as_posix() if normal.is_relative_to(here) else normal.as_posix()
