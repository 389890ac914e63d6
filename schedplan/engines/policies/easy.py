"""EASY backfilling: only the head holds a reservation, and a later job may start if it can't delay it.

Source of the rule: D. Lifka, The ANL/IBM SP scheduling system (1995); A. Mu'alem, D. Feitelson (2001), IEEE TPDS 12(6).
"""

from __future__ import annotations

from schedplan.engines.policies.fcfs import ARRIVAL, BEST_FIT
from schedplan.engines.policy import Backfill, BackfillKind, Blocking, Policy

EASY = Policy(
    name="easy",
    summary="arrival order; a later job may start while the head waits, if by the estimates it cannot delay it",
    order=ARRIVAL,
    blocking=Blocking.HEAD,
    nodes=BEST_FIT,
    backfill=Backfill(
        "EASY: the head is reserved the earliest instant at which it fits by the estimates of what runs (all that ends at one"
        " instant counts), found anew when something ends before its estimate; in arrival order, a later job that fits now starts"
        " if it ends by its estimate at or before that instant, or takes nothing that the head will need there",
        BackfillKind.EASY,
    ),
    sources=("Lifka 1995", "Mu'alem and Feitelson 2001, IEEE TPDS 12(6)"),
)
