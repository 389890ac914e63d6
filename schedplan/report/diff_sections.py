"""What a change of plans is worth and what it risks: money against work that moves, and the measures of risk side by side."""

from __future__ import annotations

from schedplan.measures.comparison import MeasureChange, PlanDiff
from schedplan.report.document import Column, Entry, Facts, KeyValues, Kind, Quantity, Section, Table, Tone, finite

HIGHER_IS_BETTER = {
    "on_time_probability": "least chance of a job on spot nodes to end in time",
    "deadline_hits": "deadlines kept",
    "slo_attainment": "requests within their latency target",
    "headroom": "free capacity at the planned demand, tightest slot",
}
LOWER_IS_BETTER = {
    "unplaced": "jobs left out",
    "missed_requests": "requests that no replica serves",
    "pool_loss_missed": "jobs late if a spot pool goes at its worst instant",
    "borrow_cost": "cost of what is borrowed and may be called back",
    "rework_cost": "expected cost of work that spot nodes lose",
}


def worth(found: PlanDiff, currency: str) -> KeyValues:
    """Return the change of cost beside what moves for it, and the saving per device that moves."""
    entries: list[Entry] = []
    if found.cost_delta is not None:
        tone = Tone.GOOD if found.cost_delta < 0 else Tone.CAUTION if found.cost_delta > 0 else Tone.NEUTRAL
        entries.append(Entry("Cost", Quantity(found.cost_delta, Kind.MONEY, currency), "the second plan minus the first", tone))
    entries.append(Entry("Jobs moved", Quantity(found.moved_jobs, Kind.COUNT), "in both plans, elsewhere or at another time"))
    entries.append(Entry("Devices moved", Quantity(found.moved_devices, Kind.NUMBER), "held by these jobs"))
    entries.append(Entry("Replica-hours", Quantity(found.replica_h, Kind.NUMBER), "more or fewer than before"))
    saved = saved_per_device(found)
    if saved is not None:
        entries.append(Entry("Saved per device moved", Quantity(saved, Kind.MONEY, currency), "", Tone.GOOD))
    return KeyValues("worth", "", tuple(entries), is_key=True)


def saved_per_device(found: PlanDiff) -> float | None:
    """Return what is saved per device that moves, in currency; None where nothing is saved or nothing moves."""
    if found.cost_delta is None or found.cost_delta >= 0 or found.moved_devices <= 0:
        return None
    return -found.cost_delta / found.moved_devices


def worth_facts(found: PlanDiff) -> Facts:
    """Return the same for machines."""
    return Facts(
        (
            ("moved_jobs", found.moved_jobs),
            ("moved_devices", found.moved_devices),
            ("replica_h", found.replica_h),
            ("saved_per_device", finite(saved_per_device(found))),
        )
    )


def risk_section(found: PlanDiff) -> Section:
    """Return the measures of risk that changed, each as better or worse; no block where none changed."""
    rows = [row for change in found.measures if not change.labels and (row := _row(change)) is not None]
    columns = (
        Column("risk", "Risk"),
        Column("before", "Before", Kind.NUMBER, is_mixed=True),
        Column("after", "After", Kind.NUMBER, is_mixed=True),
        Column("unit", "Unit"),
        Column("verdict", "Verdict"),
        Column("measure", "Measure", is_detail=True),
    )
    caption = "Of the whole plan. A dash: the plan has no such value. What did not change is left out."
    return Section("risk", "Risk", (Table("risk-table", "", columns, tuple(rows), caption),) if rows else ())


def _row(change: MeasureChange) -> tuple[str | float | None, ...] | None:
    words = HIGHER_IS_BETTER.get(change.name) or LOWER_IS_BETTER.get(change.name)
    if words is None:
        return None
    return (words, finite(change.before), finite(change.after), change.unit, _verdict(change), change.name)


def _verdict(change: MeasureChange) -> str:
    if change.delta is None:
        return "not known"
    is_up = change.delta > 0
    return "better" if is_up == (change.name in HIGHER_IS_BETTER) else "worse"
