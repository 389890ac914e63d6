"""Which commands there are. To add one: write `commands/<name>.py` with a function under `@command`, and give it a row here.

A command's module is imported only when that command is called, so that help and version answer at once.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A command: its name, `module:function`, and the line that the list of commands shows."""

    name: str
    target: str
    summary: str


@dataclass(frozen=True, slots=True)
class Branch:
    """A name with commands of its own below it."""

    name: str
    summary: str
    entries: tuple[Entry, ...]


_COMMANDS = "schedplan.cli.commands"

COMMANDS: tuple[Entry | Branch, ...] = (
    Branch(
        "config",
        "The settings in force",
        (Entry("show", f"{_COMMANDS}.config:show", "Print each setting with its value and where it came from"),),
    ),
    Entry("version", f"{_COMMANDS}.version:version", "Print the versions of schedplan and of what it stands on"),
)

EXAMPLES = (
    "schedplan config show --origin",
    "schedplan version -o json",
)
