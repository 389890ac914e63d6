"""A policy: a named row of parts, each of which says its rule. It follows none of them."""

from __future__ import annotations

from dataclasses import dataclass

from schedplan.engines.part import (
    Admission,
    Backfill,
    Blocking,
    Cycle,
    Gang,
    NodeChoice,
    NodeStart,
    Order,
    Preemption,
    Scaling,
    Share,
)
from schedplan.engines.scalings import utilization

ALL_ADMITTED = Admission("all jobs that are submitted")
EACH_INSTANT = Cycle()
NO_BACKFILL = Backfill("none")
NO_SHARE = Share("none: whose a job is makes no difference")
WHOLE_GANG = Gang("all workers start together or none does; nothing is held before")
ALWAYS_THERE = NodeStart("nodes are there all the time, ready for work")
NO_PREEMPTION = Preemption("none: what runs, runs to its end or limit")
BUSY_SHARE = utilization()
WITHIN_QUOTA = (
    "where tenants have quotas, a job with which its tenant would hold more than its max, or its cohort more than all that it is"
    " promised, is passed over until less is held; it holds no queue"
)
BY_LIMIT = "the time limit of a job where it has one, else its true run time"


@dataclass(frozen=True, slots=True)
class Policy:
    """A named row of parts. engine: whose behaviour it models, None for a textbook rule; differs: what it leaves out of it."""

    name: str
    summary: str
    order: Order
    blocking: Blocking
    nodes: NodeChoice
    share: Share = NO_SHARE
    backfill: Backfill = NO_BACKFILL
    gang: Gang = WHOLE_GANG
    preemption: Preemption = NO_PREEMPTION
    admission: Admission = ALL_ADMITTED
    scaling: Scaling = BUSY_SHARE
    cycle: Cycle = EACH_INSTANT
    node_start: NodeStart = ALWAYS_THERE
    estimate: str = BY_LIMIT
    engine: str | None = None
    differs: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    def rules(self) -> tuple[tuple[str, str], ...]:
        """Return every rule as (name, words), in the order in which they act."""
        return (
            ("share", self.share.says),
            ("queue", self.order.says),
            ("admission", self.admission.says),
            ("quota", WITHIN_QUOTA),
            ("blocking", self.blocking.value),
            ("backfill", self.backfill.says),
            ("gang", self.gang.says),
            ("node choice", self.nodes.says),
            ("tie", f"jobs: earlier submission, then name; nodes: {self.nodes.tie.value}; devices: the smallest number"),
            ("estimate", self.estimate),
            ("preemption", self.preemption.says),
            ("replicas", self.scaling.says),
            ("nodes", self.node_start.says),
            ("cycle", self.cycle.says()),
        )
