"""What is known in advance and moves load, such as a promotion. It does not know by how much."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Event:
    """One row of the table `events`: half-open in seconds. series None: it moves every load. value: its strength, above 0."""

    name: str
    start_s: int
    end_s: int
    value: float = 1.0
    series: str | None = None

    def moves(self, unique_id: str) -> bool:
        return self.series is None or self.series == unique_id
