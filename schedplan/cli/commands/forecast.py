"""`schedplan forecast`: every load over the horizon, with its quantiles and how its forecaster did."""

from __future__ import annotations

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
    typer.Option("--model", metavar="NAME", help="auto, sarima, seasonal-naive or naive.", show_default=False),
]
Season = Annotated[
    str | None, typer.Option("--season", metavar="DURATION,...", help="Seasons, such as 24h,168h.", show_default=False)
]
Only = Annotated[
    list[str] | None, typer.Option("--only", metavar="ID", help="Only this series; may be repeated.", show_default=False)
]


@command("schedplan forecast", "schedplan forecast load.csv --horizon 48h", "schedplan forecast samples/ecommerce-day -o json")
def forecast(
    call: Call,
    data: options.Data = None,
    horizon: Horizon = None,
    model: Model = None,
    season: Season = None,
    only: Only = None,
) -> None:
    """Forecast load with quantiles, judged on the past beside seasonal naive."""
    from schedplan.workflows.forecast import default_file, forecast_project, horizon_seconds, save
    from schedplan.workflows.project import open_project

    place = call.place(data)
    seasons = None if season is None else "[" + ", ".join(f'"{part.strip()}"' for part in season.split(",")) + "]"
    settings = call.settings(
        place, (*overrides_of("forecast.model", model, "--model"), *overrides_of("forecast.season", seasons, "--season"))
    )
    with call.progress() as progress:
        progress("read")
        project = open_project(place, settings)
        progress("forecast")
        found = forecast_project(project, horizon_seconds(horizon), tuple(only or ()))
    file = call.out or default_file(project)
    save(found, project, file, force=call.force)
    call.present(found.document)
    call.talk().note(f"forecast saved in {file}")
