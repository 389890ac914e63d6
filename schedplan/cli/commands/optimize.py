"""`schedplan optimize`: a plan of jobs and replicas on nodes and slots, with its proof."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from schedplan.cli import options
from schedplan.cli.call import Call
from schedplan.cli.exits import ExitStatus
from schedplan.cli.frame import command
from schedplan.config.override import overrides_of
from schedplan.errors import UsageError

if TYPE_CHECKING:
    from schedplan.workflows.optimize import Planned

Weights = Annotated[
    str | None,
    typer.Option("--weights", metavar="GOAL=W,...", help="Weights of latency, utilization, cost and carbon.", show_default=False),
]
Gap = Annotated[str | None, typer.Option("--gap", metavar="SHARE", help="Relative gap at which to stop.", show_default=False)]
TimeLimit = Annotated[
    str | None,
    typer.Option(
        "--time-limit",
        metavar="DURATION",
        help="A far safety stop for the search, such as 10m; it usually ends long before, by counted work.",
        show_default=False,
    ),
]
RequireOptimal = Annotated[bool, typer.Option("--require-optimal", help="End with 4 unless the plan is proven optimal.")]
Runtime = Annotated[
    float | None,
    typer.Option("--runtime", metavar="MINUTES", help="Run time of jobs that state neither it nor a limit.", show_default=False),
]
Lexicographic = Annotated[
    str | None,
    typer.Option("--lexicographic", metavar="GOAL,...", help="Goals one by one, each held at its best.", show_default=False),
]
Pareto = Annotated[
    int | None,
    typer.Option("--pareto", metavar="N", help="Also a front of N plans between two goals.", show_default=False),
]
ParetoGoals = Annotated[
    str | None,
    typer.Option(
        "--pareto-goals", metavar="GOAL,GOAL", help="The goals of the front; without it those of most weight.", show_default=False
    ),
]
Static = Annotated[
    bool,
    typer.Option("--static", help="Place everything at one instant: every job whatever its state and times, and no waiting."),
]

Pins = Annotated[
    Path | None,
    typer.Option(
        "--pin", metavar="FILE", help="A file of the table pins: decisions that the plan has to keep.", show_default=False
    ),
]

From = Annotated[
    Path | None,
    typer.Option(
        "--from", metavar="PLAN", help="An earlier plan to keep to: what moves against it has a price.", show_default=False
    ),
]

Preempt = Annotated[
    bool, typer.Option("--preempt", help="Let running jobs that are preemptible be stopped for waiting ones of a higher priority.")
]

MOST_MINUTES = 5_256_000
"""Ten years."""


@command(
    "schedplan optimize",
    "schedplan optimize nodes.csv jobs.csv --runtime 60",
    "schedplan optimize data --static",
    "schedplan optimize --lexicographic latency,cost",
    "schedplan optimize --pareto 10 --pareto-goals cost,carbon",
    "schedplan optimize samples/ecommerce-day --weights latency=.5,utilization=.3,cost=.2 -o json",
)
def optimize(
    call: Call,
    data: options.Data = None,
    weights: Weights = None,
    gap: Gap = None,
    time_limit: TimeLimit = None,
    require_optimal: RequireOptimal = False,
    runtime: Runtime = None,
    pin: Pins = None,
    earlier: From = None,
    preempt: Preempt = False,
    static: Static = False,
    lexicographic: Lexicographic = None,
    pareto: Pareto = None,
    pareto_goals: ParetoGoals = None,
) -> ExitStatus:
    """Plan which jobs and replicas run where and when, say how far from the best possible that is, and save the plan."""
    from schedplan.workflows.earlier import earlier_plan
    from schedplan.workflows.goals import AskedGoals, asked_goals
    from schedplan.workflows.optimize import (
        default_folder,
        front_folder,
        has_plan,
        interrupted_folder,
        plan_project,
        refuse_other_plan,
        save,
        solve_options,
        weight_overrides,
    )
    from schedplan.workflows.plan import data_option
    from schedplan.workflows.project import open_project
    from schedplan.workflows.static import plan_static

    _refuse_no_runtime(runtime)
    asked = asked_goals(lexicographic, pareto, pareto_goals)
    has_goals = asked != AskedGoals()
    has_others = weights is not None or runtime is not None or earlier is not None
    _refuse_together(static=static, preempt=preempt, has_goals=has_goals, has_others=has_others)
    place = call.place(data)
    extra = (*weight_overrides(weights), *overrides_of("solver.gap", gap, "--gap"))
    settings = call.settings(place, (*extra, *overrides_of("solver.time_limit", time_limit, "--time-limit")))
    with call.progress() as progress:
        progress("read")
        project = open_project(place, settings, pin)
        folder = call.out or default_folder(project)
        if call.out is None and not call.force:
            refuse_other_plan(project, folder)

        def keep(planned: Planned) -> None:
            beside = interrupted_folder(folder)
            save(planned, project, beside, force=call.force)
            call.talk().warn(f"interrupted: the best plan so far is kept in {beside}")

        before = None if earlier is None else earlier_plan(earlier)
        solving = solve_options(settings, require_optimal=require_optimal)
        planned = (
            plan_static(project, solving, watch=progress.watch, keep=keep)
            if static
            else plan_project(project, solving, runtime, before, asked, preempt=preempt, watch=progress.watch, keep=keep)
        )
    if planned.is_infeasible:
        call.present(planned.document)
        if has_plan(folder):
            call.talk().warn(f"no plan was saved; {folder} is still the earlier one")
        return ExitStatus.INFEASIBLE
    try:
        save(planned, project, folder, force=call.force)
    except (KeyboardInterrupt, SystemExit):
        keep(planned)
        raise
    call.present(planned.document)
    if planned.front:
        call.talk().note(f"the plans of the front saved in {front_folder(folder)}, one folder each")
    named = data_option(folder, planned.context, project.root)
    call.talk().note(f"plan saved in {folder}; next: schedplan report {folder}{named}, or schedplan explain {folder} NAME{named}")
    return ExitStatus.DONE


def _refuse_no_runtime(minutes: float | None) -> None:
    if minutes is not None and not 0 < minutes < MOST_MINUTES:
        raise UsageError(f"--runtime {minutes:g} is no length of a run", hint="Give minutes above 0, such as --runtime 90.")


def _refuse_together(*, static: bool, preempt: bool, has_goals: bool, has_others: bool) -> None:
    """Raise UsageError for options that have no say in one another."""
    if static and (preempt or has_goals or has_others):
        raise UsageError(
            "--static places as much as it can at one instant; --weights, --runtime, --from, --preempt, --lexicographic and"
            " --pareto have no say in it"
        )
    if preempt and has_goals:
        raise UsageError("--preempt tries sets of stopped jobs by the weights; --lexicographic and --pareto do not go with it")
