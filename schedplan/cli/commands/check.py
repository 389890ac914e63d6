"""`schedplan check`: the verdict of the rules on a plan, or whether a job fits, for people and for pipelines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from schedplan.cli import options
from schedplan.cli.call import Call
from schedplan.cli.exits import ExitStatus
from schedplan.cli.frame import command
from schedplan.cli.options import FailOn
from schedplan.errors import UsageError

if TYPE_CHECKING:
    from schedplan.workflows.check import Checked

Rules = Annotated[
    list[str] | None,
    typer.Option(
        "--rule",
        metavar="RULE",
        help='A rule such as "cost <= 61600", in place of the project\'s; may be repeated.',
        show_default=False,
    ),
]
Baseline = Annotated[
    Path | None, typer.Option("--baseline", metavar="PLAN", help="The plan that delta(...) counts from.", show_default=False)
]
Reports = Annotated[
    list[str] | None,
    typer.Option(
        "--report",
        metavar="FORM=FILE",
        help="Also write junit, sarif, github (annotations), summary (of a GitHub step), gitlab (code quality), markdown, json or"
        " html; - for standard output. May be repeated.",
        show_default=False,
    ),
]
Solve = Annotated[bool, typer.Option("--solve", help="Plan first, and save the plan where it is looked for, or at --out.")]
JobFile = Annotated[
    Path | None,
    typer.Option("--job", metavar="FILE", help="Ask only whether the jobs of a file fit into --snapshot.", show_default=False),
]
SnapshotFolder = Annotated[
    Path | None,
    typer.Option("--snapshot", metavar="DIR", help="Tables of what there is and what runs, as ingest writes.", show_default=False),
]
MaxAge = Annotated[
    str | None,
    typer.Option("--max-age", metavar="DURATION", help="Oldest the snapshot may be, such as 1h.", show_default=False),
]
Fail = Annotated[FailOn, typer.Option("--fail-on", help="End with 1 for broken rules that deny, also for warnings, or never.")]


@command(
    "schedplan check runs/plan",
    'schedplan check runs/plan --rule "cost <= 61600" --rule "utilization in 0.70..0.90 warn"',
    "schedplan check --solve --out runs/change --baseline runs/base --report junit=check.xml --report sarif=check.sarif",
    "schedplan check runs/plan --report github=- --report summary=$GITHUB_STEP_SUMMARY",
    "schedplan check --job job.csv --snapshot data --max-age 1h",
    "schedplan check load.csv runs/forecast.parquet",
)
def check(
    call: Call,
    data: options.Data = None,
    rule: Rules = None,
    baseline: Baseline = None,
    report: Reports = None,
    solve: Solve = False,
    job: JobFile = None,
    snapshot: SnapshotFolder = None,
    max_age: MaxAge = None,
    fail_on: Fail = FailOn.ERROR,
) -> ExitStatus:
    """Hold a plan against its constraints and against rules: 0 if all hold, 1 if one is broken, 2 if it could not be told."""
    from schedplan.cli.output import write_text
    from schedplan.errors import SchedplanError
    from schedplan.workflows.check_reports import report_targets, reported, reported_error

    targets = report_targets(tuple(report or ()))
    try:
        if job is not None or snapshot is not None or max_age is not None:
            _refuse_beside_job(data, rule, baseline, is_solving=solve)
            checked = _fit(call, job, snapshot, max_age)
        else:
            checked = _rules(call, data, tuple(rule or ()), baseline, is_solving=solve)
    except SchedplanError as error:
        for target in targets:
            write_text(reported_error(error, target, force=call.force) or "")
        raise
    to_stdout = [text for target in targets if (text := reported(checked, target, force=call.force)) is not None]
    for text in to_stdout:
        write_text(text)
    if not to_stdout:
        call.present(checked.document)
    _suggest(call, checked)
    return _status(checked, fail_on)


def _suggest(call: Call, checked: Checked) -> None:
    """Say the next useful command where a rule is broken: what a code means."""
    broken = (*checked.verdict.denials, *checked.verdict.warnings)
    codes = list(dict.fromkeys(item.code for item in broken if item.code))
    if codes:
        call.talk().note(f"next: {call.line('explain', codes[0])} says what {codes[0]} means")


def _status(checked: Checked, fail_on: FailOn) -> ExitStatus:
    verdict = checked.verdict
    counted = {
        FailOn.ERROR: len(verdict.denials),
        FailOn.WARNING: len(verdict.denials) + len(verdict.warnings),
        FailOn.NEVER: 0,
    }
    return ExitStatus.ANSWER_IS_NO if counted[fail_on] else ExitStatus.DONE


def _rules(call: Call, data: list[Path] | None, rules: tuple[str, ...], baseline: Path | None, *, is_solving: bool) -> Checked:
    from schedplan.workflows.check import check_forecast, check_plan, split_data
    from schedplan.workflows.project import open_project

    if is_solving:
        return _solved(call, data, rules, baseline)
    folder, project = split_data(tuple(data or ()))
    place = call.place([] if project is None else [project])
    settings = call.settings(place)
    plan = folder or call.plan_folder(None, project)
    if plan.is_file():
        return check_forecast(plan, open_project(place, settings), rules=rules)
    is_asked = settings.file is not None or call.overrides() != ()
    return check_plan(plan, settings if is_asked else None, rules=rules, baseline=baseline, data=project)


def _solved(call: Call, data: list[Path] | None, rules: tuple[str, ...], baseline: Path | None) -> Checked:
    """Plan a project, save the plan, and return the verdict on it; where no plan is possible, nothing is saved."""
    from schedplan.workflows.check import check_solved
    from schedplan.workflows.project import open_project

    place = call.place(data)
    settings = call.settings(place)
    with call.progress() as progress:
        progress("read")
        return check_solved(
            open_project(place, settings), call.out, rules=rules, baseline=baseline, force=call.force, watch=progress.watch
        )


def _fit(call: Call, job: Path | None, snapshot: Path | None, max_age: str | None) -> Checked:
    import os
    import time

    from schedplan.units import QuantityError, parse_duration_s
    from schedplan.workflows.fit_check import check_fit
    from schedplan.workflows.project import open_project

    if job is None or snapshot is None:
        raise UsageError("--job and --snapshot go together", hint="schedplan check --job job.csv --snapshot data")
    try:
        max_age_s = None if max_age is None else parse_duration_s(max_age)
    except QuantityError as problem:
        raise UsageError(f"--max-age {max_age!r} is not {problem}") from None
    place = call.place([snapshot])
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now_s = int(epoch) if epoch.isdecimal() and epoch.isascii() else int(time.time())
    return check_fit(job, open_project(place, call.settings(place)), now_s=now_s, max_age_s=max_age_s)


def _refuse_beside_job(data: list[Path] | None, rules: list[str] | None, baseline: Path | None, *, is_solving: bool) -> None:
    if data or rules or baseline is not None or is_solving:
        raise UsageError(
            "--job asks only whether a job fits; DATA, --rule, --baseline and --solve have no say in it",
            hint="schedplan check --job job.csv --snapshot data",
        )
