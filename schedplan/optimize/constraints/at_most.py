"""at_most: a goal stays at or below a value, which an earlier goal's best or a point of a Pareto front gives.

Sets: goals g that are held (latency, utilization, cost, carbon, the share of work left out), f_g their value, v_g the limit.
Formula: f_g <= v_g, for each goal that is held.
Integer scale: a power of two that keeps Σ |coefficient| · largest value below 2⁵². What rounding loses is given back on the right,
so that no plan that holds is cut off; the check forgives 10⁻⁹ of v_g.
Intuition: goal by goal, and along a front, the model stays the same and only this row is added to it.
"""

from __future__ import annotations

from math import floor, log2

from ortools.sat.python import cp_model

from schedplan.model.problem import AtMost
from schedplan.optimize.objective import GoalForms, LinearForm

BITS = 52


def add(model: cp_model.CpModel, goals: GoalForms, held: tuple[AtMost, ...]) -> None:
    """Add the row of each goal that is held."""
    for one in held:
        form = goals.of(one.goal)
        scale = _scale(form)
        indices = sorted(form.coefficients)
        whole = [round(form.coefficients[index] * scale) for index in indices]
        lost = sum(
            abs(form.coefficients[index] * scale - value) * form.uppers[index] for index, value in zip(indices, whole, strict=True)
        )
        variables = [model.get_int_var_from_proto_index(index) for index in indices]
        most = min(floor((one.value - form.constant) * scale + lost), 2 ** (BITS + 1))
        model.add(cp_model.LinearExpr.weighted_sum(variables, whole) <= most)


def _scale(form: LinearForm) -> float:
    largest = sum(abs(coefficient) * form.uppers[index] for index, coefficient in form.coefficients.items())
    return 1.0 if largest <= 0 else 2.0 ** (BITS - max(floor(log2(largest)) + 1, 0))
