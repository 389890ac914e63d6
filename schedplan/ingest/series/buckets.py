"""Moments counted into intervals: how much fell into each, per second. It knows no source."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from schedplan.ingest.draft import Draft


def add_rates(
    draft: Draft, unique_id: str, unit: str, times_s: NDArray[np.float64], amounts: NDArray[np.float64], step_s: int
) -> None:
    """Add a series of `load`: the sum of `amounts` (float64 [n]) at `times_s` (float64 [n], seconds since 1970) per second.

    Intervals of `step_s` begin at its multiples. The first and the last are gaps, for the record begins and ends within them.
    """
    if not len(times_s):
        return
    places = np.floor_divide(times_s, step_s).astype(np.int64)
    first, last = int(places.min()), int(places.max())
    sums = np.bincount(places - first, weights=amounts, minlength=last - first + 1)
    for place, total in enumerate(sums.tolist()):
        is_whole = first < first + place < last
        draft.add(
            1, {"unique_id": unique_id, "ds": (first + place) * step_s, "y": total / step_s if is_whole else None, "unit": unit}
        )


def tell_rates(draft: Draft, n_rows: int, step_s: int, units: Sequence[str]) -> None:
    """Say what the rows were turned into."""
    draft.rows_used = n_rows
    draft.convert(f"rows to {' and '.join(units)} in intervals of {step_s} s", n_rows)
    draft.note(n_rows, f"{n_rows} rows are counted into intervals of {step_s} s; the first and the last are cut off and are gaps")
