"""What is asked of the goals of a plan beyond weights: an order to take them in, or a front of two of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from difflib import get_close_matches

from schedplan.errors import UsageError
from schedplan.model.problem import GOALS, AtMost, Objective
from schedplan.workflows.recorded import HELD_KEY, ORDER_KEY

LEAST_POINTS, MOST_POINTS = 2, 99


@dataclass(frozen=True, slots=True)
class AskedGoals:
    """order: goals one after the other; empty: all at once by their weights. n_points: of a front of `pair`; None: no front.

    pair None: the two goals of the largest weights.
    """

    order: tuple[str, ...] = ()
    n_points: int | None = None
    pair: tuple[str, str] | None = None

    def front_of(self, wanted: Objective) -> tuple[str, str]:
        """Return the two goals of the front: those asked for, or those of the largest weights, equal ones in the order of GOALS."""
        if self.pair is not None:
            return self.pair
        first, second, *_ = sorted(GOALS, key=lambda goal: (-wanted.weight(goal), GOALS.index(goal)))
        return (first, second)


def asked_goals(lexicographic: str | None, pareto: int | None, pareto_goals: str | None) -> AskedGoals:
    """Return what the options ask for; UsageError for what is no goal, repeats, or does not go together."""
    if lexicographic is not None and (pareto is not None or pareto_goals is not None):
        raise UsageError("--lexicographic and --pareto exclude one another", hint="Goals are taken one by one, or two at a time.")
    if pareto_goals is not None and pareto is None:
        raise UsageError("--pareto-goals needs --pareto N", hint="Such as --pareto 10 --pareto-goals cost,carbon")
    if pareto is not None and not LEAST_POINTS <= pareto <= MOST_POINTS:
        raise UsageError(f"--pareto {pareto}: a front has {LEAST_POINTS} to {MOST_POINTS} points")
    order = () if lexicographic is None else _goals("--lexicographic", lexicographic)
    pair = None if pareto_goals is None else _goals("--pareto-goals", pareto_goals)
    if pair is not None and len(pair) != 2:
        raise UsageError("--pareto-goals: a front is of two goals", hint="Such as --pareto-goals cost,carbon")
    return AskedGoals(order, pareto, None if pair is None else (pair[0], pair[1]))


def goal_values_asked(asked: AskedGoals) -> tuple[tuple[str, str], ...]:
    """Return what was asked of the order, as values of the settings that a plan records."""
    return ((ORDER_KEY, json.dumps(",".join(asked.order))),) if asked.order else ()


def held_values(held: tuple[AtMost, ...]) -> tuple[tuple[str, str], ...]:
    """Return goals that are held, as values of the settings that a plan records."""
    return tuple((f"{HELD_KEY}{one.goal}", json.dumps(one.value)) for one in held)


def held_in(values: tuple[tuple[str, str], ...]) -> tuple[AtMost, ...]:
    """Return the goals that recorded settings hold."""
    return tuple(AtMost(key.removeprefix(HELD_KEY), float(json.loads(value))) for key, value in values if key.startswith(HELD_KEY))


def _goals(option: str, text: str) -> tuple[str, ...]:
    found = tuple(part.strip() for part in text.split(","))
    for goal in found:
        if goal not in GOALS:
            near = get_close_matches(goal, GOALS, n=1)
            hint = f"Did you mean {near[0]}?" if near else "Separate goals by commas, such as latency,cost"
            raise UsageError(f"{option}: {goal!r} is no goal; the goals are {', '.join(GOALS)}", hint=hint)
    if len(set(found)) < len(found):
        raise UsageError(f"{option}: a goal stands in it twice", hint="Name each goal once.")
    return found
