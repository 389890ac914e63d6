"""The sum of several loads as a load of its own. Its quantiles come from forecasting it: those of its parts do not add up."""

from __future__ import annotations

import numpy as np

from schedplan.model.forecast import Series

NAME = "total"


def total_of(series: tuple[Series, ...], name: str = NAME) -> Series:
    """Return the sum of loads over the intervals that all of them span; NaN where any has a gap.

    ValueError where there is none, or units, steps or the times at which intervals begin differ.
    """
    if not series:
        raise ValueError("there is no load to add up")
    first = series[0]
    for other in series[1:]:
        if other.step_s != first.step_s or (other.start_s - first.start_s) % first.step_s:
            raise ValueError(f"the intervals of {other.unique_id} are not those of {first.unique_id}")
        if other.unit != first.unit:
            raise ValueError(f"{other.unique_id} is in {other.unit or 'no unit'}, {first.unique_id} in {first.unit or 'no unit'}")
    start_s, end_s = max(each.start_s for each in series), min(each.end_s for each in series)
    if end_s <= start_s:
        raise ValueError("the loads have no interval in common")
    n_steps = (end_s - start_s) // first.step_s
    rows = [each.values[(start_s - each.start_s) // first.step_s :][:n_steps] for each in series]
    return Series(name, start_s, first.step_s, np.sum(rows, axis=0), first.unit)
