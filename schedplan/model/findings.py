"""What is said about data and plans: findings with a code, and measures with a unit."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """One statement: `subject` names what it is about (`job j17`), `message` fact and limit, `hint` the next step."""

    code: str
    severity: Severity
    subject: str
    message: str
    hint: str | None = None
    file: str | None = None
    row: int | None = None
    column: str | None = None


@dataclass(frozen=True, slots=True)
class Measure:
    """A number we report. value None = it has none here. Labels in the order of their names; empty = the whole."""

    name: str
    value: float | None
    unit: str
    labels: tuple[tuple[str, str], ...] = ()
