"""The bound of a long horizon: prices of all its slots climb until the steps or the clock end. It plans nothing."""

from __future__ import annotations

from schedplan.optimize.best import Best
from schedplan.optimize.lagrangian.ascent import Ascent, first_prices
from schedplan.optimize.lagrangian.relaxation import Relaxation, is_bounded
from schedplan.optimize.nodes.rates import Rates


def proven_by_prices(best: Best, rates: Rates) -> Ascent:
    """Return the prices that prove most; their bound (where it holds for the problem), steps and route go to `best`."""
    best.tell("prices of the whole horizon")
    relaxation = Relaxation(best.problem, rates)
    ascent = Ascent(relaxation, first_prices(relaxation))
    for _ in ascent.climb(best.options.price_steps):
        if best.is_late():
            break
    if is_bounded(best.problem):
        best.bounds.append(ascent.best.bound)
    best.route.append(f"{ascent.steps} steps of prices over all slots")
    best.work.append(("price_steps", float(ascent.steps)))
    return ascent
