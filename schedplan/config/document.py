"""schedplan.toml, or [tool.schedplan] of a pyproject.toml, as keys with their values and rows. It judges no value."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from schedplan.config.keys import KeyPath, is_section
from schedplan.errors import ConfigError, Fault

FILE_NAME = "schedplan.toml"
PYPROJECT = "pyproject.toml"
LARGEST_BYTES = 1 << 20

_PART = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
_PATH = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER = re.compile(rf"\s*\[\[?\s*({_PATH})\s*\]\]?\s*(?:#.*)?")
_ENTRY = re.compile(rf"\s*({_PATH})\s*=")
_PARTS = re.compile(_PART)
_PLACE = re.compile(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Entry:
    """One value of the file. `path` is as deep as a known key; below an unknown section it is the section itself."""

    path: KeyPath
    value: object
    row: int | None


def holds_settings(file: Path) -> bool:
    """Return whether a file is a project: schedplan.toml always, pyproject.toml where it has [tool.schedplan]."""
    if not file.is_file():
        return False
    if file.name != PYPROJECT:
        return True
    try:
        tool = _parsed(file, _text(file)).get("tool")
    except ConfigError:
        return False
    return isinstance(tool, Mapping) and "schedplan" in tool


def read_entries(file: Path) -> tuple[Entry, ...]:
    """Return every value of a file in its order; ConfigError where it is absent, unreadable or no TOML."""
    text = _text(file)
    document: object = _parsed(file, text)
    above: KeyPath = ()
    if file.name == PYPROJECT:
        above = ("tool", "schedplan")
        for name in above:
            document = document.get(name, {}) if isinstance(document, Mapping) else {}
    rows = _rows(text)
    return tuple(Entry(path, value, rows.get((*above, *path))) for path, value in _leaves(document, ()))


def _text(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            content = stream.read(LARGEST_BYTES + 1)
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise _refusal(
            file, "SP2006", f"can't be read: {reason}", "Name another with -C, or make one with schedplan init"
        ) from None
    if len(content) > LARGEST_BYTES:
        raise _refusal(file, "SP2006", f"is larger than {LARGEST_BYTES} bytes, so it is no project file", None)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        row = content.count(b"\n", 0, problem.start) + 1
        raise _refusal(file, "SP2004", "is not UTF-8", "save it as UTF-8", row) from None


def _parsed(file: Path, text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise _refusal(file, "SP2004", "is nested too deeply to be read", None) from None
    except ValueError as problem:
        match = _PLACE.fullmatch(str(problem))
        reason, row = (match[1], match[2]) if match else (str(problem), None)
        if reason.startswith("Cannot "):
            reason = "a key or section is given twice"
        raise _refusal(file, "SP2004", f"is not valid TOML: {reason}", None, int(row) if row else None) from None


def _refusal(file: Path, code: str, message: str, hint: str | None, row: int | None = None) -> ConfigError:
    return ConfigError.of_faults((Fault(code, message, file=str(file), row=row, hint=hint),))


def _leaves(value: object, path: KeyPath) -> Iterator[tuple[KeyPath, object]]:
    opens = not path or is_section(path)
    if opens and isinstance(value, Mapping):
        for name, below in value.items():
            yield from _leaves(below, (*path, str(name)))
    else:
        yield path, value


def _rows(text: str) -> dict[KeyPath, int]:
    """Return the row of each key and section, counted from 1, as far as one look at each line tells."""
    rows: dict[KeyPath, int] = {}
    section: KeyPath = ()
    for row, line in enumerate(text.splitlines(), start=1):
        header = _HEADER.fullmatch(line)
        entry = None if header else _ENTRY.match(line)
        if header:
            section = _path(header[1])
        path = section if header else (*section, *_path(entry[1])) if entry else ()
        for depth in range(1, len(path) + 1):
            rows.setdefault(path[:depth], row)
    return rows


def _path(text: str) -> KeyPath:
    return tuple(part.strip("\"'") for part in _PARTS.findall(text))
