"""Lengths of time by ISO 8601: `PT15M`, `P1DT2H`, `P2W`; exact. Years and months have no fixed length and are refused."""

from __future__ import annotations

import re
from fractions import Fraction

from schedplan.units import QuantityError

_DURATION = re.compile(
    r"P(?:(?P<W>\d{1,9}(?:[.,]\d{1,9})?)W|(?:(?P<D>\d{1,9}(?:[.,]\d{1,9})?)D)?"
    r"(?:T(?:(?P<H>\d{1,9}(?:[.,]\d{1,9})?)H)?(?:(?P<M>\d{1,9}(?:[.,]\d{1,9})?)M)?(?:(?P<S>\d{1,9}(?:[.,]\d{1,9})?)S)?)?)",
    re.ASCII,
)
_CALENDAR = re.compile(r"P\d[\d.,YMDW]*[YM].*", re.ASCII)
_SECONDS = {"W": 604_800, "D": 86_400, "H": 3_600, "M": 60, "S": 1}


def iso_duration_s(text: str) -> Fraction:
    """Return the seconds of a length of time, exactly; QuantityError for anything else."""
    match = _DURATION.fullmatch(text.strip())
    parts = {} if match is None else {name: part for name, part in match.groupdict().items() if part is not None}
    if not parts or text.strip().endswith("T"):
        if _CALENDAR.fullmatch(text.strip().split("T")[0]):
            raise QuantityError("days, hours, minutes and seconds, for years and months have no fixed length")
        raise QuantityError("a length of time such as PT15M or P1DT2H")
    return sum((Fraction(part.replace(",", ".")) * _SECONDS[name] for name, part in parts.items()), Fraction(0))
