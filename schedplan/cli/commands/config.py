"""`schedplan config`: the settings in force, with what each file, variable and flag did to them."""

from __future__ import annotations

from typing import Annotated

import typer

from schedplan.cli import options
from schedplan.cli.call import Call
from schedplan.cli.frame import command

Origin = Annotated[bool, typer.Option("--origin", help="Show where each value came from.")]


@command("schedplan config show", "schedplan config show --origin", "schedplan config show -o json samples/ecommerce-day")
def show(call: Call, data: options.Data = None, origin: Origin = False) -> None:
    """Print every setting: flags before SCHEDPLAN_* variables before the project file before defaults."""
    from schedplan.workflows.config import settings_document

    call.present(settings_document(call.settings(call.place(data)), has_origins=origin))
