"""Polynomials in the lag operator: products, and division as its own inverse."""

from __future__ import annotations

import numpy as np
import pytest

from schedplan.forecast.lags import LagPolynomial, over, times


def test_a_product_keeps_the_lags_there_are() -> None:
    # (1 - 0.5 B)(1 - B^12) = 1 - 0.5 B - B^12 + 0.5 B^13
    product = LagPolynomial((1,), (-0.5,)) * LagPolynomial((12,), (-1.0,))

    assert product == LagPolynomial((1, 12, 13), (-0.5, -1.0, 0.5))
    assert product.reach == 13


def test_terms_that_cancel_are_gone() -> None:
    # (1 - B)(1 + B) = 1 - B^2
    assert LagPolynomial((1,), (-1.0,)) * LagPolynomial((1,), (1.0,)) == LagPolynomial((2,), (-1.0,))


def test_division_by_one_minus_half_b_halves_and_adds() -> None:
    # y(t) = x(t) + 0.5 y(t-1): 1, 0.5, 0.25, and 1 more at step 3
    assert over(np.array([1.0, 0.0, 0.0, 1.0]), -0.5, 1).tolist() == [1.0, 0.5, 0.25, 1.125]


@pytest.mark.parametrize(("coefficient", "lag"), [(0.98, 1), (-0.98, 1), (0.3, 7), (-0.9, 24), (0.5, 1000)])
def test_multiplication_undoes_division(coefficient: float, lag: int) -> None:
    values = np.random.default_rng(1).normal(size=(2, 500))

    assert times(over(values, coefficient, lag), coefficient, lag) == pytest.approx(values, abs=1e-11)


def test_division_does_not_look_ahead() -> None:
    values = np.random.default_rng(2).normal(size=300)
    other = values.copy()
    other[200:] = 1e9

    assert over(values, 0.7, 3)[:200].tolist() == over(other, 0.7, 3)[:200].tolist()
