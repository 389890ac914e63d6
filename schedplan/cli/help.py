"""How help looks: examples first, then what the command is, its own options, and those that every command takes."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

from schedplan.cli.options import EVERYWHERE

WIDTH = 120


class Command(TyperCommand):
    """A command whose help shows the examples of its callback."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if ctx.resilient_parsing:
            ctx.args = split_words(self, ctx, args)
            return list(ctx.args)
        return super().parse_args(ctx, args)

    def get_help_option_names(self, ctx: Any) -> list[str]:
        return list(ctx.help_option_names)

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        write_examples(formatter, getattr(self.callback, "examples", ()))
        super().format_help_text(ctx, formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        write_options(self, ctx, formatter)


class Group(TyperGroup):
    """A group of commands; called without one it shows its help and could not run."""

    examples: tuple[str, ...] = ()

    def get_help_option_names(self, ctx: Any) -> list[str]:
        return list(ctx.help_option_names)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if ctx.resilient_parsing:
            rest = split_words(self, ctx, args)
            ctx._protected_args, ctx.args = rest[:1], rest[1:]
            return list(ctx.args)
        if not args:
            from typer import echo

            echo(ctx.get_help(), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        write_examples(formatter, self.examples)
        super().format_help_text(ctx, formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        self.format_commands(ctx, formatter)
        write_options(self, ctx, formatter)


def split_words(shown: Any, ctx: Any, args: list[str]) -> list[str]:
    """Return the words that are neither options nor arguments, for completion: values are noted, and not yet judged.

    The parser's machinery for types is left alone; loading it takes longer than all the rest of an answer.
    """
    parser = shown.make_parser(ctx)
    values, rest, _ = parser.parse_args(args=args)
    ctx._opt_prefixes.update(parser._opt_prefixes)
    ctx.params.update({parameter.name: values.get(parameter.name) for parameter in shown.get_params(ctx)})
    return list(rest)


def write_examples(formatter: Any, examples: tuple[str, ...]) -> None:
    """Write command lines as they stand, one a line."""
    if not examples:
        return
    with formatter.section("Examples"):
        for example in examples:
            formatter.write(f"{'':>{formatter.current_indent}}{example}\n")


def write_options(shown: Any, ctx: Any, formatter: Any) -> None:
    """Write arguments, the command's own options, and the shared ones under a heading of their own."""
    sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": [], EVERYWHERE: []}
    for parameter in shown.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is None:
            continue
        if parameter.param_type_name == "argument":
            sections["Arguments"].append(record)
        else:
            is_shared = getattr(parameter, "rich_help_panel", None) == EVERYWHERE or parameter.name == "help"
            sections[EVERYWHERE if is_shared else "Options"].append(record)
    for title, records in sections.items():
        if records:
            with formatter.section(title):
                formatter.write_dl(records)
