"""The frame around a command's body: the options every command takes, and the status it ends with.

The body gets a `Call` first and its own options after it. Options may stand before or after the command's name: what is
said after it wins, --set and -v add up.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import typer

from schedplan.cli import options
from schedplan.cli.call import Call
from schedplan.cli.exits import ExitStatus
from schedplan.cli.options import Color, LogForm, OutputForm, ProgressForm

Body = Callable[..., ExitStatus | None]
Answer = Callable[..., None]

COMMAND_LINE = "COMMANDLINE"


def everywhere(
    config: options.Config = None,
    output: options.Output = OutputForm.TABLE,
    out: options.Out = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = 0,
    color: options.ColorChoice = Color.AUTO,
    progress: options.Progress = ProgressForm.AUTO,
    log_format: options.LogFormat = LogForm.TEXT,
    seed: options.Seed = None,
    threads: options.Threads = None,
    assignments: options.Set = None,
    version: options.Version = False,
) -> Call:
    """Return the call that these options make; the signature is what every command's own is extended by."""
    return Call(
        config=config,
        output=output,
        out=out,
        force=force,
        quiet=quiet,
        verbosity=verbose,
        color=color,
        progress_form=progress,
        log_form=log_format,
        seed=seed,
        threads=threads,
        assignments=tuple(assignments or ()),
    )


def command(*examples: str) -> Callable[[Body], Answer]:
    """Make a command of a body. examples: command lines as a person would type them; the help shows them first."""

    def framed(body: Body) -> Answer:
        shared = inspect.signature(everywhere).parameters

        def answer(**given: Any) -> None:
            told = _merged(given.pop("context"), {name: given.pop(name) for name in shared})
            status = body(everywhere(**told), **given)
            if status is not None:
                raise typer.Exit(int(status))

        answer.__name__, answer.__doc__, answer.__module__ = body.__name__, body.__doc__, body.__module__
        answer.__dict__["examples"] = examples
        return with_signature(body, everywhere, leaves_out="call", context=True)(answer)

    return framed


def with_signature(*sources: Callable[..., Any], leaves_out: str = "", context: bool = False) -> Callable[[Answer], Answer]:
    """Give a function of **keywords the parameters of `sources`, for the parser to read. context: and the parser's own."""

    def signed(answer: Answer) -> Answer:
        signatures = [inspect.signature(source, eval_str=True) for source in sources]
        found = [
            parameter for signature in signatures for parameter in signature.parameters.values() if parameter.name != leaves_out
        ]
        parameters = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in found]
        if context:
            parameters.append(inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context))
        answer.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        answer.__dict__["__signature__"] = inspect.Signature(parameters)
        return answer

    return signed


def _merged(context: typer.Context, told: dict[str, Any]) -> dict[str, Any]:
    """Return the shared options with those that were given before the command's name."""
    root = context.find_root()
    for name, before in root.params.items():
        if name not in told or not _is_typed(root, name):
            continue
        if name == "assignments":
            told[name] = [*before, *(told[name] or ())]
        elif name == "verbose":
            told[name] += before
        elif not _is_typed(context, name):
            told[name] = before
    return told


def _is_typed(context: Any, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == COMMAND_LINE
