"""Goals that are held at values: what jobs and nodes add to one of them in its natural unit. It knows no service and no quota."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from schedplan.model.problem import GOALS, Objective, Problem
from tests.oracle.arithmetic import Arithmetic, Option

FORGIVEN = 1e-9


class HeldGoal:
    """One goal by itself: the objective with all weight on it, undivided, and no price of leaving work out but where it is held."""

    def __init__(self, problem: Problem, goal: str, value: float) -> None:
        weights = {name: float(name == goal) for name in GOALS}
        alone = Objective(**weights, unplaced=float(goal == "unplaced"), rates=problem.objective.rates)
        self._facts = Arithmetic(replace(problem, objective=alone), dict.fromkeys(GOALS, 1.0))
        self._jobs = problem.jobs
        self.most = value + FORGIVEN * max(1.0, abs(value))

    def of_jobs(self, chosen: Iterable[Option]) -> float:
        """Return what chosen ways to run jobs, and all other jobs that are left out, add."""
        options = {option.job: option for option in chosen}
        total = self._facts.constant
        for job in self._jobs:
            option = options.get(job.name)
            own = None if option is None else self._facts.again(job, option).own
            total += self._facts.left_out(job) if own is None else own
        return total

    def of_nodes(self, on: Iterable[int], slot: int) -> float:
        """Return what nodes that are on add in a slot."""
        return sum(self._facts.on_value(node, slot) for node in sorted(on))
