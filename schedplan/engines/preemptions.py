"""Preemption rules: for whom what runs is stopped, and whom it hits."""

from __future__ import annotations

from collections.abc import Callable

from schedplan.engines.part import Preemption, PreemptionKind
from schedplan.engines.policy import NO_PREEMPTION

_STOPPED = (
    "; victims by lowest priority, then latest start, then name, as few of that order as make room, each of which would be"
    " missed;"
    " a job of one worker takes the node with the fewest victims, then the first by name; a victim waits again in its old"
    " place, and"
    " goes on from its last checkpoint where it writes any, else from its beginning"
)


def _grace(grace_s: int) -> str:
    return (
        f"; a victim keeps its place for {grace_s} s more, and until the end of them no job starts that would be stopped again"
        if grace_s
        else ""
    )


def by_priority(grace_s: int = 0) -> Preemption:
    """Return preemption of lower priorities."""
    return Preemption(
        f"a job that does not fit stops preemptible ones of lower priority{_STOPPED}{_grace(grace_s)}",
        PreemptionKind.PRIORITY,
        grace_s,
    )


def reclaim(grace_s: int = 0) -> Preemption:
    """Return reclaim of what tenants borrowed."""
    return Preemption(
        "a job with which its tenant holds no more than its quota promises stops preemptible ones of tenants that hold more than"
        f" theirs promises, and would not hold less without it{_STOPPED}{_grace(grace_s)}",
        PreemptionKind.RECLAIM,
        grace_s,
    )


def _none(grace_s: int) -> Preemption:
    return NO_PREEMPTION


PREEMPTIONS: dict[str, Callable[[int], Preemption]] = {"none": _none, "priority": by_priority, "reclaim": reclaim}
"""Each makes its rule of the grace, seconds."""
