"""A value of a source that is not what its column or field holds. It knows no source."""

from __future__ import annotations


class FieldError(Exception):
    """column: a column, or the place of a field such as `spec.containers[0].name`."""

    def __init__(self, column: str, seen: str, expected: str, message: str = "the cell is not what the column holds") -> None:
        super().__init__(f"{column}: {message}")
        self.column, self.seen, self.expected, self.message = column, seen, expected, message
