"""Conservative backfilling: every waiting job holds a reservation."""

from __future__ import annotations

from dataclasses import replace

from schedplan.engines.backfills import SOURCES, conservative
from schedplan.engines.policies.fcfs import FCFS

CONSERVATIVE = replace(
    FCFS,
    name="conservative",
    summary="arrival order; every waiting job is reserved its earliest place, and a later job may start if it delays none",
    backfill=conservative(),
    sources=SOURCES,
)
