"""What one goal is worth in another, in natural units: the weights of an objective, read aloud.

In F = sum of weight * value / divisor, one unit of a goal moves F by weight / divisor. Two such rates divided give how many
units of one goal the plan would pay for one unit of the other: money, or the weightiest goal where money has no weight.
"""

from __future__ import annotations

from schedplan.model.plan import Rate, Term

_UNITS = {
    "latency": (1.0, "1 {unit} of wait at the lowest priority"),
    "utilization": (1.0, "1 {unit} paid for but idle"),
    "cost": (1.0, "1 {unit}"),
    "carbon": (1000.0, "1 kg CO2e"),
    "unplaced": (0.01, "1 % of all work, by importance, left out"),
}
_PRICE = "cost"
_LEFT_OUT = "unplaced"
_PAID_IN = {"latency": "{unit} of wait", "utilization": "{unit} idle", "cost": "{unit}", "carbon": "{unit}"}


def exchange_rates(terms: tuple[Term, ...]) -> tuple[Rate, ...]:
    """Return what one natural unit of each weighted goal is worth in money; in the weightiest goal where cost has no weight."""
    weighted = [term for term in terms if term.weight > 0 and term.name in _UNITS]
    goals = [term for term in weighted if term.name != _LEFT_OUT]
    price = next((term for term in goals if term.name == _PRICE), max(goals, key=lambda term: term.weight, default=None))
    if price is None:
        return ()
    return tuple(_rate(term, price) for term in weighted if term is not price)


def _rate(term: Term, price: Term) -> Rate:
    size, words = _UNITS[term.name]
    worth = size * (term.weight / term.divisor) / (price.weight / price.divisor)
    return Rate(words.format(unit=term.unit), worth, _PAID_IN[price.name].format(unit=price.unit))
