"""Quantities of Kubernetes: `64Gi`, `500m`, `1e3`, `0.5`; exact, and refused where the unit is none or in doubt.

Grammar: kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity (2026-11).
"""

from __future__ import annotations

import re
from fractions import Fraction

from schedplan.units import QuantityError

_QUANTITY = re.compile(
    r"(?P<number>\d{1,24}(?:\.\d{0,12})?|\.\d{1,12})"
    r"(?:(?P<suffix>[numkMGTPE]|[KMGTPE]i)|[eE](?P<power>[+-]?\d{1,2}))?",
    re.ASCII,
)
_DECIMAL = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}
_GIB = 1 << 30
_MIB = 1 << 20
EXPECTED = "a quantity of Kubernetes such as 500m, 2, 64Gi or 8G"


def quantity(text: str) -> Fraction:
    """Return the exact value of a quantity >= 0 in its base unit (cores, bytes, pieces); QuantityError for anything else."""
    match = _QUANTITY.fullmatch(text.strip())
    if match is None:
        raise QuantityError(EXPECTED)
    value = Fraction(match.group("number"))
    suffix, power = match.group("suffix"), match.group("power")
    if power is not None:
        return value * Fraction(10) ** int(power)
    if suffix in _BINARY:
        return value * Fraction(1024) ** _BINARY[suffix]
    return value * Fraction(10) ** _DECIMAL[suffix] if suffix else value


def cores(text: str) -> float:
    """Return cores."""
    return float(quantity(text))


def pieces(text: str) -> int:
    """Return a whole number of devices or other pieces; QuantityError where it is none."""
    value = quantity(text)
    if value.denominator != 1:
        raise QuantityError("a whole number of devices")
    return int(value)


def memory_bytes(text: str) -> Fraction:
    """Return bytes; QuantityError where less than a MiB is stated, for then another unit was meant (`400m` is 0.4 byte)."""
    value = quantity(text)
    if 0 < value < _MIB:
        amount = text.strip().removesuffix("m")
        meant = f"write {amount}Mi or {amount}M if that is meant" if amount.isdecimal() else "write it with its unit, such as 400Mi"
        raise QuantityError(f"at least a MiB ({text.strip()} is {float(value):g} bytes); {meant}")
    return value


def gib(value: Fraction) -> float:
    """Return GiB of bytes."""
    return float(value / _GIB)


def is_milli(text: str) -> bool:
    """Return whether a quantity is in thousandths, which for bytes is worth a look."""
    return text.strip().endswith("m")
