"""What was given, sorted: the effective value of each key with where it came from, and all that is wrong so far.

It knows which keys exist and their single values; what does not go together is judged by its reader.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from pathlib import Path

from pydantic import ValidationError

from schedplan.config.document import Entry
from schedplan.config.keys import KEYS, QUOTAS, SECTIONS, Key, KeyPath, is_section, key_at, nearest_key, value_of_text
from schedplan.config.models import ProjectFile
from schedplan.config.override import Override
from schedplan.config.settings import Origin, Value
from schedplan.config.unsupported import REFUSED, WARNED, Unsupported, unsupported_key
from schedplan.errors import Fault

SEEN_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Given:
    """A value, the folder that a relative path in it begins at, and where it stands: in a file, or in `source`."""

    value: object
    base: Path
    file: str | None = None
    row: int | None = None
    source: str | None = None

    @property
    def words(self) -> str:
        """Return where the value was given, as people say it."""
        if self.source is not None:
            return self.source
        return f"{self.file}, row {self.row}" if self.row is not None else str(self.file)


class GivenValues:
    """Collects values by precedence (a later one replaces an earlier one) and faults. `faults` is in the order found."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self._by_path: dict[KeyPath, Given] = {}

    def add_entry(self, entry: Entry, file: Path) -> None:
        """Take one value of the project file."""
        given = Given(entry.value, file.parent, file=str(file), row=entry.row)
        if self._is_known(entry.path, given):
            self._by_path[entry.path] = given

    def add_override(self, override: Override) -> None:
        """Take one text of a flag or variable; relative paths in it begin at the working directory."""
        text = Given(override.text, Path(), source=override.source)
        if not self._is_known(override.path, text):
            return
        try:
            value = value_of_text(_key(override.path), override.text)
        except ValueError:
            self._by_path[override.path] = text
            self.note(override.path)
        else:
            self._by_path[override.path] = Given(value, Path(), source=override.source)

    def find(self, path: KeyPath) -> Given | None:
        """Return what was given for a key, None where its default counts or its value was off."""
        return self._by_path.get(path)

    def note(self, path: KeyPath, message: str | None = None, expected: str | None = None, hint: str | None = None) -> None:
        """Note that the value of a known key is off; the key then counts as not given."""
        given = self._by_path.pop(path, None)
        key = _key(path)
        seen = None if given is None else _shortened(given.value)
        self._add_fault("SP2002", message or f"{key.name} is off", given, seen=seen, expected=expected or key.expected, hint=hint)

    def document(self) -> ProjectFile:
        """Return all values as the model of the file; each that is off is noted and left at its default."""
        while True:
            try:
                return ProjectFile.model_validate(self._nested())
            except ValidationError as problem:
                for path in sorted({_key_at(error["loc"]) for error in problem.errors()}):
                    self.note(path)

    def refuse_unsupported(self) -> None:
        """Note every effective value that asks for what this version does not do."""
        for path, given in tuple(self._by_path.items()):
            refused = unsupported_key(path, given.value, REFUSED)
            if refused is not None:
                self._refuse(refused, given)

    def warnings(self) -> tuple[str, ...]:
        """Return a sentence for each value that is read and has no effect."""
        found = ((unsupported_key(path, given.value, WARNED), given) for path, given in self._by_path.items())
        return tuple(
            f"{given.words}: {unsupported.name} is not used: {unsupported.fact}" for unsupported, given in found if unsupported
        )

    def origins(self, document: ProjectFile) -> tuple[Origin, ...]:
        """Return every key's value and where it came from, in the order of the sections; of the inputs those that were given."""
        values = document.model_dump()
        shown = [(key, self._by_path.get(path)) for path, key in KEYS.items() if path[0] != "inputs" or path in self._by_path]
        shown += [(_key(path), given) for path, given in sorted(self._by_path.items()) if path[0] == QUOTAS]
        return tuple(Origin(key.name, _plain(_at(values, key.path)), given.words if given else "default") for key, given in shown)

    def _is_known(self, path: KeyPath, given: Given) -> bool:
        if key_at(path) is not None:
            return True
        section = ".".join(path)
        planned = unsupported_key(path, None, REFUSED, asked=False)
        if planned is not None:
            if planned.asks(given.value):
                self._refuse(planned, given)
        elif is_section(path):
            self._add_fault("SP2002", f"{section} is a section, not a value", given, hint=f"Write [{section}] above its keys")
        elif isinstance(given.value, Mapping):
            self._add_fault("SP2003", f"[{section}] is not a known section", given, hint=_likely_section(path))
        else:
            self._add_fault("SP2003", f"{section} is not a known key", given, hint=_likely_key(path))
        return False

    def _refuse(self, refused: Unsupported, given: Given) -> None:
        self._add_fault("SP2005", f"{refused.name} is not acted on: {refused.fact}", given, hint="Take it out to go on without it")

    def _add_fault(
        self,
        code: str,
        message: str,
        given: Given | None,
        *,
        seen: str | None = None,
        expected: str | None = None,
        hint: str | None = None,
    ) -> None:
        file, row = (given.file, given.row) if given is not None else (None, None)
        text = f"{given.source}: {message}" if given is not None and given.source is not None else message
        self.faults.append(Fault(code, text, file=file, row=row, seen=seen, expected=expected, hint=hint))

    def _nested(self) -> dict[str, object]:
        document: dict[str, object] = {}
        for path, given in self._by_path.items():
            section = document
            for name in path[:-1]:
                below = section.setdefault(name, {})
                if isinstance(below, dict):
                    section = below
            section[path[-1]] = given.value
        return document


def _key_at(location: tuple[int | str, ...]) -> KeyPath:
    """Return the key whose value a place of the document is in."""
    path = tuple(str(part) for part in location)
    return next(path[:depth] for depth in range(len(path), 0, -1) if key_at(path[:depth]) is not None)


def _key(path: KeyPath) -> Key:
    """Return the key of a path that is known to have one."""
    key = key_at(path)
    if key is None:
        raise KeyError(".".join(path))
    return key


def _likely_key(path: KeyPath) -> str:
    near = nearest_key(path)
    return f"Did you mean {near}?" if near else "`schedplan config show` lists the keys"


def _likely_section(path: KeyPath) -> str:
    near = get_close_matches(".".join(path), sorted(".".join(section) for section in SECTIONS), n=1)
    return f"Did you mean [{near[0]}]?" if near else "`schedplan config show` lists the keys"


def _at(values: object, path: KeyPath) -> object:
    for name in path:
        values = values[name] if isinstance(values, dict) else None
    return values


def _plain(value: object) -> Value:
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, list):
        return tuple(_plain(item) for item in value)
    return _shortened(value)


def _shortened(value: object) -> str:
    text = value.isoformat() if isinstance(value, date) else str(value)
    return text if len(text) <= SEEN_CHARACTERS else f"{text[: SEEN_CHARACTERS - 3]}..."
