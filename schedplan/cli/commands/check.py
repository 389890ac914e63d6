"""`schedplan check`: the verdict of the rules on a plan, for people and for pipelines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from schedplan.cli import options
from schedplan.cli.call import Call
from schedplan.cli.exits import ExitStatus
from schedplan.cli.frame import command

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
        "--report", metavar="FORM=FILE", help="Also write junit=FILE or markdown=FILE; - for standard output.", show_default=False
    ),
]


@command(
    "schedplan check",
    'schedplan check runs/plan --rule "cost <= 61600" --rule "utilization in 0.70..0.90 warn"',
    "schedplan check runs/plan --report junit=check.xml --report markdown=-",
    "schedplan check load.csv runs/forecast.parquet",
)
def check(
    call: Call,
    data: options.Data = None,
    rule: Rules = None,
    baseline: Baseline = None,
    report: Reports = None,
) -> ExitStatus:
    """Hold a plan against its constraints and against rules: 0 if all hold, 1 if one is broken, 2 if it could not be told."""
    from schedplan.cli.output import write_text
    from schedplan.errors import SchedplanError
    from schedplan.workflows.check import check_forecast, check_plan, report_targets, reported, reported_error, split_data
    from schedplan.workflows.project import open_project

    targets = report_targets(tuple(report or ()))
    try:
        folder, project = split_data(tuple(data or ()))
        place = call.place([] if project is None else [project])
        settings = call.settings(place)
        plan = folder or call.plan_folder(None, project)
        if plan.is_file():
            checked = check_forecast(plan, open_project(place, settings), rules=tuple(rule or ()))
        else:
            is_asked = settings.file is not None or call.overrides() != ()
            checked = check_plan(plan, settings if is_asked else None, rules=tuple(rule or ()), baseline=baseline, data=project)
    except SchedplanError as error:
        for target in targets:
            write_text(reported_error(error, target, force=call.force) or "")
        raise
    to_stdout = [text for target in targets if (text := reported(checked, target, force=call.force)) is not None]
    for text in to_stdout:
        write_text(text)
    if not to_stdout:
        call.present(checked.document)
    return ExitStatus.DONE if checked.verdict.passed else ExitStatus.ANSWER_IS_NO
