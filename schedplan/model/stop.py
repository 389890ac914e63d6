"""Stops: what ran when the plan begins and is stopped for something more urgent. It knows no slots."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stop:
    """A job that ran on `nodes`, would have run on to until_s, and is stopped for jobs of a priority above `priority`.

    lost_minutes: of its run time on those nodes that no checkpoint keeps.
    """

    job: str
    nodes: tuple[str, ...]
    until_s: int
    priority: int
    lost_minutes: float
