"""A value of a source that is not what its column or field holds. It knows no source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldError(Exception):
    """column: a column, or the place of a field such as `spec.containers[0].name`."""

    column: str
    seen: str
    expected: str
    message: str = "the cell is not what the column holds"
