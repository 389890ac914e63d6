"""Rewards: points that a plan earns by its measures, as a project wants them. They score any plan and are never optimised.

    above A: points for a value of A or more; with `per`: points x (value - A) / per
    below B: points for a value of B or less; with `per`: points x (B - value) / per

Negative points are penalties. A measure without a value earns none that is known, and neither has the whole score then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum

from schedplan.model.findings import Measure
from schedplan.model.problem import Reward

NAME, UNIT = "reward", "points"


def rewards(wanted: Sequence[Reward], measures: Sequence[Measure]) -> Iterator[Measure]:
    """Yield the points of each reward, labelled by its words, and the sum of all; nothing where none are wanted."""
    whole = {measure.name: measure.value for measure in measures if not measure.labels}
    points = [earned(reward, whole.get(reward.measure)) for reward in wanted]
    for reward, found in zip(wanted, points, strict=True):
        yield Measure(NAME, found, UNIT, (("reward", words(reward)),))
    known = [found for found in points if found is not None]
    if wanted:
        yield Measure(NAME, fsum(known) if len(known) == len(points) else None, UNIT)


def earned(reward: Reward, value: float | None) -> float | None:
    """Return the points of a reward for a value of its measure, None without a value."""
    if value is None:
        return None
    distance = value - reward.limit if reward.is_above else reward.limit - value
    if distance < 0:
        return 0.0
    return reward.points if reward.per is None else reward.points * distance / reward.per


def words(reward: Reward) -> str:
    """Return a reward as people say it: `utilization above 0.7`."""
    return f"{reward.measure} {'above' if reward.is_above else 'below'} {reward.limit:g}"
