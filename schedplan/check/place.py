"""Where a rule stands: the file, and its line. It knows the rules' texts and no values."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SECTION = re.compile(r"\s*\[(?:tool\.schedplan\.)?check\]\s*(?:#.*)?")


@dataclass(frozen=True, slots=True)
class Place:
    """A file as it is shown, and a line of it counted from 1; None = the file as a whole."""

    file: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Places:
    """Where the rules of a verdict stand. project: (path, text) of their file, None where they come from the command line.

    otherwise: where everything else is shown, such as the plan.
    """

    otherwise: Place
    project: tuple[str, str] | None = None

    def of(self, rule: str) -> Place:
        """Return where a rule stands."""
        if self.project is None:
            return self.otherwise
        path, text = self.project
        line = line_of(text, rule)
        return self.otherwise if line is None else Place(path, line)


def line_of(text: str, rule: str) -> int | None:
    """Return the line of a project file, from 1, that spells `rule`; else that of its [check] section; None for neither."""
    spelled = (rule, rule.replace("\\", "\\\\").replace('"', '\\"'))
    lines = text.splitlines()
    for number, line in enumerate(lines, start=1):
        if any(f"{quote}{form}{quote}" in line for form in spelled for quote in "\"'"):
            return number
    return next((number for number, line in enumerate(lines, start=1) if _SECTION.fullmatch(line)), None)
