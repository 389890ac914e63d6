"""What is said on standard error: warnings, notes, errors. Text from files is spelled out, never obeyed."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from typing import TextIO

from schedplan.report.verbatim import visible

_COLORS = {"error": "\x1b[1;31m", "warning": "\x1b[33m", "note": "\x1b[2m", "hint": "\x1b[36m"}
_PLAIN = "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Talk:
    """A voice. is_json: one JSON object a line; is_quiet: no notes; color: auto, always or never."""

    is_json: bool = False
    is_quiet: bool = False
    color: str = "auto"

    def note(self, text: str) -> None:
        """Say what is good to know."""
        if not self.is_quiet:
            self._say("note", text)

    def warn(self, text: str) -> None:
        """Say what a person must see though the result stands."""
        self._say("warning", text)

    def painted(self, word: str) -> str:
        """Return a word that opens a line, in its colour where colours are wanted."""
        return f"{_COLORS[word]}{word}{_PLAIN}" if takes_color(sys.stderr, self.color) else word

    def _say(self, level: str, text: str) -> None:
        if self.is_json:
            write_line(json.dumps({"level": level, "message": text}, sort_keys=True))
        else:
            write_line(f"{self.painted(level)}: {visible(text)}")


def takes_color(stream: TextIO, color: str) -> bool:
    """Return whether a stream is to be coloured: `auto` asks for a terminal, NO_COLOR and TERM=dumb speak against it."""
    if color != "auto":
        return color == "always"
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def shown(text: str) -> str:
    """Return text of one or more lines with everything spelled out that would steer the screen."""
    return "\n".join(visible(line) for line in text.split("\n"))


def write_line(text: str) -> None:
    """Write one line to standard error. Where nobody can hear it, nothing is said."""
    try:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        return
