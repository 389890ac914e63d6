"""What one goal is worth in another, in natural units: the weights of an objective, read aloud.

In F = sum of weight * value / divisor, one unit of a goal moves F by weight / divisor. Two such rates divided give how many
units of one goal the plan would pay for one unit of the other.
"""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.model.plan import Term

_UNITS = {
    "latency": (1.0, "1 {unit} of wait at the lowest priority"),
    "utilization": (1.0, "1 {unit} paid for but idle"),
    "carbon": (1000.0, "1 kg CO2e"),
    "unplaced": (0.01, "1 % of all work, by importance, left out"),
}
_PRICE = "cost"


@dataclass(frozen=True, slots=True)
class Rate:
    """`what` counts as much as `worth` in `unit`."""

    what: str
    worth: float
    unit: str


def exchange_rates(terms: tuple[Term, ...]) -> tuple[Rate, ...]:
    """Return what one natural unit of each weighted goal is worth in money; nothing where cost has no weight."""
    price = next((term for term in terms if term.name == _PRICE and term.weight > 0), None)
    if price is None:
        return ()
    return tuple(_rate(term, price) for term in terms if term.name in _UNITS and term.weight > 0)


def _rate(term: Term, price: Term) -> Rate:
    size, words = _UNITS[term.name]
    worth = size * (term.weight / term.divisor) / (price.weight / price.divisor)
    return Rate(words.format(unit=term.unit), worth, price.unit)
