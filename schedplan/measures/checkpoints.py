"""Checkpoints: the interval with the least expected time on nodes that may be taken away, and what it would save.

The interval is that of Young and Daly for the gang's rate; a run shorter than it is best without any. What a checkpoint costs must
be stated: those that cost nothing have no best interval. It knows a run, not a plan.
"""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.measures.costs import job_rework_h
from schedplan.measures.runs import Run
from schedplan.measures.spot import rework_h, young_daly_h

WORTH_TELLING_H = 0.05
WORTH_TELLING_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Checkpointing:
    """used_h, best_h: hours of work between two checkpoints, None = none at all; the hours of rework expected with either."""

    used_h: float | None
    best_h: float | None
    rework_h: float
    best_rework_h: float

    @property
    def saved_h(self) -> float:
        """Hours of rework that the best interval is expected to save."""
        return max(self.rework_h - self.best_rework_h, 0.0)

    @property
    def is_worth_telling(self) -> bool:
        """Whether the best interval saves a tenth of the rework, and three minutes."""
        return self.saved_h >= max(WORTH_TELLING_H, WORTH_TELLING_SHARE * self.rework_h)


def checkpointing(run: Run) -> Checkpointing | None:
    """Return how a run on spot nodes writes its checkpoints and how it should; None where no interval is best."""
    rate = run.rate_per_h
    cost_h = run.job.checkpoint_cost_minutes / 60
    interval_h = young_daly_h(rate, cost_h)
    if interval_h is None:
        return None
    restart_h, given_h = run.job.restart_minutes / 60, run.job.checkpoint_h
    used = None if given_h is None or given_h >= run.hours else given_h
    ways = {way: rework_h(run.hours, rate, way, cost_h, restart_h) for way in (None, min(interval_h, run.hours))}
    best = min(ways, key=lambda way: ways[way])
    best_h = None if best is None or best >= run.hours else best
    return Checkpointing(used, best_h, job_rework_h(run.job, run.hours, rate), ways[best])
