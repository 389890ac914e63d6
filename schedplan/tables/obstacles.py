"""What stands where a result is to go, and whether it may be replaced. It writes nothing."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from schedplan.errors import OutputError

IN_THE_WAY = "SP2102"
INPUT_IN_THE_WAY = "SP2103"

_MARK_BYTES = 4096


@dataclass(frozen=True, slots=True)
class FolderKind:
    """What a folder of results is: its `record` is a JSON object whose `kind` says so; `names` are all files it may hold."""

    kind: str
    record: str
    names: tuple[str, ...]


def refuse_inputs(place: Path, shown: Path, inputs: Iterable[Path]) -> None:
    """Raise OutputError (SP2103) where a place is one of the inputs or holds one. place: resolved; shown: as it was given."""
    for given in inputs:
        resolved = Path(os.path.realpath(given))
        if place == resolved or place in resolved.parents or _is_same_as_any(place, (resolved, *resolved.parents)):
            raise OutputError(
                f"{shown} can't be replaced: it is, or holds, {given}, which is read from and never written to",
                code=INPUT_IN_THE_WAY,
                hint="Choose another place with --out.",
            )


def refuse_working_directory(place: Path, shown: Path) -> None:
    """Raise OutputError where a place is the working directory or above it: all that is beside the result there would be lost."""
    here = Path(os.path.realpath(os.curdir))
    if place == here or place in here.parents:
        raise _in_the_way(shown, "the working directory, or a folder above it", None)


def _is_same_as_any(place: Path, paths: tuple[Path, ...]) -> bool:
    """Whether the place is one of `paths` under another spelling (a filesystem that ignores case)."""
    if place.is_symlink() or not place.exists():
        return False
    return any(path.exists() and path.samefile(place) for path in paths)


def refuse_folder_obstacle(place: Path, shown: Path, kind: FolderKind, force: bool) -> None:
    """Raise OutputError (SP2102) where what stands at a place may not give way to a folder of a kind.

    An earlier folder of that kind may, and an empty one; with `force` every file, link and folder.
    """
    mode = _mode_of(place, shown)
    if mode is None:
        return
    if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
        raise _in_the_way(shown, "neither a file nor a folder", None)
    if force:
        return
    if stat.S_ISLNK(mode):
        raise _in_the_way(shown, "a symbolic link", "Name what it points to, or replace the link itself with --force.")
    if stat.S_ISREG(mode):
        raise _in_the_way(shown, f"a file, and the {kind.kind} is a folder", "Choose another place, or replace it with --force.")
    names = sorted(entry.name for entry in _entries(place, shown))
    if not names:
        return
    if not _is_kind(place / kind.record, kind):
        raise _in_the_way(
            shown, f"a folder that is no {kind.kind} of schedplan", "Choose another place, or replace it with --force."
        )
    foreign = [name for name in names if name not in kind.names and name != kind.record]
    if foreign:
        told = ", ".join(foreign[:3]) + (f" and {len(foreign) - 3} more" if len(foreign) > 3 else "")
        raise _in_the_way(
            shown, f"a {kind.kind} that also holds files of others ({told})", "Move them away, or give them up with --force."
        )


def refuse_file_obstacle(place: Path, shown: Path, mark: str | None, force: bool) -> None:
    """Raise OutputError (SP2102) where what stands at a place may not give way to a file.

    A file that bears `mark` near its beginning may; with `force` every file and link, never a folder.
    """
    mode = _mode_of(place, shown)
    if mode is None:
        return
    if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
        raise _in_the_way(shown, "a folder" if stat.S_ISDIR(mode) else "no regular file", None)
    if force:
        return
    if stat.S_ISLNK(mode):
        raise _in_the_way(shown, "a symbolic link", "Name what it points to, or replace the link itself with --force.")
    if mark is None or not _has_mark(place, shown, mark):
        raise _in_the_way(shown, "a file of another kind", "Choose another place, or replace it with --force.")


def _in_the_way(shown: Path, what: str, hint: str | None) -> OutputError:
    return OutputError(f"{shown} is in the way: {what}", code=IN_THE_WAY, hint=hint or "Choose another place with --out.")


def _mode_of(place: Path, shown: Path) -> int | None:
    try:
        return place.lstat().st_mode
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise cannot_write(shown, problem) from problem


def _entries(place: Path, shown: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(place) as entries:
            return list(entries)
    except FileNotFoundError:
        return []
    except OSError as problem:
        raise cannot_write(shown, problem) from problem


def _is_kind(record: Path, kind: FolderKind) -> bool:
    try:
        document = json.loads(record.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(document, dict) and document.get("kind") == kind.kind


def _has_mark(place: Path, shown: Path, mark: str) -> bool:
    try:
        with place.open("rb") as file:
            return mark.encode("utf-8") in file.read(_MARK_BYTES)
    except OSError as problem:
        raise cannot_write(shown, problem) from problem


def cannot_write(shown: Path, problem: OSError) -> OutputError:
    """Return the error that tells of a failed write by what the system says of it."""
    reason = problem.strerror or type(problem).__name__
    return OutputError(
        f"{shown} can't be written: {reason}; what stood there before is untouched",
        hint="Free space or permissions there, or choose another place with --out.",
    )
