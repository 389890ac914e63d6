"""Files and folders that are written whole or not at all. It knows nothing of what is in them.

A result is built in a scaffold (`scaffold.py`) beside its place, flushed to the disk and then put there by one rename
(`replacement.py`), unless something stands in the way (`obstacles.py`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from schedplan.errors import OutputError
from schedplan.tables.obstacles import (
    FolderKind,
    refuse_file_obstacle,
    refuse_folder_obstacle,
    refuse_inputs,
    refuse_working_directory,
)
from schedplan.tables.replacement import flush_folder, install, write_flushed
from schedplan.tables.scaffold import NEW, clear_leftovers, scaffold_beside


def write_folder_whole(
    target: Path, files: tuple[tuple[str, bytes], ...], kind: FolderKind, *, force: bool = False, inputs: Iterable[Path] = ()
) -> None:
    """Put a folder with `files` (name, or folder/name, and content) at `target`: complete, or the place is left as it was.

    A folder of the same kind, or an empty one, is replaced whole. Anything else in the way is refused without `force`, which
    also replaces a file, a foreign folder or a symbolic link (the link itself, never what it points to). Raises OutputError,
    whatever `force` says, where the target is, or holds, one of `inputs` or the working directory, or can't be written.
    """
    place = _place(target)
    refuse_inputs(place, target, inputs)
    refuse_working_directory(place, target)
    refuse_folder_obstacle(place, target, kind, force)
    with scaffold_beside(place, target) as scaffold:
        new = scaffold / NEW
        new.mkdir()
        for name, content in files:
            (new / name).parent.mkdir(exist_ok=True)
            write_flushed(new / name, content)
        for below in sorted({(new / name).parent for name, _ in files} - {new}):
            flush_folder(below)
        flush_folder(new)
        refuse_folder_obstacle(place, target, kind, force)
        install(scaffold, place)


def write_text_whole(path: Path, text: str, *, mark: str | None = None, force: bool = False, inputs: Iterable[Path] = ()) -> None:
    """Put a UTF-8 file with `text` at `path`: complete, or the place is left as it was.

    A file that has `mark` in its first 4 KiB is a result of the same kind and is replaced; without a mark, or for any other
    file or a symbolic link in the way, `force` is needed. Raises OutputError as write_folder_whole does.
    """
    write_bytes_whole(path, text.encode("utf-8"), mark=mark, force=force, inputs=inputs)


def write_bytes_whole(
    path: Path, content: bytes, *, mark: str | None = None, force: bool = False, inputs: Iterable[Path] = ()
) -> None:
    """Put a file with `content` at `path`, with the promises of write_text_whole."""
    place = _place(path)
    refuse_inputs(place, path, inputs)
    refuse_file_obstacle(place, path, mark, force)
    with scaffold_beside(place, path) as scaffold:
        new = scaffold / NEW
        write_flushed(new, content)
        refuse_file_obstacle(place, path, mark, force)
        os.replace(new, place)
        flush_folder(place.parent)


def restore_interrupted(target: Path) -> None:
    """Put back what a run that was killed between its two renames had moved away from `target`; silent where nothing was."""
    place = _place(target)
    clear_leftovers(place)


def _place(target: Path) -> Path:
    """Return where the target really stands: its parent without links, its own name as it is."""
    absolute = Path(os.path.abspath(target))
    if not absolute.name:
        raise OutputError(
            f"{target} is no place for a result: it is the root of the filesystem", hint="Name a folder or file in it."
        )
    return Path(os.path.realpath(absolute.parent)) / absolute.name
