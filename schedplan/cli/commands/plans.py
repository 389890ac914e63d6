"""What is asked of a saved plan: verify, explain, diff, report, export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from schedplan.cli import options
from schedplan.cli.call import Call
from schedplan.cli.exits import ExitStatus
from schedplan.cli.frame import command

PlanFolder = Annotated[Path | None, typer.Argument(metavar="PLAN", help="Folder of a plan; default runs/plan.", show_default=False)]
Before = Annotated[Path, typer.Argument(metavar="A", help="Folder of the earlier plan.")]
After = Annotated[Path, typer.Argument(metavar="B", help="Folder of the later plan.")]
Names = Annotated[
    list[str], typer.Argument(metavar="[PLAN] NAME", help="A job or service, after the plan's folder; or a code such as SP1003.")
]
BeforeData = Annotated[
    Path | None,
    typer.Option("--before-data", metavar="DIR", help="The inputs of A as they were, where not above it.", show_default=False),
]
AfterData = Annotated[
    Path | None,
    typer.Option("--after-data", metavar="DIR", help="The inputs of B, where they are not above it.", show_default=False),
]
WhyNot = Annotated[str | None, typer.Option("--why-not", metavar="NODE", help="Why not on this node or pool.", show_default=False)]

Targets = Annotated[
    list[str] | None,
    typer.Option("--to", metavar="NAME", help="prometheus or grafana; may be repeated. Default: both.", show_default=False),
]
Load = Annotated[
    str | None,
    typer.Option(
        "--load",
        metavar="EXPRESSION",
        help="Requests per second of services, by service, as Prometheus asks for them.",
        show_default=False,
    ),
]


def data_words(data: Path | None) -> tuple[str | Path, ...]:
    """Return the option that names the project of a plan, where one was given."""
    return () if data is None else ("--data", data)


@command("schedplan verify", "schedplan verify runs/plan -o json")
def verify(call: Call, plan: PlanFolder = None, data: options.DataFolder = None) -> ExitStatus:
    """Check a plan without a solver: every constraint, and every number recomputed from the tables."""
    from schedplan.workflows.verify import verify_plan

    folder = call.plan_folder(plan)
    found = verify_plan(folder, data)
    call.present(found.document)
    if found.findings:
        return ExitStatus.ANSWER_IS_NO
    call.talk().note(f"next: {call.line('report', folder, *data_words(data))}")
    return ExitStatus.DONE


@command(
    "schedplan explain nightly-training",
    "schedplan explain runs/plan nightly-training --why-not spot/03",
    "schedplan explain SP1003",
)
def explain(call: Call, names: Names, why_not: WhyNot = None, data: options.DataFolder = None) -> None:
    """Say why a job or service stands where it does, what else there was, or what a code means."""
    from schedplan.errors import UsageError
    from schedplan.workflows.explain import explain_code, explain_plan, is_code, nameless
    from schedplan.workflows.optimize import has_plan

    if len(names) > 2:
        raise UsageError("explain takes a plan and a name", hint="schedplan explain runs/plan NAME")
    if len(names) == 1 and is_code(names[0]):
        call.present(explain_code(names[0]))
        return
    if len(names) == 1 and has_plan(Path(names[0])):
        raise nameless(Path(names[0]))
    folder = call.plan_folder(Path(names[0]) if len(names) > 1 else None)
    call.present(explain_plan(folder, names[-1], why_not, data))


@command("schedplan diff runs/before runs/plan", "schedplan diff runs/before runs/plan --detailed-exitcode -o markdown")
def diff(
    call: Call,
    before: Before,
    after: After,
    before_data: BeforeData = None,
    after_data: AfterData = None,
    detailed_exitcode: options.DetailedExitcode = False,
) -> ExitStatus:
    """Say what differs from one plan to another, which inputs changed, and how much each of them explains."""
    from schedplan.workflows.diff import diff_plans

    found = diff_plans(before, after, before_data, after_data)
    call.present(found.document)
    call.talk().note(f"next: {call.line('check', *filter(None, (after_data,)), after, '--baseline', before)}")
    return ExitStatus.ANSWER_IS_NO if detailed_exitcode and not found.is_empty else ExitStatus.DONE


@command(
    "schedplan report",
    "schedplan report runs/plan --out plan.html",
    "schedplan report runs/plan --out plan.md",
    "schedplan report runs/simulation",
)
def report(call: Call, plan: PlanFolder = None, data: options.DataFolder = None) -> None:
    """Write a plan or a replay as one file that people open: HTML, Markdown or JSON by its ending."""
    from schedplan.cli.output import write_text
    from schedplan.workflows.report import report_plan

    path, _ = report_plan(call.plan_folder(plan), call.out, data, force=call.force)
    write_text(f"{path}\n")


@command(
    "schedplan export",
    "schedplan export runs/plan --to prometheus --out monitoring",
    "schedplan export --load 'sum by (service) (rate(requests_total[5m]))'",
)
def export(call: Call, plan: PlanFolder = None, to: Targets = None, load: Load = None, data: options.DataFolder = None) -> None:
    """Write a plan for other programs: measures and alerts of Prometheus, a dashboard of Grafana."""
    from schedplan.cli.output import write_text
    from schedplan.export.prometheus_rules import DEFAULT_LOAD
    from schedplan.workflows.export import TARGETS, export_plan

    done = export_plan(
        call.plan_folder(plan), call.out, data, targets=tuple(to or TARGETS), load=load or DEFAULT_LOAD, force=call.force
    )
    write_text("".join(f"{path}\n" for path in done.paths))
    for rule in done.left_out:
        call.talk().note(f"left out of the alerts, for it is about another plan: {rule}")
