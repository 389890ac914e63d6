"""What a plan's reader is told of demand that it misses: how much of it, and when. It weighs nothing."""

from __future__ import annotations

import numpy as np

from schedplan.measures.runs import Fleet
from schedplan.model.problem import Problem
from schedplan.timegrid import format_local

STRETCHES_NAMED = 3


def missed_told(problem: Problem, fleet: Fleet) -> list[str]:
    """Return how much of the requests a fleet misses in each stretch of slots, the first few of them; empty where none is."""
    stretches = missed_stretches(fleet)
    told = []
    for slots in stretches[:STRETCHES_NAMED]:
        start = format_local(problem.grid.slot_start_s(slots.start), problem.zone)
        end = format_local(problem.grid.slot_end_s(slots.stop - 1), problem.zone)
        told.append(f"{_share(problem, fleet, slots):.2%} from {start} to {end}")
    if not told:
        return []
    more = len(stretches) - len(told)
    rest = f" and in {more} more stretch{'es' if more > 1 else ''} of time" if more else ""
    return [f"service {fleet.service.name}: misses part of its requests: {', '.join(told)}{rest}"]


def missed_stretches(fleet: Fleet) -> list[slice]:
    """Return the slots, one after the other, in which a fleet misses some of its demand."""
    found: list[slice] = []
    for slot, share in enumerate(fleet.missed):
        if share <= 0:
            continue
        if found and found[-1].stop == slot:
            found[-1] = slice(found[-1].start, slot + 1)
        else:
            found.append(slice(slot, slot + 1))
    return found


def _share(problem: Problem, fleet: Fleet, slots: slice) -> float:
    """Return the share of requests that reach the replicas and are missed: of the expected ones, or where there are none, of those
    planned for."""
    rates = fleet.mean_rps if fleet.mean_rps[slots].any() else fleet.peak_rps
    requests = (rates * problem.grid.hours)[slots]
    return float(np.average(fleet.missed[slots], weights=requests))
