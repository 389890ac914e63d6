"""Slurm's lengths of time: `1-02:03:04`, `02:03:04`, `03:04`, `30`, and the words that stand in their place.

Source: slurm.schedmd.com/sbatch.html, --time (2026-11). A bare number is minutes in a request, so a reader says so.
"""

from __future__ import annotations

import re
from fractions import Fraction

from schedplan.units import QuantityError

_CLOCK = re.compile(
    r"(?:(?P<days>\d{1,6})-)?(?P<first>\d{1,9})(?::(?P<second>\d{1,2}))?(?::(?P<third>\d{1,2}))?(?P<part>\.\d{1,9})?", re.ASCII
)
UNLIMITED_WORDS = frozenset({"UNLIMITED", "INFINITE"})
UNKNOWN_WORDS = frozenset({"", "PARTITION_LIMIT", "INVALID", "NOT_SET", "N/A", "NONE", "UNKNOWN"})
_EXPECTED = "a length of time such as 1-02:03:04, 02:03:04 or 03:04"


def clock_s(text: str) -> Fraction:
    """Return the seconds of a length of time, exactly; QuantityError for anything else.

    With days: days-hours[:minutes[:seconds]]; without: [hours:]minutes:seconds; a bare number is minutes.
    """
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        raise QuantityError(_EXPECTED)
    days, parts = match.group("days"), [int(part) for part in match.group("first", "second", "third") if part is not None]
    rest = Fraction(match.group("part") or 0)
    if rest and len(parts) == 1:
        raise QuantityError(_EXPECTED)
    if any(part > 59 for part in parts[1:]):
        raise QuantityError("minutes and seconds below 60")
    return _seconds(None if days is None else int(days), parts) + rest


def _seconds(days: int | None, parts: list[int]) -> Fraction:
    if days is not None:
        hours, minutes, seconds = (*parts, 0, 0)[:3]
        return Fraction(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
    if len(parts) == 1:
        return Fraction(parts[0] * 60)
    hours, minutes, seconds = (0, *parts)[-3:] if len(parts) == 2 else parts
    return Fraction((hours * 60 + minutes) * 60 + seconds)


def is_unlimited(text: str) -> bool:
    """Return whether a text says that there is no limit."""
    return text.strip().upper() in UNLIMITED_WORDS


def is_unknown(text: str) -> bool:
    """Return whether a text says that nothing is said here: empty, or `Partition_Limit`."""
    return text.strip().upper() in UNKNOWN_WORDS
