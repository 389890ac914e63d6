"""The JSON record of a result: one sealed object with kind and schema version. It does not know what a plan is.

Its bytes are canonical: sorted keys, two spaces, ASCII, shortest decimal that gives the same float again, one newline at the
end. `checksum` is the SHA-256 of the record without that key, so that any changed byte shows.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Never, TypeAlias, TypeVar

from schedplan.errors import Fault, InputError
from schedplan.tables.strict_json import JsonError, strict_json

NOT_THIS_KIND = "SP1110"
DAMAGED = "SP1111"
NEWER = "SP1112"
MALFORMED = "SP1113"

MAX_RECORD_BYTES = 256 * 1024 * 1024
Choice = TypeVar("Choice", bound=Enum)
_LARGEST = sys.float_info.max

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


def sha256_of(content: bytes) -> str:
    """Return the SHA-256 of bytes as 64 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def sealed(document: Mapping[str, Json]) -> bytes:
    """Return the canonical bytes of a record with its checksum; ValueError for a number that is not finite."""
    return _canonical({**document, "checksum": sha256_of(_canonical(document))})


def opened(content: bytes, *, file: str, kind: str, major: int) -> Fields:
    """Return the fields of a sealed record of `kind`.

    Raises InputError where it is no such record, was made by another major `schema_version`, or is not byte for byte what was
    written.
    """
    document = parse_object(content, file)
    if document.get("kind") != kind:
        raise InputError(
            f"{file}: not a {kind} of schedplan; its kind is {document.get('kind')!r}",
            code=NOT_THIS_KIND,
            hint=f"Name the folder of a {kind}.",
        )
    fields = Fields(document, file)
    _refuse_other_major(fields, kind, major)
    body = {key: value for key, value in document.items() if key != "checksum"}
    if document.get("checksum") != sha256_of(_canonical(body)) or content != _canonical(document):
        raise damaged(file)
    return fields


def parse_object(content: bytes, file: str) -> dict[str, Json]:
    """Return the JSON object in `content`; InputError for anything else, and for a repeated key, NaN or infinity."""
    if len(content) > MAX_RECORD_BYTES:
        raise _no_json(file, f"{len(content)} bytes are more than the limit of {MAX_RECORD_BYTES}")
    try:
        document = strict_json(content.decode("utf-8"))
    except UnicodeDecodeError as problem:
        raise _no_json(file, f"byte {problem.start} is no UTF-8") from None
    except JsonError as problem:
        raise _no_json(file, problem.message) from None
    if not isinstance(document, dict):
        raise _no_json(file, "it is no object")
    return document


def optional_float(value: float | None) -> float | None:
    """Return a number as a float of Python, whatever kind of number it is; None stays None."""
    return None if value is None else float(value)


def damaged(file: str) -> InputError:
    """Return the error for a file whose bytes are not those that were written."""
    return InputError(
        f"{file}: changed or damaged since it was written", code=DAMAGED, hint="Make the plan again with `schedplan optimize`."
    )


def _canonical(document: Mapping[str, Json]) -> bytes:
    return (json.dumps(document, sort_keys=True, indent=2, ensure_ascii=True, allow_nan=False) + "\n").encode("ascii")


def _refuse_other_major(fields: Fields, kind: str, major: int) -> None:
    version = fields.text("schema_version")
    number = version.split(".")[0]
    if number != str(major):
        raise InputError(
            f"{fields.file}: a {kind} of schema version {version}; this schedplan reads version {major}",
            code=NEWER,
            hint="Read it with the schedplan that made it, or make it again.",
        )


def _no_json(file: str, why: str) -> InputError:
    return InputError(f"{file}: not a JSON record: {why}", code=NOT_THIS_KIND, hint="Name the folder of a result of schedplan.")


@dataclass(frozen=True, slots=True)
class Fields:
    """A JSON object whose values are asked for by their type; InputError, with the place, where one is missing or another."""

    values: Mapping[str, Json]
    file: str
    place: str = ""

    def text(self, key: str) -> str:
        value = self._required(key, "a text")
        return value if isinstance(value, str) else self._refuse(key, "a text")

    def optional_text(self, key: str) -> str | None:
        return None if self.values.get(key) is None else self.text(key)

    def number(self, key: str) -> float:
        value = self._required(key, "a number")
        if isinstance(value, bool) or not isinstance(value, int | float):
            return self._refuse(key, "a number")
        return float(value) if abs(value) <= _LARGEST else self._refuse(key, "a number")

    def optional_number(self, key: str) -> float | None:
        return None if self.values.get(key) is None else self.number(key)

    def whole(self, key: str) -> int:
        value = self._required(key, "a whole number")
        return self._refuse(key, "a whole number") if isinstance(value, bool) or not isinstance(value, int) else value

    def flag(self, key: str) -> bool:
        value = self._required(key, "true or false")
        return value if isinstance(value, bool) else self._refuse(key, "true or false")

    def texts(self, key: str) -> tuple[str, ...]:
        items = self._list(key)
        return tuple(item if isinstance(item, str) else self._refuse(f"{key}[{idx}]", "a text") for idx, item in enumerate(items))

    def numbers(self, key: str) -> tuple[float, ...]:
        items = self._list(key)
        if not all(isinstance(item, int | float) and not isinstance(item, bool) and abs(item) <= _LARGEST for item in items):
            self._refuse(key, "a list of numbers")
        return tuple(float(item) for item in items if isinstance(item, int | float))

    def within(self, key: str) -> Fields:
        """Return the object at a key."""
        value = self._required(key, "an object")
        return Fields(value, self.file, self._at(key)) if isinstance(value, dict) else self._refuse(key, "an object")

    def rows(self, key: str) -> tuple[Fields, ...]:
        """Return the objects of the list at a key."""
        return tuple(
            Fields(item, self.file, self._at(f"{key}[{idx}]"))
            if isinstance(item, dict)
            else self._refuse(f"{key}[{idx}]", "an object")
            for idx, item in enumerate(self._list(key))
        )

    def text_pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        """Return the (name, text) pairs of the object at a key, by name."""
        inner = self.within(key)
        return tuple((name, inner.text(name)) for name in sorted(inner.values))

    def choice(self, key: str, choices: type[Choice]) -> Choice:
        """Return the member of an enumeration whose value is the text of a key."""
        try:
            return choices(self.text(key))
        except ValueError:
            raise self.refusal(key, "one of " + ", ".join(str(choice.value) for choice in choices)) from None

    def refusal(self, key: str, expected: str) -> InputError:
        """Return the error for a value that is not what was expected."""
        seen = None if self.values.get(key) is None else str(self.values[key])[:80]
        message = "a value of the wrong kind" if key in self.values else "missing"
        fault = Fault(MALFORMED, message, file=self.file, column=self._at(key), seen=seen, expected=expected)
        return InputError.of_faults((fault,))

    def _list(self, key: str) -> list[Json]:
        value = self._required(key, "a list")
        return value if isinstance(value, list) else self._refuse(key, "a list")

    def _required(self, key: str, expected: str) -> Json:
        if key not in self.values:
            self._refuse(key, expected)
        return self.values[key]

    def _refuse(self, key: str, expected: str) -> Never:
        raise self.refusal(key, expected)

    def _at(self, key: str) -> str:
        return f"{self.place}.{key}" if self.place else key
