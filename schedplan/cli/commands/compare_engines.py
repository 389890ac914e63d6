"""`schedplan compare-engines`: which scheduling engine fits a workload, by facts and by replays, each told apart."""

from __future__ import annotations

from typing import Annotated

import typer

from schedplan.cli import options
from schedplan.cli.call import Call
from schedplan.cli.frame import command

Engines = Annotated[
    str | None, typer.Option("--engines", metavar="A,B", help="Only these; `schedplan engines` lists them.", show_default=False)
]
Require = Annotated[
    str | None,
    typer.Option("--require", metavar="NAME,...", help="What an engine must have, such as gang,on-premises.", show_default=False),
]
Weights = Annotated[
    str | None,
    typer.Option(
        "--weights",
        metavar="NAME=FACTOR,...",
        help="Factors of dimensions or capabilities, such as cost=2,gang=3.",
        show_default=False,
    ),
]
Machine = Annotated[
    str | None,
    typer.Option("--machine", metavar="COUNTxSIZE", help="The nodes, such as 40x8gpu, or auto.", show_default=False),
]


@command(
    "schedplan compare-engines",
    "schedplan compare-engines data/jobs.parquet --machine 40x8gpu --require gang,on-premises",
    "schedplan compare-engines --engines volcano,kai,slurm --weights cost=2 --out engines.html",
)
def compare_engines(
    call: Call,
    data: options.Data = None,
    engines: Engines = None,
    require: Require = None,
    weights: Weights = None,
    machine: Machine = None,
) -> None:
    """Say which scheduling engine fits the workload: gates, fit by cited facts, and replays of its own jobs beside them."""
    from schedplan.workflows.compare_engines import compare_options, compare_project, save
    from schedplan.workflows.project import open_project
    from schedplan.workflows.report import report_form

    if call.out is not None:
        report_form(call.out)
    asked = compare_options(engines, require, weights, machine)
    place = call.place(data)
    settings = call.settings(place)
    with call.progress() as progress:
        progress("read")
        project = open_project(place, settings)
        compared = compare_project(project, asked, progress)
    if call.out is not None:
        save(compared, project, call.out, force=call.force)
        call.talk().note(f"report written to {call.out}")
    call.present(compared.document)
