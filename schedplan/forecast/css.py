"""Parameters of a SARIMA by least conditional sum of squares: e = 0 before the first value, a few Gauss-Newton steps.

The derivative of the errors by each parameter is one more pass of the same filters, so a step costs two evaluations however many
parameters there are. Box, Jenkins, Reinsel, Ljung, Time Series Analysis (5th ed., 2015), chapter 7; damping after Marquardt, 1963,
https://doi.org/10.1137/0111030.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedplan.forecast.lags import LagPolynomial, delayed, over, times
from schedplan.forecast.orders import LARGEST_ROOT, PARAMETER_DIGITS, Orders

MOST_STEPS = 20
ENOUGH = 1e-4
LARGEST_ANGLE = 4.0
FIRST_DAMPING, LEAST_DAMPING = 1e-2, 1e-6
_STEEPEST_START = 0.99


@dataclass(frozen=True, slots=True)
class Start:
    """Where a fit begins, whatever the orders; ar as partial autocorrelations."""

    ar: tuple[float, float]
    ma: float
    seasonal_ar: float
    seasonal_ma: float


STARTS = (Start((0.6, 0.1), 0.0, 0.9, -0.6), Start((0.9, -0.3), -0.3, 0.3, -0.8))


def fit_css(values: NDArray[np.float64], orders: Orders, start: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Return the parameters of least conditional sum of squares, float64 [orders.n_parameters], each inside (-0.98, 0.98).

    values: float64 [n], n > orders.burn_in, of about unit deviation. start: parameters to begin from; without, the better of two
    usual ones. At most 20 steps each; a step that gains less than a ten-thousandth is the last.
    """
    change = differenced(values, orders)
    starts = first_guesses(orders) if start is None else (start,)
    _, best = min((_descend(change, orders, each) for each in starts), key=lambda found: found[0])
    return np.round(best, PARAMETER_DIGITS)


def first_guesses(orders: Orders) -> tuple[NDArray[np.float64], ...]:
    """Return where fits begin: the values that load usually has (our choice)."""
    guesses = []
    for start in STARTS:
        guess = [*start.ar[: orders.ar], *((start.ma,) * orders.ma)]
        for each in orders.seasonal:
            guess += [start.seasonal_ar] * each.ar + [start.seasonal_ma] * each.ma
        guesses.append(np.array(guess))
    return tuple(guesses)


def _descend(change: NDArray[np.float64], orders: Orders, start: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """Return the least sum of squares found from one start, and its parameters."""
    angles = np.arctanh(np.clip(start / LARGEST_ROOT, -_STEEPEST_START, _STEEPEST_START))
    parameters = LARGEST_ROOT * np.tanh(angles)
    errors, slopes = _errors_and_slopes(change, orders, parameters)
    cost, damping = _sum_of_squares(errors), FIRST_DAMPING
    for _ in range(MOST_STEPS):
        steepness = slopes * (LARGEST_ROOT - parameters**2 / LARGEST_ROOT)[:, None]
        tried = np.clip(angles + _step(steepness, errors, damping), -LARGEST_ANGLE, LARGEST_ANGLE)
        found = LARGEST_ROOT * np.tanh(tried)
        new_errors, new_slopes = _errors_and_slopes(change, orders, found)
        new_cost = _sum_of_squares(new_errors)
        if not new_cost < cost:
            damping *= 10.0
            continue
        gain = 1 - new_cost / cost
        angles, parameters, errors, slopes, cost = tried, found, new_errors, new_slopes, new_cost
        damping = max(damping / 10.0, LEAST_DAMPING)
        if gain < ENOUGH:
            break
    return cost, parameters


def differenced(values: NDArray[np.float64], orders: Orders) -> NDArray[np.float64]:
    """Return the differences the orders ask for, float64 [n]; 0 where there are none yet."""
    change = values
    for lag in orders.differences:
        change = times(change, -1.0, lag)
    if orders.lost:
        change[: orders.lost] = 0.0
    return change


def errors_of(values: NDArray[np.float64], orders: Orders, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the one-step errors, float64 [n], each from the values up to it alone."""
    errors = differenced(values, orders)
    for lag, coefficient in orders.ma_terms(parameters):
        errors = over(errors, coefficient, lag)
    for factor in orders.ar_terms(parameters):
        errors = _filtered(errors, factor)
    return errors


def _errors_and_slopes(
    change: NDArray[np.float64], orders: Orders, parameters: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the errors after the burn-in, float64 [n'], and their derivative by each parameter, float64 [parameters, n']."""
    smoothed = change
    ma_terms, ar_terms = orders.ma_terms(parameters), orders.ar_terms(parameters)
    for lag, coefficient in ma_terms:
        smoothed = over(smoothed, coefficient, lag)
    errors = smoothed
    for factor in ar_terms:
        errors = _filtered(errors, factor)
    slopes = np.empty((orders.n_parameters, len(change)))
    at = orders.ar
    if orders.ar:
        slopes[: orders.ar] = _slopes_of_partials(_without(smoothed, ar_terms, 0), parameters[: orders.ar])
    if orders.ma:
        slopes[at] = -delayed(over(errors, ma_terms[0][1], 1), 1)
    at += orders.ma
    n_ar, n_ma = int(orders.ar > 0), orders.ma
    for each in orders.seasonal:
        if each.ar:
            slopes[at] = -delayed(_without(smoothed, ar_terms, n_ar), each.season)
        if each.ma:
            slopes[at + each.ar] = -delayed(over(errors, ma_terms[n_ma][1], each.season), each.season)
        at, n_ar, n_ma = at + each.ar + each.ma, n_ar + each.ar, n_ma + each.ma
    return errors[orders.burn_in :], slopes[:, orders.burn_in :]


def _slopes_of_partials(smoothed: NDArray[np.float64], partials: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the derivative of smoothed (1 - r1 (1 - r2) B - r2 B^2) by r1 and r2; of (1 - r1 B) by r1."""
    before = delayed(smoothed, 1)
    if len(partials) == 1:
        return -before[None, :]
    first, second = partials
    return np.array([-(1 - second) * before, first * before - delayed(smoothed, 2)])


def _without(values: NDArray[np.float64], factors: tuple[LagPolynomial, ...], left_out: int) -> NDArray[np.float64]:
    for index, factor in enumerate(factors):
        if index != left_out:
            values = _filtered(values, factor)
    return values


def _filtered(values: NDArray[np.float64], factor: LagPolynomial) -> NDArray[np.float64]:
    result = values.copy()
    for lag, coefficient in factor.terms:
        result[lag:] += coefficient * values[:-lag]
    return result


def _step(steepness: NDArray[np.float64], errors: NDArray[np.float64], damping: float) -> NDArray[np.float64]:
    # not `@`: a product that is shared out among threads costs more than it saves here, and its last bits depend on their number
    normal = np.einsum("it,jt->ij", steepness, steepness)
    diagonal = np.diag(normal)
    damped = normal + damping * np.diag(np.maximum(diagonal, 1e-9 * (1.0 + diagonal.max())))
    return np.asarray(np.linalg.solve(damped, -np.einsum("it,t->i", steepness, errors)), dtype=np.float64)


def _sum_of_squares(errors: NDArray[np.float64]) -> float:
    return float(np.sum(errors * errors))
