"""Loads that look like counters: what they tell is what has come since a start, not what comes in an interval."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FEWEST = 48
"""Values below which growing proves nothing. Our choice: two days of hours, in which every load that people make falls."""
RESET_TO = 0.1
"""A counter that begins anew stands below so much of what it had. Our choice."""


def resets(values: NDArray[np.float64]) -> int | None:
    """Return how often a counter began anew, None where values, float64 [n_intervals] with NaN for gaps, don't look like one.

    A counter grows in half of the intervals at least, and falls to near zero or not at all.
    """
    known = values[np.isfinite(values)]
    if len(known) < FEWEST:
        return None
    steps = np.diff(known)
    fallen = np.flatnonzero(steps < 0)
    is_counter = (steps > 0).mean() >= 0.5 and bool((known[fallen + 1] <= RESET_TO * known[fallen]).all())
    return len(fallen) if is_counter and len(fallen) <= len(steps) / FEWEST * 2 else None


def told(unique_id: str, values: NDArray[np.float64]) -> str | None:
    """Return what to say of a load that looks like a counter, None of any other."""
    count = resets(values)
    if count is None:
        return None
    anew = "" if count == 0 else f", but for {count} fall{'s' if count > 1 else ''} to near zero"
    return (
        f"load: the series {unique_id} only grows{anew}, as a counter does; it is forecast as it stands."
        " Where it is one, give its growth per interval as y"
    )
