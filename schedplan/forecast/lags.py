"""Polynomials in the lag operator B (B y(t) = y(t-1)) with few terms, and series multiplied and divided by them.

It knows no models. Whatever stands before the first value counts as 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NEGLIGIBLE = 1e-17


@dataclass(frozen=True, slots=True)
class LagPolynomial:
    """1 + sum over i of coefficients[i] * B^lags[i]; lags increasing, at least 1."""

    lags: tuple[int, ...] = ()
    coefficients: tuple[float, ...] = ()

    def __mul__(self, other: LagPolynomial) -> LagPolynomial:
        terms: dict[int, float] = {}
        for lag, value in ((0, 1.0), *self.terms):
            for other_lag, other_value in ((0, 1.0), *other.terms):
                terms[lag + other_lag] = terms.get(lag + other_lag, 0.0) + value * other_value
        kept = sorted((lag, value) for lag, value in terms.items() if lag and value)
        return LagPolynomial(tuple(lag for lag, _ in kept), tuple(value for _, value in kept))

    @property
    def terms(self) -> tuple[tuple[int, float], ...]:
        return tuple(zip(self.lags, self.coefficients, strict=True))

    @property
    def reach(self) -> int:
        """Return the longest lag, 0 without any."""
        return self.lags[-1] if self.lags else 0


def delayed(values: NDArray[np.float64], lag: int) -> NDArray[np.float64]:
    """Return B^lag applied along the last axis."""
    moved = np.zeros_like(values)
    if lag < values.shape[-1]:
        moved[..., lag:] = values[..., :-lag]
    return moved


def times(values: NDArray[np.float64], coefficient: float, lag: int) -> NDArray[np.float64]:
    """Return (1 + coefficient B^lag) applied along the last axis."""
    result = values.copy()
    if lag < values.shape[-1]:
        result[..., lag:] += coefficient * values[..., :-lag]
    return result


def over(values: NDArray[np.float64], coefficient: float, lag: int) -> NDArray[np.float64]:
    """Return the inverse of (1 + coefficient B^lag), |coefficient| < 1, applied along the last axis.

    1 / (1 - f) is the product of 1 + f^(2^k) over k = 0, 1, ...: as many passes over whole arrays as the logarithm of the
    length, each value from the ones before it alone.
    """
    result = values.copy()
    factor, reach = -coefficient, lag
    while reach < values.shape[-1] and abs(factor) > NEGLIGIBLE:
        result[..., reach:] += factor * result[..., :-reach]
        factor, reach = factor * factor, 2 * reach
    return result
