"""The search of a problem whose parts share nothing: one part after the other, their plans and bounds joined. It cuts nothing."""

from __future__ import annotations

from collections.abc import Callable
from math import fsum
from typing import TypeAlias

from schedplan.model.plan import Proof
from schedplan.model.problem import Problem
from schedplan.optimize.best import Best
from schedplan.optimize.decompose.apart import joined, of_nothing, parts_of
from schedplan.optimize.ground import Incumbent
from schedplan.optimize.nodes.rates import Rates

ROUNDED = 1e-12
"""What the sum of bounds of parts may be off by, beside their size."""

Solve: TypeAlias = Callable[[Problem], tuple[Incumbent, Proof] | None]
"""Returns the best decisions of a part of a problem with their proof, by the scales of the whole; None without any."""


class SearchInParts:
    """One search part by part. It lives for one call."""

    def __init__(self, best: Best, solve: Solve) -> None:
        self.best, self.solve = best, solve
        self.problem = best.problem

    def run(self) -> None:
        """Solve every part and join what is found; nothing is added to `best` where a part has no plan."""
        parts, found = parts_of(self.problem), list[tuple[Incumbent, Proof]]()
        self.best.route.append(f"{len(parts)} parts that share nothing")
        for number, part in enumerate(parts, 1):
            self.best.tell(f"part {number} of {len(parts)}")
            one = self.solve(part)
            self.best.route.append(f"part {number}: {'no plan' if one is None else one[1].route}")
            if one is None:
                return
            found.append(one)
        bounds = [proof.bound for _, proof in found if proof.bound is not None]
        if len(bounds) == len(parts):
            self.best.bounds.append(self._joined_bound(bounds))
        self.best.offer(joined(self.problem, parts, tuple(one.decisions for one, _ in found)))

    def _joined_bound(self, bounds: list[float]) -> float:
        shared = of_nothing(self.problem, Rates.of(self.problem, self.best.normalisation))
        return fsum(bounds) - (len(bounds) - 1) * shared - ROUNDED * (1 + len(bounds) * abs(shared))
