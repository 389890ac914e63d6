"""Priorities that stop what runs."""

from __future__ import annotations

from dataclasses import replace

from schedplan.engines.policies.ordered import PRIORITY_SKIP
from schedplan.engines.preemptions import by_priority

PREEMPT = replace(
    PRIORITY_SKIP,
    name="preempt",
    summary="higher priority first; what does not fit stops lower priorities, else it is passed over",
    preemption=by_priority(),
)
