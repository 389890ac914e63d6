"""Conditional sum of squares of one seasonal ARMA model: a fast way to its parameters.

(1 - phi B)(1 - B^m) y = (1 + theta B)(1 + Theta B^m) e, with e = 0 before the first value. Box, Jenkins, Reinsel, Ljung,
Time Series Analysis (5th ed., 2015), chapter 7.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.signal import lfilter

LARGEST_ROOT = 0.98
MOST_STEPS = 40
_STARTS = ((0.5, 0.0, -0.5), (0.9, -0.3, -0.8))


def ma_polynomial(theta: float, seasonal_theta: float, season: int) -> NDArray[np.float64]:
    """Return the coefficients of (1 + theta B)(1 + Theta B^m), lowest power first; float64 [m + 2]."""
    seasonal = np.zeros(season + 1)
    seasonal[0], seasonal[season] = 1.0, seasonal_theta
    return np.convolve(np.array([1.0, theta]), seasonal)


def fit_airline(values: NDArray[np.float64], season: int) -> NDArray[np.float64]:
    """Return (phi, theta, Theta) of least conditional sum of squares, each inside (-0.98, 0.98).

    values: float64 [n], n > m + 2, of about unit deviation. The best of two starts; at most 40 L-BFGS steps each.
    """
    change = values[season:] - values[:-season]

    def log_mean_square(angles: NDArray[np.float64]) -> float:
        phi, theta, seasonal_theta = LARGEST_ROOT * np.tanh(angles)
        errors = lfilter([1.0, -phi], ma_polynomial(theta, seasonal_theta, season), change)
        return float(np.log(np.mean(errors**2) + 1e-300))

    best = min(
        (
            minimize(
                log_mean_square,
                np.arctanh(np.array(start) / LARGEST_ROOT),
                method="L-BFGS-B",
                bounds=[(-4.0, 4.0)] * 3,
                options={"maxiter": MOST_STEPS},
            )
            for start in _STARTS
        ),
        key=lambda found: float(found.fun),
    )
    return np.asarray(LARGEST_ROOT * np.tanh(best.x), dtype=np.float64)
