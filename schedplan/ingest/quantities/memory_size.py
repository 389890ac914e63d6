"""Sizes of memory with their unit: `64Gi`, `64 GiB`, `8000 MiB`, `8GB`; exact. A bare number has no unit, and `m` is no mega."""

from __future__ import annotations

import re
from fractions import Fraction

from schedplan.units import QuantityError

_SIZE = re.compile(r"(\d{1,18}(?:\.\d{1,9})?)\s*([KkMGTP])(i?)([Bb]?)", re.ASCII)
_BYTES = re.compile(r"(\d{1,24})\s*B", re.ASCII)
_POWERS = {"K": 1, "k": 1, "M": 2, "G": 3, "T": 4, "P": 5}
UNITS = ("B", "KB", "KiB", "MB", "MiB", "GB", "GiB", "TB", "TiB", "Ki", "Mi", "Gi", "Ti")


def memory_bytes(text: str) -> Fraction:
    """Return bytes, exactly: with i powers of 1024, without it powers of 1000; QuantityError for anything else."""
    plain = _BYTES.fullmatch(text.strip())
    if plain is not None:
        return Fraction(plain.group(1))
    match = _SIZE.fullmatch(text.strip())
    if match is None or match.group(4) == "b":
        raise QuantityError("a size with its unit such as 64Gi, 8000 MiB or 8GB")
    number, prefix, binary, _ = match.groups()
    return Fraction(number) * Fraction(1024 if binary else 1000) ** _POWERS[prefix]
