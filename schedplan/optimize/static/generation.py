"""Generation: fillings added to the master's where planned ones do not reach the bound, at prices smoothed between rounds.

The worth of a unit under the master jumps from round to round. So fillings are priced between it and a centre: at first what units
cost under the prices of the relaxation, later the worth at which the bound seemed lowest. One worth nothing to the master is not
added; where none is left, the next round prices nearer to the master itself.
Source of smoothing: Wentges 1997, doi.org/10.1016/S0969-6016(97)00001-4; Pessoa and others 2018, doi.org/10.1287/ijoc.2017.0784.
"""

from __future__ import annotations

import numpy as np

from schedplan.optimize.static.filling import Filling
from schedplan.optimize.static.instance import Instance
from schedplan.optimize.static.master import Master, MasterAnswer
from schedplan.optimize.static.pricing import Pricing
from schedplan.optimize.static.program import Floats

ROUNDS = 72
SMOOTHED, SMOOTHED_LESS = 0.8, 0.3
NEAR_BOUND = 2e-6
WORTH = 1e-6


def generated(left: Instance, fillings: list[Filling], weights: Floats, centre: Floats, bound: float) -> list[Filling]:
    """Return fillings that bring the master near `bound`, the value of the relaxation, beside those given; none where it is there.

    centre: what a unit of each class costs under the prices of the relaxation, float64 [class].
    """
    answer = Master(left, fillings, weights).whole()
    if answer.value >= bound * (1 - NEAR_BOUND):
        return []
    pricing, found, known = Pricing(left), list(fillings), set(fillings)
    lowest, smoothed = np.inf, SMOOTHED
    for _ in range(ROUNDS):
        worth = smoothed * centre + (1 - smoothed) * np.maximum(answer.unit_prices, 0.0)
        priced = pricing.fillings(worth)
        value = _value(left, weights, worth, priced)
        if value < lowest:
            lowest, centre = value, worth
        new = [one for one in priced if one not in known and _gain(one, answer) > WORTH]
        if not new and smoothed == 0.0:
            break
        smoothed = SMOOTHED if new else max(smoothed - SMOOTHED_LESS, 0.0)
        if new:
            found += new
            known |= set(new)
            answer = Master(left, found, weights).whole()
            if answer.value >= bound * (1 - NEAR_BOUND):
                break
    return found[len(fillings) :]


def _gain(filling: Filling, answer: MasterAnswer) -> float:
    """What one more node with a filling is worth to a master."""
    worth = sum(units * float(answer.unit_prices[k]) for k, units in filling.counts().items())
    return worth - float(answer.node_prices[filling.of])


def _value(left: Instance, weights: Floats, worth: Floats, priced: list[Filling]) -> float:
    """The bound at a worth per unit if what was found for each type were the best there is."""
    on_nodes = sum(left.types[one.of].count * sum(units * worth[k] for k, units in one.counts().items()) for one in priced)
    return float(np.maximum(weights - worth, 0.0) @ left.demand + on_nodes)
