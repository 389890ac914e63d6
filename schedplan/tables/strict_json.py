"""JSON of others read strictly, in this one place: no key twice in a mapping, no NaN, no number that no float holds."""

from __future__ import annotations

import json
from math import isfinite
from typing import NoReturn


class JsonError(ValueError):
    """What is wrong with a text, and in which line of it, where that is known."""

    def __init__(self, message: str, row: int | None = None) -> None:
        super().__init__(message)
        self.message, self.row = message, row


def strict_json(text: str, *, numbers_as_texts: bool = False) -> object:
    """Return what a text of JSON says; JsonError for anything else. numbers_as_texts: numbers as they are written."""
    number: type[str] | None = str if numbers_as_texts else None
    try:
        found: object = json.loads(
            text,
            object_pairs_hook=_mapping,
            parse_constant=_refuse_constant,
            parse_float=number or _finite,
            parse_int=number,
        )
    except JsonError:
        raise
    except json.JSONDecodeError as problem:
        raise JsonError(f"this is no JSON: {problem.msg}", problem.lineno) from None
    except RecursionError:
        raise JsonError("the JSON is nested too deeply") from None
    except ValueError as problem:
        raise JsonError(f"this is no JSON: {str(problem).splitlines()[0]}") from None
    return found


def _mapping(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise JsonError(f"the key {twice!r} stands twice in one mapping")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise JsonError(f"{name} is no JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise JsonError(f"the number {text[:40]} is out of range")
    return value
