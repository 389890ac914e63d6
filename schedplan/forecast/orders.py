"""Which terms a SARIMA has, with one season or two, and what its parameters say. It knows no values.

(1 - phi1 B - phi2 B^2) (1 - B)^d prod_m (1 - Phi_m B^m) (1 - B^m)^D_m y = (1 + theta B) prod_m (1 + Theta_m B^m) e. Box, Jenkins,
Reinsel, Ljung, Time Series Analysis (5th ed., 2015), chapter 9.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast.lags import LagPolynomial

# Rounded parameters make the last bits of an optimiser's path, which differ by machine, not matter.
PARAMETER_DIGITS = 4
LARGEST_ROOT = 0.98


@dataclass(frozen=True, slots=True)
class Seasonal:
    """The terms at the lag of one season, each 0 or 1."""

    season: int
    ar: int
    diff: int
    ma: int


@dataclass(frozen=True, slots=True)
class Orders:
    """ar: 0 to 2; diff: 0 or 1; ma: 1. Parameters in order: AR as partial autocorrelations, theta, then Phi, Theta per season."""

    ar: int
    diff: int
    ma: int
    seasonal: tuple[Seasonal, ...] = ()

    @property
    def name(self) -> str:
        """Return the orders as they are usually written, such as (1,0,1)(0,1,1)24."""
        seasonal = "".join(f"({each.ar},{each.diff},{each.ma}){each.season}" for each in self.seasonal)
        return f"({self.ar},{self.diff},{self.ma}){seasonal}"

    @property
    def n_parameters(self) -> int:
        return self.ar + self.ma + sum(each.ar + each.ma for each in self.seasonal)

    @property
    def lost(self) -> int:
        """Return how many first values have no difference."""
        return self.diff + sum(each.diff * each.season for each in self.seasonal)

    @property
    def burn_in(self) -> int:
        """Return from which value on an error looks back on observed values alone, as far as its AR terms go."""
        return self.lost + self.ar + sum(each.ar * each.season for each in self.seasonal)

    def ar_terms(self, parameters: NDArray[np.float64]) -> tuple[LagPolynomial, ...]:
        """Return the factors 1 - phi1 B - phi2 B^2 and 1 - Phi_m B^m."""
        plain = ar_coefficients(parameters[: self.ar])
        factors = [LagPolynomial(tuple(range(1, self.ar + 1)), tuple(-plain))] if self.ar else []
        at = self.ar + self.ma
        for each in self.seasonal:
            if each.ar:
                factors.append(LagPolynomial((each.season,), (-float(parameters[at]),)))
            at += each.ar + each.ma
        return tuple(factors)

    def ma_terms(self, parameters: NDArray[np.float64]) -> tuple[tuple[int, float], ...]:
        """Return (lag, coefficient) of the factors 1 + theta B and 1 + Theta_m B^m."""
        factors = [(1, float(parameters[self.ar]))] if self.ma else []
        at = self.ar + self.ma
        for each in self.seasonal:
            at += each.ar
            if each.ma:
                factors.append((each.season, float(parameters[at])))
            at += each.ma
        return tuple(factors)

    def left(self, parameters: NDArray[np.float64]) -> LagPolynomial:
        """Return the whole of what stands before y."""
        product = LagPolynomial()
        for factor in (*self.ar_terms(parameters), *(LagPolynomial((lag,), (-1.0,)) for lag in self.differences)):
            product = product * factor
        return product

    def right(self, parameters: NDArray[np.float64]) -> LagPolynomial:
        """Return the whole of what stands before e."""
        product = LagPolynomial()
        for lag, coefficient in self.ma_terms(parameters):
            product = product * LagPolynomial((lag,), (coefficient,))
        return product

    @property
    def differences(self) -> tuple[int, ...]:
        """Return the lags that are differenced."""
        return (*((1,) * self.diff), *(each.season for each in self.seasonal if each.diff))


def ar_coefficients(partials: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return phi of up to two partial autocorrelations, each inside (-1, 1): stationary whatever they are."""
    if len(partials) < 2:
        return partials
    first, second = partials
    return np.array([first * (1 - second), second])


def airline(season: int) -> Orders:
    """Return (1,0,1)(0,1,1)m: an ARMA around the last season, smoothed over seasons."""
    return Orders(1, 0, 1, (Seasonal(season, 0, 1, 1),))
