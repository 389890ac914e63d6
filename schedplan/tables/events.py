"""Rows of `events` as the model's. It does not know what they mean for a load."""

from __future__ import annotations

from schedplan.model.event import Event
from schedplan.tables.faults import Code
from schedplan.tables.table_rows import TableRows


def events(rows: TableRows) -> tuple[Event, ...]:
    """Return the events by start, end, name and series; ends before starts are noted in `rows.faults`."""
    columns = zip(
        rows.texts("unique_id"), rows.instants("start"), rows.instants("end"), rows.texts("name"), rows.floats("value"), strict=True
    )
    found = []
    for idx, (series, start_s, end_s, name, value) in enumerate(columns):
        if start_s is None or end_s is None or name is None:
            continue
        if end_s <= start_s:
            rows.fault(idx, Code.CONTRADICTION, "end is not after start", column="end")
        found.append(Event(name, start_s, end_s, value, series))
    return tuple(sorted(found, key=lambda event: (event.start_s, event.end_s, event.name, event.series or "")))
