"""What begins a project: init, schema, validate, ingest, readers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from schedplan.cli import options
from schedplan.cli.call import Call
from schedplan.cli.exits import ExitStatus
from schedplan.cli.frame import command

Folder = Annotated[Path, typer.Argument(metavar="[DIR]", help="Where to; it is made where it is missing.")]
SampleName = Annotated[str, typer.Option("--sample", metavar="NAME", help="Which example; `list` lists them.")]
TableName = Annotated[str | None, typer.Argument(metavar="[TABLE]", help="A table; all of them without.", show_default=False)]
FailOn = Annotated[options.FailOn, typer.Option("--fail-on", help="From which severity on to end with 1.")]
Sources = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[SRC...]", help="Files, folders, patterns; - reads what is piped in.", show_default=False),
]
Reader = Annotated[str, typer.Option("--from", metavar="READER", help="Which reader; auto looks at the file.")]
Zone = Annotated[str, typer.Option("--tz", metavar="ZONE", help="Time zone of times without an offset.")]
Renames = Annotated[
    list[str] | None,
    typer.Option("--map", metavar="COL=COL", help="Column of the file = column of the table; may be repeated.", show_default=False),
]


Delimiter = Annotated[
    str | None,
    typer.Option("--delimiter", metavar="SIGN", help="What separates fields: ';', '|', tab.", show_default=False),
]
Encoding = Annotated[str, typer.Option("--encoding", metavar="NAME", help="Encoding of a text, such as latin-1 or gb18030.")]
Units = Annotated[
    list[str] | None,
    typer.Option("--unit", metavar="COL=UNIT", help="Unit of a column, such as runtime_minutes=s.", show_default=False),
]
Live = Annotated[
    str | None,
    typer.Option(
        "--live",
        metavar="URL",
        help="A Prometheus that is asked, such as http://prometheus:9090.",
        show_default=False,
    ),
]
Queries = Annotated[
    list[str] | None,
    typer.Option(
        "--query",
        metavar="[NAME=]PROMQL",
        help="What it is asked, in place of the metrics that are known; may be repeated.",
        show_default=False,
    ),
]
Begin = Annotated[
    str | None,
    typer.Option("--begin", metavar="TIME", help="From when on.  [default: 24h before the end]", show_default=False),
]
End = Annotated[
    str | None,
    typer.Option("--end", metavar="TIME", help="Until when.  [default: now]", show_default=False),
]
Step = Annotated[str, typer.Option("--step", metavar="DURATION", help="Between two values of a series.")]
TokenFile = Annotated[
    Path | None,
    typer.Option(
        "--token-file",
        metavar="FILE",
        help="Holds the token; without it, the variable PROMETHEUS_TOKEN does.",
        show_default=False,
    ),
]
Timeout = Annotated[str, typer.Option("--timeout", metavar="DURATION", help="The longest wait for an answer.")]


@command("schedplan init", "schedplan init demo --sample three-nodes-1-1-2", "schedplan init --sample list")
def init(call: Call, folder: Folder = Path(), sample: SampleName = "ecommerce-day") -> None:
    """Copy a small runnable example into a folder."""
    from schedplan.workflows.init import init_project, samples_document

    if sample == "list":
        call.present(samples_document())
        return
    for path in init_project(folder, sample, force=call.force):
        call.talk().note(f"wrote {path}")
    call.talk().note(f"next: schedplan optimize {folder}")


@command("schedplan schema", "schedplan schema jobs", "schedplan schema nodes -o markdown")
def schema(call: Call, table: TableName = None) -> None:
    """Print the columns of a table: type, unit, default and meaning."""
    from schedplan.workflows.schema import schema_document

    call.present(schema_document(table))


@command("schedplan validate", "schedplan validate nodes.csv jobs.csv", "schedplan validate --fail-on warning -o json")
def validate(call: Call, data: options.Data = None, fail_on: FailOn = options.FailOn.ERROR) -> ExitStatus:
    """Say what is odd in the tables before anything is planned."""
    from schedplan.workflows.project import open_project
    from schedplan.workflows.validate import fails, validate_project, validation_document

    place = call.place(data)
    found = validate_project(open_project(place, call.settings(place)))
    call.present(validation_document(found))
    if fails(found, fail_on.value):
        return ExitStatus.ANSWER_IS_NO
    call.talk().note(f"next: {call.line('optimize', *(data or ()))}")
    return ExitStatus.DONE


@command(
    "schedplan ingest nodes.csv jobs.csv",
    "schedplan ingest philly.csv.gz --from philly --tz America/Los_Angeles --out data",
    "schedplan ingest export.csv --map name=job --map seconds=runtime_minutes --unit runtime_minutes=s --tz Asia/Shanghai",
    "kubectl get nodes,pods -A -o json | schedplan ingest -",
    "schedplan ingest --live http://prometheus:9090 --token-file token --begin 2026-11-23 --end 2026-11-30 --step 15m",
)
def ingest(
    call: Call,
    sources: Sources = None,
    reader: Reader = "auto",
    zone: Zone = "UTC",
    renames: Renames = None,
    units: Units = None,
    delimiter: Delimiter = None,
    encoding: Encoding = "utf-8",
    live: Live = None,
    queries: Queries = None,
    begin: Begin = None,
    end: End = None,
    step: Step = "5m",
    token_file: TokenFile = None,
    timeout: Timeout = "30s",
) -> None:
    """Turn files into canonical Parquet tables, with an account of every row."""
    from schedplan.workflows.ingest import DEFAULT_FOLDER, ingest_files, parse_form, parse_renames, parse_units
    from schedplan.workflows.live import LiveWords, live_source

    words = LiveWords(live, tuple(queries or ()), begin, end, step, token_file, timeout)
    source = live_source(words, has_files=bool(sources), reader=reader, timezone=zone, environ=os.environ)
    out = call.out or DEFAULT_FOLDER
    with call.progress() as progress:
        progress("read")
        _, document = ingest_files(
            tuple(sources or ()),
            out,
            timezone=zone,
            renames=parse_renames(tuple(renames or ())),
            reader=reader,
            force=call.force,
            form=parse_form(delimiter, encoding),
            units=parse_units(tuple(units or ())),
            tell=lambda path, n_rows: progress(f"read {path}: {n_rows:,} rows"),
            live=source,
        )
    call.present(document)
    call.talk().note(f"tables written to {out}; next: {call.line('validate', out)}")


@command("schedplan readers", "schedplan readers -o json")
def readers(call: Call) -> None:
    """List the readers: what each reads, and what it recognises a file by."""
    from schedplan.workflows.ingest import readers_document

    call.present(readers_document())
