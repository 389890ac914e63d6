"""`schedplan engines`: what is known of scheduling engines, each fact with its source and its day."""

from __future__ import annotations

from typing import Annotated

import typer

from schedplan.cli.call import Call
from schedplan.cli.frame import command

EngineName = Annotated[str | None, typer.Argument(metavar="[NAME]", help="An engine; the list without.", show_default=False)]


@command("schedplan engines", "schedplan engines volcano", "schedplan engines slurm -o json")
def engines(call: Call, name: EngineName = None) -> None:
    """Print what a scheduling engine can do, with source and date of each fact."""
    from schedplan.workflows.engines import engines_known

    call.present(engines_known(name))
