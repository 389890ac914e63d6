"""Fillings of nodes before any dive: those of plans per type at several slacks, and sampled ones. It fills no real node."""

from __future__ import annotations

import numpy as np

from schedplan.optimize.static.filling import Filling, planned_fillings, sampled_fillings
from schedplan.optimize.static.instance import Instance
from schedplan.optimize.static.ladder import type_plan
from schedplan.optimize.static.program import Answer, Floats
from schedplan.optimize.static.relaxation import Relaxation, Row

SAMPLED_SLACKS = (0.0, 0.10)


class Planned:
    """The fillings found so far, each once, and the optima of the relaxation that they came of."""

    def __init__(self, left: Instance, weights: Floats) -> None:
        self.weights = weights
        self.relaxation = Relaxation(left)
        self.answers: dict[float, Answer | None] = {}
        self.rng = np.random.default_rng(0)
        self.found: dict[Filling, None] = {}

    @property
    def fillings(self) -> list[Filling]:
        return list(self.found)

    @property
    def bound(self) -> float:
        """The value of the relaxation with nothing set aside."""
        answer = self._answer(0.0)
        return answer.value if answer is not None else 0.0

    def centre(self) -> Floats:
        """What a unit of each class costs under the prices of the relaxation."""
        answer = self._answer(0.0)
        if answer is None:
            return self.weights
        demand = [self.relaxation.row_of[Row("demand", k)] for k in range(len(self.weights))]
        return np.maximum(self.weights - answer.prices[demand], 0.0)

    def add(self, slacks: tuple[float, ...]) -> None:
        """Add the fillings of the plans at some slacks."""
        for slack in slacks:
            answer = self._answer(slack)
            if answer is not None:
                plan = type_plan(self.relaxation, answer, self.weights, slack)
                self.found |= dict.fromkeys(planned_fillings(self.relaxation, plan))

    def sample(self, per_type: int) -> None:
        """Add sampled fillings, so many for each type and slack."""
        for slack in SAMPLED_SLACKS:
            answer = self._answer(slack)
            if answer is not None:
                self.found |= dict.fromkeys(sampled_fillings(self.relaxation, answer, self.rng, per_type))

    def _answer(self, slack: float) -> Answer | None:
        if slack not in self.answers:
            self.answers[slack] = self.relaxation.solve(self.weights, slack)
        return self.answers[slack]
