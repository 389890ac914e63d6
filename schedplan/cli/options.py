"""Every option that more than one command has, each defined once. It knows names, help and grammar, not what is done with them."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

EVERYWHERE = "Everywhere"


class OutputForm(Enum):
    """How a result is written to standard output."""

    TABLE = "table"
    WIDE = "wide"
    JSON = "json"
    YAML = "yaml"
    CSV = "csv"
    MARKDOWN = "markdown"


class Color(Enum):
    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class ProgressForm(Enum):
    AUTO = "auto"
    PLAIN = "plain"
    OFF = "off"


class LogForm(Enum):
    TEXT = "text"
    JSON = "json"


class FailOn(Enum):
    ERROR = "error"
    WARNING = "warning"
    NEVER = "never"


def _show_version(is_asked: bool) -> None:
    if is_asked:
        from schedplan import __version__

        typer.echo(f"schedplan {__version__}")
        raise typer.Exit


Data = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="DATA",
        help="A project folder or schedplan.toml, a folder of tables, or single tables. None: the nearest schedplan.toml upward.",
        show_default=False,
    ),
]
DataFolder = Annotated[
    Path | None,
    typer.Option("--data", metavar="DIR", help="The project of the plan, where it is not above it.", show_default=False),
]
DetailedExitcode = Annotated[bool, typer.Option("--detailed-exitcode", help="End with 1 where there is a difference.")]
Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        "-C",
        metavar="FILE",
        envvar="SCHEDPLAN_CONFIG",
        help="The project file, in place of the nearest schedplan.toml.",
        rich_help_panel=EVERYWHERE,
        show_default=False,
    ),
]
Output = Annotated[
    OutputForm,
    typer.Option(
        "--output",
        "-o",
        envvar="SCHEDPLAN_OUTPUT",
        help="Form of the result on standard output; table is shortened on a terminal and in full everywhere else.",
        rich_help_panel=EVERYWHERE,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="PATH", help="Where results are written to.", rich_help_panel=EVERYWHERE, show_default=False),
]
Force = Annotated[bool, typer.Option("--force", help="Replace what is in the way.", rich_help_panel=EVERYWHERE)]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say only what is wrong.", rich_help_panel=EVERYWHERE)]
Verbose = Annotated[
    int,
    typer.Option(
        "--verbose",
        "-v",
        count=True,
        help="Say more; twice: with the traceback of a failure.",
        show_default=False,
        rich_help_panel=EVERYWHERE,
    ),
]
ColorChoice = Annotated[
    Color, typer.Option("--color", envvar="SCHEDPLAN_COLOR", help="Colour on the terminal.", rich_help_panel=EVERYWHERE)
]
Progress = Annotated[
    ProgressForm,
    typer.Option("--progress", envvar="SCHEDPLAN_PROGRESS", help="How progress is told.", rich_help_panel=EVERYWHERE),
]
LogFormat = Annotated[
    LogForm,
    typer.Option(
        "--log-format", envvar="SCHEDPLAN_LOG_FORMAT", help="Form of what is said on standard error.", rich_help_panel=EVERYWHERE
    ),
]
Seed = Annotated[
    str | None,
    typer.Option("--seed", metavar="N", help="Seed of everything random.", rich_help_panel=EVERYWHERE, show_default=False),
]
Threads = Annotated[
    str | None,
    typer.Option(
        "--threads",
        metavar="N",
        help="Threads at most; results do not depend on it.",
        rich_help_panel=EVERYWHERE,
        show_default=False,
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Set section.key of the project file; may be repeated.",
        rich_help_panel=EVERYWHERE,
        show_default=False,
    ),
]
Version = Annotated[
    bool,
    typer.Option(
        "--version", "-V", is_eager=True, callback=_show_version, help="Print the version and exit.", rich_help_panel=EVERYWHERE
    ),
]
