"""Names of columns that a person spells otherwise than a table does, and which are meant. It reads no file."""

from __future__ import annotations

import shlex
from difflib import get_close_matches
from pathlib import Path

from schedplan.tables.recognise import by_columns

NEARLY = 0.75
"""How alike (ratio of difflib) an unknown column and a known one that the file lacks must be for the one to look like the other."""


def spelling_hint(path: Path, names: tuple[str, ...]) -> str | None:
    """Return which columns to rename so that the others, spelt otherwise in case or blanks alone, fit a table; None for no such."""
    spelt = tuple(spelling(name) for name in names)
    able = by_columns(spelt)
    if not able:
        return None
    known = able[0].column_names
    renames = [(theirs, ours) for theirs, ours in zip(names, spelt, strict=True) if theirs != ours and ours in known]
    told = ", ".join(f"{theirs!r} to {ours}" for theirs, ours in renames)
    flags = " ".join("--map " + shlex.quote(f"{theirs}={ours}") for theirs, ours in renames)
    return f"Rename {told}: `schedplan ingest {path} {flags}` does it."


def spelling(name: str) -> str:
    """Return a name as a table would spell it: in lower case, blanks and hyphens as underscores."""
    return "_".join(name.lower().replace("-", " ").replace("_", " ").split())


def _nearest(name: str, known: list[str], cutoff: float) -> str | None:
    """Return the known name that `name` is but for its spelling, else the one that it is most alike; None for no such."""
    near = get_close_matches(spelling(name), known, n=1, cutoff=cutoff)
    return near[0] if near else None


def meant(name: str, known: list[str]) -> str | None:
    """Return the known name that an unknown one seems to stand for: the most alike, or the only one that goes on after it."""
    longer = [one for one in known if one.startswith(f"{spelling(name)}_")]
    return _nearest(name, known, NEARLY) or (longer[0] if len(longer) == 1 else None)
