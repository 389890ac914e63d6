"""`schedplan forecast`: every load over the horizon, or the demand of jobs, with quantiles and how the forecaster did."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from schedplan.cli import options
from schedplan.cli.call import Call
from schedplan.cli.frame import command
from schedplan.config.override import overrides_of

Horizon = Annotated[
    str | None, typer.Option("--horizon", metavar="DURATION", help="How far, such as 24h or 7d.", show_default=False)
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model", metavar="NAME", help="auto, sarima, ets, theta, seasonal-naive, naive or a plug-in.", show_default=False
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="What estimates a SARIMA: css, statsmodels (exact likelihood) or fourier.",
        show_default=False,
    ),
]
Season = Annotated[
    str | None, typer.Option("--season", metavar="DURATION,...", help="Seasons, such as 24h,168h.", show_default=False)
]
Levels = Annotated[str | None, typer.Option("--levels", metavar="PERCENT,...", help="Bands, such as 80,95.", show_default=False)]
Only = Annotated[
    list[str] | None, typer.Option("--only", metavar="ID", help="Only this series; may be repeated.", show_default=False)
]


class By(Enum):
    """By what the demand of jobs is grouped; the names are those of forecast.job_demand."""

    TOTAL = "total"
    TENANT = "tenant"
    ACCELERATOR = "accelerator"
    KIND = "kind"


Group = Annotated[
    By | None,
    typer.Option(
        "--by", help="Demand of devices derived from jobs, one series each; without load it is the total.", show_default=False
    ),
]
Freq = Annotated[
    str | None,
    typer.Option(
        "--freq",
        metavar="DURATION",
        help="Intervals, such as 15m, that load is put together to; of the demand of jobs 1h without.",
        show_default=False,
    ),
]


class Together(Enum):
    """How rows of one interval are put together; the names are those of tables.regrid."""

    SUM = "sum"
    MEAN = "mean"
    MAX = "max"
    LAST = "last"


Agg = Annotated[
    Together | None,
    typer.Option(
        "--agg",
        help="How rows of one interval are put together, also where a time repeats; --freq alone takes the mean.",
        show_default=False,
    ),
]
Exog = Annotated[
    Path | None,
    typer.Option(
        "--exog", metavar="FILE", help="A file of the table events: what is known in advance to move load.", show_default=False
    ),
]
Backtest = Annotated[
    int | None,
    typer.Option("--backtest", metavar="N", help="Judge from N origins on the past at most; 84 without.", show_default=False),
]
Total = Annotated[bool, typer.Option("--total", help="Forecast the sum of the series, too: quantiles of the parts do not add up.")]
Runtimes = Annotated[
    bool,
    typer.Option("--runtimes", help="Estimate how long open jobs run, from like jobs that ended, in place of any load."),
]
DECISION = "Decision backtest"
Decision = Annotated[
    bool,
    typer.Option(
        "--decision",
        help="Tell what each model and quantile would have made a planner buy, beside perfect hindsight.",
        rich_help_panel=DECISION,
    ),
]
Startup = Annotated[
    str | None,
    typer.Option(
        "--startup",
        metavar="DURATION",
        help="From the order of a device to its service; without, as the project says.",
        rich_help_panel=DECISION,
        show_default=False,
    ),
]
Replan = Annotated[
    str | None,
    typer.Option(
        "--replan",
        metavar="DURATION",
        help="How often devices are ordered; without, six times a season.",
        rich_help_panel=DECISION,
        show_default=False,
    ),
]
PerDevice = Annotated[
    str | None,
    typer.Option(
        "--per-device",
        metavar="LOAD",
        help="What one device carries, where no service says so.",
        rich_help_panel=DECISION,
        show_default=False,
    ),
]


@command(
    "schedplan forecast",
    "schedplan forecast load.csv --horizon 48h",
    "schedplan forecast samples.csv --freq 1h --agg sum",
    "schedplan forecast jobs.parquet --by tenant --freq 1h",
    "schedplan forecast samples/ecommerce-day --decision --startup 15m",
    "schedplan forecast log --runtimes",
    "schedplan forecast load.csv --out forecast.html",
    "schedplan forecast samples/ecommerce-day -o json",
)
def forecast(
    call: Call,
    data: options.Data = None,
    horizon: Horizon = None,
    model: Model = None,
    engine: Engine = None,
    season: Season = None,
    levels: Levels = None,
    only: Only = None,
    by: Group = None,
    freq: Freq = None,
    agg: Agg = None,
    exog: Exog = None,
    backtest: Backtest = None,
    total: Total = False,
    runtimes: Runtimes = False,
    decision: Decision = False,
    startup: Startup = None,
    replan: Replan = None,
    per_device: PerDevice = None,
) -> None:
    """Forecast load, or the devices that jobs hold, with quantiles, judged on the past beside seasonal naive."""
    from schedplan.forecast.job_demand import Grouping
    from schedplan.workflows.forecast import decision_asked, default_file, forecast_project, horizon_seconds, is_report, save
    from schedplan.workflows.project import open_project
    from schedplan.workflows.report import report_form, write_document
    from schedplan.workflows.runtimes import estimate_runtimes

    if call.out is not None:
        report_form(call.out) if runtimes else is_report(call.out)

    place = call.place(data)
    judged_by = decision_asked(decision, startup, replan, per_device)
    seasons = None if season is None else "[" + ", ".join(f'"{part.strip()}"' for part in season.split(",")) + "]"
    settings = call.settings(
        place,
        (
            *overrides_of("forecast.model", model, "--model"),
            *overrides_of("forecast.engine", engine, "--engine"),
            *overrides_of("forecast.season", seasons, "--season"),
            *overrides_of("forecast.levels", levels, "--levels"),
            *overrides_of("forecast.freq", freq, "--freq"),
            *overrides_of("forecast.agg", None if agg is None else agg.value, "--agg"),
            *overrides_of("forecast.backtest", backtest, "--backtest"),
        ),
    )
    with call.progress() as progress:
        progress("read")
        project = open_project(place, settings, events=exog)
        progress("forecast")
        if runtimes:
            document = estimate_runtimes(project)
            if call.out is not None:
                write_document(document, call.out, force=call.force, inputs=project.paths())
            call.present(document)
            return
        found = forecast_project(
            project, horizon_seconds(horizon), tuple(only or ()), None if by is None else Grouping(by.value), judged_by, total
        )
    file = call.out or default_file(project)
    save(found, project, file, force=call.force)
    call.present(found.document)
    call.talk().note(f"forecast saved in {file}")
