"""Quantities: the ASCII grammar of numbers and durations, and the integer scales of the solver.

The one place where floats become integers. It knows nothing of tables or of the model.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import floor, isfinite, log2

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d{1,18}(?:\.0*)?", re.ASCII)
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|min|h|d|w)", re.ASCII)
_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800}

MICRO = 1_000_000
SLICE_TOLERANCE = 0.02
OBJECTIVE_BITS = 56


class QuantityError(ValueError):
    """A text that is not the quantity asked for; the message says what was expected."""


def parse_number(text: str) -> float:
    """Return the finite decimal number that `text` spells in ASCII; QuantityError otherwise (also for inf, nan, 1_0, 1,0)."""
    stripped = text.strip()
    if _NUMBER.fullmatch(stripped) is None:
        raise QuantityError("a number such as 12 or 0.5, without separators or unit")
    value = float(stripped)
    if not isfinite(value):
        raise QuantityError("a finite number")
    return value


def parse_integer(text: str) -> int:
    """Return the whole number that `text` spells (`8` or `8.0`), exactly; QuantityError otherwise."""
    stripped = text.strip()
    if _INTEGER.fullmatch(stripped) is None:
        raise QuantityError("a whole number such as 8")
    return int(stripped.split(".")[0])


def parse_duration_s(text: str) -> int:
    """Return the seconds of `90s`, `15m`, `24h`, `7d` or `2w`; QuantityError otherwise."""
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise QuantityError("a duration with its unit such as 15m, 24h or 7d")
    return round(float(match.group(1)) * _SECONDS[match.group(2)])


def exact_duration_s(text: str) -> Fraction:
    """Return the seconds of `90s`, `1.5h` or `7d`, exactly; QuantityError otherwise, also for a bare number."""
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise QuantityError("a duration with its unit such as 15m, 24h or 7d")
    return Fraction(match.group(1)) * _SECONDS[match.group(2)]


def slices_of(share: float, slices_per_gpu: int) -> int:
    """Return the slices that `share` (0 < share <= 1) of a device takes: ceil, a whole number within 0.02 slice kept."""
    exact = share * slices_per_gpu
    nearest = round(exact)
    if nearest >= 1 and abs(exact - nearest) <= SLICE_TOLERANCE:
        return nearest
    return floor(exact) + 1


def micro(value: float) -> int:
    """Return an amount in whole millionths, to the nearest, so that four quarters of a capacity fit into it.

    What is rounded down by this is off by at most half a millionth per worker, which the checks forgive.
    """
    return round(value * MICRO)


def objective_scale(largest_sum: float) -> float:
    """Return the power of two by which a float objective is scaled to integers.

    `largest_sum` bounds |objective| over all solutions. The scaled objective stays below 2**56, so a coefficient loses at
    most half a unit and a solution at most half a unit per unit of its variables: the caller states that bound.
    """
    if not largest_sum > 0:
        return 1.0
    return float(2.0 ** (OBJECTIVE_BITS - max(floor(log2(largest_sum)) + 1, 0)))
