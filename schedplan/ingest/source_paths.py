"""What a call names as sources: files, folders, patterns and what is piped in. It opens none."""

from __future__ import annotations

from pathlib import Path

from schedplan.errors import Fault, InputError
from schedplan.ingest.standard_input import STANDARD_INPUT
from schedplan.tables.faults import Code, FaultList

_SIGNS = ("*", "?", "[")
ACCOUNT_FILE = "ingest.json"


def source_files(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return the files that paths name, each once: a folder stands for its files, a pattern for what it matches, both by name.

    Hidden files and an earlier account are left out of a folder. Raises InputError with every folder or pattern that names none.
    """
    faults: list[Fault] = []
    found: list[Path] = []
    for path in paths:
        files = _files(path)
        if not files:
            noted = FaultList(str(path))
            noted.add(Code.UNREADABLE, "there is no file in this folder" if path.is_dir() else "no file matches this pattern")
            faults.extend(noted.all())
        found.extend(files)
    if faults:
        raise InputError.of_faults(tuple(faults))
    return tuple(path for idx, path in enumerate(found) if path == STANDARD_INPUT or path not in found[:idx])


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        entries = sorted(path.iterdir())
        return [one for one in entries if one.is_file() and not one.name.startswith(".") and one.name != ACCOUNT_FILE]
    if path.exists() or path == STANDARD_INPUT or not set(_SIGNS) & set(path.name):
        return [path]
    return sorted(one for one in path.parent.glob(path.name) if one.is_file())
