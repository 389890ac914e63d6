"""budget: what a calendar day costs, with the rework expected of work begun on it and what is borrowed, stays within its limit.

Sets: days D of the project's time zone, slots t in D (by their start); price c[p,t], h_t hours.
Formula: Σ_{t in D} (Σ_p c[p,t] h_t y[p,t] + Σ_c rework[c,t] + Σ_q borrow_price_q h_t borrowed[q,t]) <= budget, per day.
Intuition: money goes where nodes are on, where risky work begins and where quotas are exceeded; each day adds it up.
Integer scale: a millionth of the currency, rounded to nearest, so a sum is off by at most half of that per term.
"""

from __future__ import annotations

from ortools.sat.python import cp_model

from schedplan.optimize.rows import Rows
from schedplan.optimize.spending import Spending
from schedplan.optimize.variables import Variables

MICRO = 10**6
BEYOND = 2.0**42
"""A budget that no plan can reach: what is spent is summed in millionths within 63 bits."""


def add(variables: Variables, spending: Spending, rows: Rows) -> None:
    """Add the rows of `budget`; none where the project has no limit."""
    problem = variables.layout.problem
    limit = problem.limits.budget_per_day
    if limit is None or limit >= BEYOND:
        return
    for day, slots in problem.grid.days(problem.zone):
        terms = [amount * round(cost * MICRO) for slot in slots for amount, cost in spending.by_slot[slot]]
        rows.when(f"budget {day}", cp_model.LinearExpr.sum(terms) <= round(limit * MICRO) + len(terms) // 2)
