"""Rows of `carbon` as intensities of regions per slot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from schedplan.model.problem import Intensity
from schedplan.tables.faults import Code
from schedplan.tables.steps import slot_means
from schedplan.tables.table_rows import TableRows
from schedplan.timegrid import TimeGrid


@dataclass(frozen=True, slots=True)
class IntensityChange:
    """From `ds_s` (seconds, UTC; None = before any other time) electricity in `region` emits `g_per_kwh`, until its next change."""

    region: str
    ds_s: int | None
    g_per_kwh: float


def intensity_changes(rows: TableRows, regions: frozenset[str]) -> tuple[IntensityChange, ...]:
    """Return the changes by region and time; a region without a node is a note."""
    columns = zip(rows.names("region"), rows.instants("ds"), rows.floats("g_per_kwh"), strict=True)
    changes = [IntensityChange(*row) for row in columns]
    _refuse_twice_always(rows, changes)
    strange = sorted({change.region for change in changes} - regions)
    if strange and not rows.faults:
        where = f"nodes have {', '.join(sorted(regions))}" if regions else "no row of nodes has a region"
        rows.notes.append(f"carbon: no node is in {', '.join(strange)}; {where}")
    return tuple(sorted(changes, key=lambda change: (change.region, change.ds_s is not None, change.ds_s or 0)))


def intensities(changes: tuple[IntensityChange, ...], grid: TimeGrid) -> tuple[Intensity, ...]:
    """Return the time-weighted mean of each region per slot, for regions with a value from the start of the horizon on."""
    found = []
    for region in dict.fromkeys(change.region for change in changes):
        own = [change for change in changes if change.region == region]
        if own[0].ds_s is None or own[0].ds_s <= grid.start_s:
            steps = tuple((-np.inf if change.ds_s is None else float(change.ds_s), change.g_per_kwh) for change in own)
            found.append(Intensity(region, slot_means(steps, grid)))
    return tuple(found)


def _refuse_twice_always(rows: TableRows, changes: list[IntensityChange]) -> None:
    seen: set[str] = set()
    for idx, change in enumerate(changes):
        if change.ds_s is None and change.region in seen:
            rows.fault(idx, Code.DUPLICATE, "the region has a value for always already", column="region + ds", seen=change.region)
        elif change.ds_s is None:
            seen.add(change.region)
