"""A saved plan, followed: planned jobs at their time and place, everything else beside what the plan needs."""

from __future__ import annotations

from schedplan.engines.node_choices import BEST_FIT
from schedplan.engines.orders import ARRIVAL
from schedplan.engines.part import Backfill, Blocking, NodeChoice
from schedplan.engines.policy import Policy

PLAN = Policy(
    name="plan",
    summary="follows a plan of `optimize`, and falls back by its rules when reality differs",
    order=ARRIVAL,
    blocking=Blocking.PLAN,
    nodes=NodeChoice(
        "the planned nodes; where one of them is not free, or for a job without a plan, best fit among the nodes that no plan needs"
        " until the job's estimated end",
        BEST_FIT.score,
        BEST_FIT.tie,
        BEST_FIT.source,
    ),
    backfill=Backfill(
        "a planned job never starts before its planned start; from then on, at every event, it tries its planned nodes and then any"
        " that the plans of others, services and switched-off nodes leave until its estimated end; jobs that are due now"
        " come first, then late ones in the order of their planned start, then those without a plan in arrival order"
    ),
)
