"""`schedplan compare-engines`: which scheduling engine fits a workload, by facts and by replays, each told apart."""

from __future__ import annotations

from dataclasses import replace
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
Presets = Annotated[
    str | None,
    typer.Option("--presets", metavar="A,B", help="Replay only these of default and tuned.", show_default=False),
]
Machine = Annotated[
    str | None,
    typer.Option("--machine", metavar="COUNTxSIZE", help="The nodes, such as 40x8gpu, or auto.", show_default=False),
]


@command(
    "schedplan compare-engines",
    "schedplan compare-engines data/jobs.parquet --machine 40x8gpu --require gang,on-premises",
    "schedplan compare-engines --engines volcano,kai,slurm --weights cost=2 --out engines.html",
    "schedplan compare-engines --engines volcano --set volcano.binpack.gpu=10",
)
def compare_engines(
    call: Call,
    data: options.Data = None,
    engines: Engines = None,
    require: Require = None,
    weights: Weights = None,
    presets: Presets = None,
    machine: Machine = None,
) -> None:
    """Say which scheduling engine fits the workload: gates, fit by cited facts, and replays of its own jobs beside them."""
    from schedplan.workflows.compare_engines import compare_options, compare_project, save
    from schedplan.workflows.project import open_project
    from schedplan.workflows.report import report_form

    if call.out is not None:
        report_form(call.out)
    call, assigned = _with_parameters_apart(call)
    asked = compare_options(engines, require, weights, machine, presets, assigned)
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


def _with_parameters_apart(call: Call) -> tuple[Call, list[tuple[str, str]]]:
    """Return the call with what its --set says of the project file, and (path, value) of what it says of engines."""
    from schedplan.config.inputs import INPUT_TABLES
    from schedplan.config.keys import is_section

    project, engines = [], []
    for text in call.assignments:
        key, _, value = text.partition("=")
        section = key.partition(".")[0].strip()
        if "." in key and '"' not in key and not is_section((section,)) and section not in INPUT_TABLES:
            engines.append((key.strip(), value))
        else:
            project.append(text)
    return replace(call, assignments=tuple(project)), engines
