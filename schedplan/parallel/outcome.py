"""What became of one input of many: its value, or why there is none. It knows no processes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

Given = TypeVar("Given")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Failure:
    """An error as words: the name of its type and its message."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Value]):
    """Either a value or a failure; `failure` None says which."""

    value: Value | None
    failure: Failure | None = None


def attempt(function: Callable[[Given], Value], given: Given) -> Outcome[Value]:
    """Return what a function makes of one input; whatever it raises is a failure."""
    try:
        return Outcome(function(given))
    except Exception as problem:  # noqa: BLE001 - one bad input never ends the rest
        return Outcome(None, Failure(type(problem).__name__, str(problem)))
