"""A Pareto front: plans of which none is better in one of two goals without being worse in the other. It knows no solver."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class PointStatus(Enum):
    """Whether a point is proven to be on the front, or is the best that was found."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"


@dataclass(frozen=True, slots=True)
class FrontPoint:
    """One plan of a front, by its numbers.

    first, second: its values of the two goals. held_at: what the second was held at while the first was made small; None at the
    ends, and where both were weighed. price: what one unit less of the second goal costs in the first, on the way to the next
    point; None at the last.
    objective: F under the weights of the project. minimised, bound, gap: of what the point itself minimised. cost: currency.
    """

    first: float
    second: float
    held_at: float | None
    price: float | None
    objective: float
    cost: float
    minimised: float
    bound: float | None
    gap: float | None
    status: PointStatus


@dataclass(frozen=True, slots=True)
class Front:
    """Points by the first goal, rising; the second falls along them.

    goals, units: of the two. asked: points that were asked for. is_whole: that there is no further point is known, as far as
    every point is proven. solves: how many models were solved for it. told: for a whole front of one point, which other goals pull
    apart and what there is to choose; empty for any other.
    """

    goals: tuple[str, str]
    units: tuple[str, str]
    points: tuple[FrontPoint, ...]
    asked: int
    is_whole: bool
    solves: int
    told: str = ""
