"""Forecasts of one SARIMA from many origins at once, at parameters that stay. It fits nothing."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from schedplan.forecast.lags import LagPolynomial


def roll_forward(
    values: NDArray[np.float64],
    errors: NDArray[np.float64],
    left: LagPolynomial,
    right: LagPolynomial,
    origins: NDArray[np.int64],
    horizon: int,
) -> NDArray[np.float64]:
    """Return left y = right e continued with e = 0 from each origin on, float64 [origins, horizon]; NaN where it is too early.

    values, errors: float64 [n], y and the one-step errors. It is too early where the terms look back beyond the first value; what
    stands at or after an origin has no say in its row.
    """
    known = origins >= max(left.reach, right.reach)
    rows = origins[known]
    steps = np.zeros((horizon, len(rows)))
    for series, polynomial, sign in ((values, left, -1.0), (errors, right, 1.0)):
        windows = sliding_window_view(np.concatenate((series, np.zeros(horizon))), horizon)
        for lag, coefficient in polynomial.terms:
            behind = min(lag, horizon)
            steps[:behind] += sign * coefficient * windows[rows - lag, :behind].T
    ahead = [(lag, coefficient) for lag, coefficient in left.terms if lag < horizon]
    for step in range(1, horizon):
        for lag, coefficient in ahead:
            if lag > step:
                break
            steps[step] -= coefficient * steps[step - lag]
    result = np.full((len(origins), horizon), np.nan)
    result[known] = steps.T
    return result


def error_growth(left: LagPolynomial, right: LagPolynomial, sigma: float, horizon: int) -> NDArray[np.float64]:
    """Return the deviation of the error 1, 2, ... steps ahead, where that of one step is sigma; float64 [horizon]."""
    return np.asarray(sigma * np.sqrt(np.cumsum(response(left, right, horizon) ** 2)))


def response(left: LagPolynomial, right: LagPolynomial, horizon: int) -> NDArray[np.float64]:
    """Return what a shock of 1 does to the value 0, 1, ... steps later (the psi weights); float64 [horizon]."""
    psi = np.zeros(horizon)
    psi[0] = 1.0
    for lag, coefficient in right.terms:
        if lag < horizon:
            psi[lag] += coefficient
    ahead = [(lag, coefficient) for lag, coefficient in left.terms if lag < horizon]
    for step in range(1, horizon):
        for lag, coefficient in ahead:
            if lag > step:
                break
            psi[step] -= coefficient * psi[step - lag]
    return psi
