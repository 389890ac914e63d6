"""Queues in other orders than arrival: shortest first, largest first, by priority; the head blocks, or is passed over."""

from __future__ import annotations

from dataclasses import replace

from schedplan.engines.orders import LARGEST_FIRST, PRIORITY_THEN_ARRIVAL, SHORTEST_FIRST
from schedplan.engines.part import Blocking
from schedplan.engines.policies.fcfs import FCFS

SJF = replace(
    FCFS, name="sjf", summary="shortest estimate first; the picked job holds the queue until it fits", order=SHORTEST_FIRST
)
SJF_SKIP = replace(
    SJF, name="sjf-skip", summary="shortest estimate first; what does not fit is passed over", blocking=Blocking.SKIP
)
LJF = replace(FCFS, name="ljf", summary="most devices first; the picked job holds the queue until it fits", order=LARGEST_FIRST)
LJF_SKIP = replace(LJF, name="ljf-skip", summary="most devices first; what does not fit is passed over", blocking=Blocking.SKIP)
PRIORITY = replace(
    FCFS,
    name="priority",
    summary="higher priority first; the picked job holds the queue until it fits",
    order=PRIORITY_THEN_ARRIVAL,
)
PRIORITY_SKIP = replace(
    PRIORITY, name="priority-skip", summary="higher priority first; what does not fit is passed over", blocking=Blocking.SKIP
)
