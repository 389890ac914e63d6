"""Backfill rules: which later jobs may start before the one that blocks the queue.

Sources: D. Lifka, The ANL/IBM SP scheduling system (1995); A. Mu'alem, D. Feitelson (2001), IEEE TPDS 12(6), for EASY and
conservative backfilling; D. Tsafrir, Y. Etsion, D. Feitelson (2007), IEEE TPDS 18(6), for shortest jobs first among those that
go by.
"""

from __future__ import annotations

from collections.abc import Callable

from schedplan.engines.part import Backfill, BackfillKind, Compression, Within
from schedplan.engines.policy import NO_BACKFILL

_SCANS = {Within.ARRIVAL: "in arrival order", Within.SHORTEST: "shortest estimate first"}
_COMPRESSIONS = {
    Compression.REBUILD: "all reservations are made anew, in the order of the queue, when something ends before its estimate",
    Compression.ARRIVAL: (
        "when something ends before its estimate, jobs in the order of the queue give up their reservation and take the"
        " earliest one"
        " that is then free, never a later one"
    ),
    Compression.START_NOW: (
        "when something ends before its estimate, jobs in the order of the queue that can start at once beside all reservations"
        " do;"
        " other reservations stay"
    ),
    Compression.NONE: "reservations stay as they were made, also when something ends before its estimate",
}
SOURCES = ("Lifka 1995", "Mu'alem and Feitelson 2001, IEEE TPDS 12(6)")


def easy(scan: Within = Within.ARRIVAL, depth: int | None = None) -> Backfill:
    """Return EASY backfilling. depth: how many jobs behind the head are looked at; None = all."""
    looked_at = "a later job" if depth is None else f"one of the first {depth} waiting jobs"
    return Backfill(
        "EASY: the head is reserved the earliest instant at which it fits by the estimates of what runs (all that ends at one"
        f" instant counts), found anew when something ends before its estimate; {_SCANS[scan]}, {looked_at} that fits now starts"
        " if it ends by its estimate at or before that instant, or takes nothing that the head will need there",
        BackfillKind.EASY,
        scan,
        depth,
    )


def conservative(depth: int | None = None, compression: Compression = Compression.REBUILD) -> Backfill:
    """Return conservative backfilling. depth: how many waiting jobs hold a reservation; None = all."""
    held = "every waiting job" if depth is None else f"each of the first {depth} waiting jobs"
    return Backfill(
        f"conservative: {held}, in the order of the queue, is reserved the earliest instant from which it fits for as long as"
        " it is estimated to run beside what runs and what is reserved before it (devices of a node are counted, single ones"
        " not told"
        " apart); one that may start at once takes nodes in the order of their score, a later one those with the least room"
        " first,"
        f" each filled; {_COMPRESSIONS[compression]}",
        BackfillKind.CONSERVATIVE,
        depth=depth,
        compression=compression,
    )


def _none(depth: int | None, compression: Compression) -> Backfill:
    return NO_BACKFILL


def _easy(depth: int | None, compression: Compression) -> Backfill:
    return easy(Within.ARRIVAL, depth)


def _easy_sjbf(depth: int | None, compression: Compression) -> Backfill:
    return easy(Within.SHORTEST, depth)


BACKFILLS: dict[str, Callable[[int | None, Compression], Backfill]] = {
    "none": _none,
    "easy": _easy,
    "easy-sjbf": _easy_sjbf,
    "conservative": conservative,
}
"""Each makes its rule of (depth, compression)."""
