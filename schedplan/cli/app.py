"""The program `schedplan`: its root, and the commands of the catalogue below it, each imported when it is called."""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import typer

from schedplan.cli.catalogue import COMMANDS, EXAMPLES, Branch, Entry
from schedplan.cli.frame import everywhere, with_signature
from schedplan.cli.guard import end_with_status, guarded, heed_no_signal
from schedplan.cli.help import WIDTH, Command, Group
from schedplan.errors import UsageError

CONTEXT: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": WIDTH}
PROGRAM = "schedplan"
COMPLETION_VARIABLE = "_SCHEDPLAN_COMPLETE"


class Lazy(Group):
    """A group that knows its commands by name and imports one when it is asked for."""

    entries: tuple[Entry | Branch, ...] = ()

    def list_commands(self, ctx: Any) -> list[str]:
        return [entry.name for entry in self.entries]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        entry = next((entry for entry in self.entries if entry.name == cmd_name), None)
        if entry is None:
            return None
        return _branch(entry) if isinstance(entry, Branch) else _command(entry)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(entry.name, entry.summary) for entry in self.entries])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        names = self.list_commands(ctx)
        if args[0] not in names and not args[0].startswith("-"):
            near = get_close_matches(args[0], names, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"{ctx.command_path} -h lists the commands"
            raise UsageError(f"{args[0]!r} is no command of {ctx.command_path}", hint=hint)
        return super().resolve_command(ctx, args)


class Root(Lazy):
    """The whole program. Its `main` ends with a documented exit status, also under a test runner."""

    entries = COMMANDS
    examples = EXAMPLES

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, *rest: Any, **extra: Any) -> Any:
        arguments = list(sys.argv[1:] if args is None else args)
        if COMPLETION_VARIABLE in os.environ:
            return super().main(arguments, PROGRAM, *rest, **extra)
        sys.exit(guarded(lambda: self._run(arguments), arguments))

    def _run(self, arguments: list[str]) -> int:
        asked = self._asked_help(arguments)
        if asked is not None:
            typer.echo(asked)
            return 0
        with self.make_context(PROGRAM, arguments) as context:
            self.invoke(context)
        return 0

    def _asked_help(self, arguments: list[str]) -> str | None:
        """Return the help of the command that the arguments name, None where none is asked for or none is named.

        Nothing is parsed for it: the parser would load its machinery for types first, which takes longer than all the rest.
        """
        words = arguments[: arguments.index("--")] if "--" in arguments else arguments
        if not any(word in CONTEXT["help_option_names"] for word in words):
            return None
        command: Any = self
        context = command.context_class(command, info_name=PROGRAM, **CONTEXT)
        for word in words:
            below = command.get_command(context, word) if isinstance(command, Lazy) else None
            if below is not None:
                command, context = below, below.context_class(below, info_name=word, parent=context, **CONTEXT)
            elif isinstance(command, Lazy) and command is not self and not word.startswith("-"):
                return None
        return None if command is self else str(context.get_help())


app = typer.Typer(
    cls=Root,
    context_settings=CONTEXT,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    pretty_exceptions_show_locals=False,
)


@app.callback()
@with_signature(everywhere)
def root(**told: Any) -> None:
    """Plan and what-if for AI clusters: forecasts, placements with a proven gap, verdicts for CI."""


def main() -> None:
    """Run the program with the arguments of the process, and exit.

    A terminal is written to in its own encoding, all else in UTF-8: the same bytes under every locale. Linear algebra keeps to
    one thread unless the environment says otherwise: our matrices are small, and more threads only take turns.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="backslashreplace")
    end_with_status()
    try:
        app()
    except SystemExit as end:
        heed_no_signal()
        _leave_work_behind(end.code)
        raise


def _leave_work_behind(code: object) -> None:
    """End the process at once where a solve that was interrupted still runs beside.

    The interpreter would take its thread away within native code, which aborts: a signal in place of the status.
    """
    if not isinstance(code, int) or not any(thread.daemon for thread in threading.enumerate()):
        return
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _command(entry: Entry) -> Any:
    module, _, function = entry.target.partition(":")
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    answer = getattr(import_module(module), function)
    single.command(entry.name, cls=Command, short_help=entry.summary, context_settings=CONTEXT)(answer)
    return typer.main.get_command(single)


def _branch(branch: Branch) -> Lazy:
    group = Lazy(name=branch.name, help=branch.summary, short_help=branch.summary, context_settings=CONTEXT, rich_markup_mode=None)
    group.entries = branch.entries
    return group
