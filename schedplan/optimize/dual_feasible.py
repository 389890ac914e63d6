"""Dual feasible functions: values of items under which whatever fits one bin together adds up to at most 1.

Source: Fekete and Schepers 2001, doi.org/10.1007/s101070100243.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import floor

FUNCTIONS = (1, 2)


def dual_feasible(share: Fraction, k: int) -> Fraction:
    """Return f_k of a share of a bin, 0 to 1: the share itself where (k + 1) of them are whole, else floor((k + 1) share) / k."""
    grown = share * (k + 1)
    return share if grown.denominator == 1 else Fraction(floor(grown), k)


def scale(k: int) -> int:
    """Return the whole number that makes every value of f_k whole."""
    return 2 * (k + 1) * k


@lru_cache(maxsize=65_536)
def lifted(demand: int, capacity: int, k: int) -> int:
    """Return scale(k) times f_k of a demand on a capacity, at most that of the whole."""
    return int(dual_feasible(Fraction(min(demand, capacity), capacity), k) * scale(k))
