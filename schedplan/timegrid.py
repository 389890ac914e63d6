"""Time: instants, and the slots of a plan. The only code that turns one into the other.

An instant is an int, seconds since 1970-01-01T00:00:00Z. Intervals are half open. Releases are rounded up to slots,
hard deadlines down, durations up.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import cached_property, lru_cache
from math import ceil

import numpy as np
from numpy.typing import NDArray

EARLIEST_YEAR, LATEST_YEAR = 1980, 2200
_ISO = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|z|UTC|[+-]\d{2}:?\d{2})?", re.ASCII
)


class InstantError(ValueError):
    """A text or local time that names no single instant; the message says why."""


def parse_instant(text: str, zone: tzinfo) -> tuple[int, bool]:
    """Return (instant in seconds, whether `zone` was needed) of an ISO 8601 date or date-time.

    An offset in the text wins over `zone`. Fractions of a second are rounded down. Raises InstantError for any other
    grammar, a year outside 1980 to 2200, and a local time that a change of clocks skips or repeats.
    """
    match = _ISO.fullmatch(text.strip())
    if match is None:
        raise InstantError("not an ISO 8601 time such as 2026-12-01T00:00:00Z")
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    if not EARLIEST_YEAR <= year <= LATEST_YEAR:
        raise InstantError(f"the year {year} is outside {EARLIEST_YEAR} to {LATEST_YEAR}")
    try:
        wall = datetime(year, month, day, hour, minute, second)
    except ValueError as problem:
        raise InstantError(str(problem)) from None
    offset = match.group(8)
    if offset is None:
        return local_instant(wall, zone), True
    return int(wall.replace(tzinfo=UTC).timestamp()) - _offset_seconds(offset), False


def local_instant(wall: datetime, zone: tzinfo) -> int:
    """Return the instant of a naive wall-clock time in `zone`; InstantError where the clock skips or repeats it."""
    first, second = (int(wall.replace(tzinfo=zone, fold=fold).timestamp()) for fold in (0, 1))
    if first == second:
        return first
    kind = "occurs twice" if first < second else "does not exist"
    raise InstantError(f"{wall.isoformat()} {kind} in {zone} (change of clocks); write it with its offset")


def format_instant(instant_s: int) -> str:
    """Return `2026-12-01T00:00:00Z`."""
    return datetime.fromtimestamp(instant_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def format_local(instant_s: int, zone: tzinfo) -> str:
    """Return the wall-clock time with its offset, `2026-12-01 02:00+08:00`, as people read it; seconds where there are any."""
    return datetime.fromtimestamp(instant_s, zone).isoformat(" ", "seconds" if instant_s % 60 else "minutes")


def _offset_seconds(offset: str) -> int:
    if offset in ("Z", "z", "UTC"):
        return 0
    digits = offset[1:].replace(":", "")
    hours, minutes = int(digits[:2]), int(digits[2:])
    if hours > 14 or minutes > 59:
        raise InstantError(f"{offset} is no offset of a time zone")
    return (-1 if offset[0] == "-" else 1) * (hours * 3600 + minutes * 60)


@dataclass(frozen=True)
class TimeGrid:
    """Consecutive slots. `edges_s` holds their bounds, one more than slots, strictly increasing seconds."""

    edges_s: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.edges_s) < 2 or any(b <= a for a, b in zip(self.edges_s, self.edges_s[1:], strict=False)):
            raise ValueError("a time grid needs at least two strictly increasing edges")

    @classmethod
    def regular(cls, start_s: int, step_minutes: int, n_slots: int) -> TimeGrid:
        """Return `n_slots` slots of `step_minutes` each."""
        return cls(tuple(start_s + step_minutes * 60 * slot for slot in range(n_slots + 1)))

    @classmethod
    def uneven(cls, start_s: int, runs: tuple[tuple[int, int], ...]) -> TimeGrid:
        """Return the slots of `runs`, each (number of slots, minutes of one)."""
        edges = [start_s]
        for n_slots, minutes in runs:
            for _ in range(n_slots):
                edges.append(edges[-1] + minutes * 60)
        return cls(tuple(edges))

    @property
    def n_slots(self) -> int:
        return len(self.edges_s) - 1

    @property
    def start_s(self) -> int:
        return self.edges_s[0]

    @property
    def end_s(self) -> int:
        return self.edges_s[-1]

    @cached_property
    def hours(self) -> NDArray[np.float64]:
        """Length of each slot in hours; float64 [n_slots]."""
        edges_s = np.asarray(self.edges_s, dtype=np.float64)  # exact: seconds stay far below 2**53
        return (edges_s[1:] - edges_s[:-1]) / 3600.0

    def slot_start_s(self, slot: int) -> int:
        return self.edges_s[slot]

    def slot_end_s(self, slot: int) -> int:
        return self.edges_s[slot + 1]

    def slot_of(self, instant_s: int) -> int | None:
        """Return the slot that holds an instant, None outside the grid."""
        if not self.start_s <= instant_s < self.end_s:
            return None
        return bisect_right(self.edges_s, instant_s) - 1

    def starting_slot(self, instant_s: int) -> int | None:
        """Return the slot that begins exactly at an instant, None where none does."""
        slot = bisect_left(self.edges_s, instant_s)
        return slot if slot < self.n_slots and self.edges_s[slot] == instant_s else None

    def release_slot(self, instant_s: int | None) -> int:
        """Return the first slot that begins at or after an instant; `n_slots` where none does; 0 for None."""
        return 0 if instant_s is None else min(bisect_left(self.edges_s, instant_s), self.n_slots)

    def deadline_edge(self, instant_s: int | None) -> int:
        """Return the last edge at or before an instant (work must end by it; 0 = before the grid); `n_slots` for None."""
        if instant_s is None:
            return self.n_slots
        return max(bisect_right(self.edges_s, instant_s) - 1, 0)

    def end_edge(self, start_slot: int, minutes: float) -> int | None:
        """Return the first edge at which work of `minutes` begun with `start_slot` is over, None beyond the grid.

        Always at least one slot. A millionth of a minute is forgiven, so that 60.0000001 minutes are one hour.
        """
        return _end_edges(self.edges_s, _needed_s(minutes))[start_slot]

    def end_edges(self, minutes: float) -> tuple[int | None, ...]:
        """Return the same for every start slot."""
        return _end_edges(self.edges_s, _needed_s(minutes))

    def days(self, zone: tzinfo) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """Return (date, slots) per calendar day of `zone`, in order; a slot belongs to the day in which it begins."""
        slots_by_day: dict[str, list[int]] = {}
        for slot in range(self.n_slots):
            day = datetime.fromtimestamp(self.edges_s[slot], zone).date().isoformat()
            slots_by_day.setdefault(day, []).append(slot)
        return tuple((day, tuple(slots)) for day, slots in slots_by_day.items())


def _needed_s(minutes: float) -> int:
    return max(ceil(minutes * 60 - 6e-5), 1)


@lru_cache(maxsize=4096)
def _end_edges(edges_s: tuple[int, ...], need_s: int) -> tuple[int | None, ...]:
    """Return the first edge at which work of so many seconds is over, by the slot that it begins with; None beyond the grid."""
    edges = (bisect_left(edges_s, start_s + need_s) for start_s in edges_s[:-1])
    return tuple(edge if edge < len(edges_s) else None for edge in edges)
