"""Policies between tenants: by dominant share, by past usage, by what each is promised."""

from __future__ import annotations

from dataclasses import replace

from schedplan.engines.part import Blocking
from schedplan.engines.policies.fcfs import FCFS
from schedplan.engines.preemptions import reclaim
from schedplan.engines.shares import CAPACITY as CAPACITY_SHARE
from schedplan.engines.shares import DRF as DRF_SHARE
from schedplan.engines.shares import decayed

DRF = replace(
    FCFS,
    name="drf",
    summary="the tenant with the least dominant share first, its jobs by arrival; what does not fit is passed over",
    share=DRF_SHARE,
    blocking=Blocking.SKIP,
    sources=("Ghodsi and others, Dominant Resource Fairness, NSDI 2011",),
)
FAIR_SHARE = replace(
    FCFS,
    name="fair-share",
    summary="the tenant that has held the least first, older usage counting less; what does not fit is passed over",
    share=decayed(),
    blocking=Blocking.SKIP,
)
CAPACITY = replace(
    FCFS,
    name="capacity",
    summary="the tenant that holds the least of its promise first; free room is borrowed, and taken back for its owners",
    share=CAPACITY_SHARE,
    blocking=Blocking.SKIP,
    preemption=reclaim(),
)
