"""EASY backfilling: only the head holds a reservation, and a later job may start if it can't delay it."""

from __future__ import annotations

from dataclasses import replace

from schedplan.engines.backfills import SOURCES, easy
from schedplan.engines.part import Within
from schedplan.engines.policies.fcfs import FCFS

EASY = replace(
    FCFS,
    name="easy",
    summary="arrival order; a later job may start while the head waits, if by the estimates it cannot delay it",
    backfill=easy(),
    sources=SOURCES,
)

EASY_SJBF = replace(
    EASY,
    name="easy-sjbf",
    summary="easy, but of the jobs that may go by, the shortest by its estimate is looked at first",
    backfill=easy(Within.SHORTEST),
    sources=(*SOURCES, "Tsafrir, Etsion and Feitelson 2007, IEEE TPDS 18(6)"),
)
