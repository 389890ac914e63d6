"""What is said beside the file: flags, `--set section.key=value`, and variables of the environment. All of it is text.

It knows the grammar of these, not which keys exist or what their values mean.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from schedplan.config.inputs import INPUT_TABLES
from schedplan.errors import UsageError

_ASSIGNMENT = re.compile(r"(?P<key>[^=]*?)(?P<operator>[+*]?=)(?P<value>.*)", re.DOTALL)
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z_][A-Za-z0-9_-]*)+", re.ASCII)
# Names of tables that are sections of the project file too.
ALSO_SECTIONS = ("forecast", "quotas")
_FORM = "Give it as --set section.key=value, e.g. --set solver.seed=3"


@dataclass(frozen=True, slots=True)
class Override:
    """One key with the text given for it. `source`: the words for where, e.g. `--seed` or `SCHEDPLAN_SOLVER_SEED`."""

    key: str
    text: str
    source: str

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(self.key.split("."))


def parse_set(text: str) -> Override:
    """Return what `--set text` says; UsageError for any other grammar, and for paths into tables."""
    match = _ASSIGNMENT.fullmatch(text)
    if match is None:
        raise UsageError(f"--set {text!r} holds no '='", hint=_FORM)
    key = match["key"].strip()
    section = key.partition(".")[0]
    if '"' in key or match["operator"] != "=" or (section in INPUT_TABLES and section not in ALSO_SECTIONS and "." in key):
        raise UsageError(f"--set {text!r} speaks of a table; this version sets keys of the configuration only", hint=_FORM)
    if _KEY.fullmatch(key) is None:
        raise UsageError(f"--set {text!r}: {key!r} is no section.key", hint=_FORM)
    return Override(key, match["value"].strip(), f"--set {key}")


def overrides_of(key: str, value: str | int | float | None, flag: str) -> tuple[Override, ...]:
    """Return the override of one flag; empty where the flag was not given (None)."""
    return () if value is None else (Override(key, str(value), flag),)
