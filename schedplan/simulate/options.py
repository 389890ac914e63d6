"""How a replay runs, beside its policy: event order, seed, cycle, and what is kept of the machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from schedplan.engines.part import Cycle


class EventOrder(Enum):
    """What comes first among the events of one instant; both are in published use."""

    SUBMISSIONS_FIRST = "submissions-first"
    ENDS_FIRST = "ends-first"


class Detail(Enum):
    """What is kept of the machine: its single nodes, or one number where that gives the same starts."""

    AUTO = "auto"
    NODES = "nodes"
    POOL = "pool"


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """cycle: in place of the policy's own; default_submit_s: of jobs that state no submission.

    guessed_minutes: how long a policy expects a job to run, by name, where that is less than its limit.
    """

    order: EventOrder = EventOrder.SUBMISSIONS_FIRST
    seed: int = 0
    cycle: Cycle | None = None
    detail: Detail = Detail.AUTO
    default_submit_s: int | None = None
    otherwise_minutes: float | None = None
    loses_spot: bool = False
    guessed_minutes: Mapping[str, float] = field(default_factory=dict)
