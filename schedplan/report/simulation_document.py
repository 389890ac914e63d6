"""What a replay says: how long work waited and how full the machine was, then every measure, the rules, and what was assumed."""

from __future__ import annotations

from schedplan.model.findings import Measure, Severity
from schedplan.report.document import (
    Block,
    Column,
    Document,
    Entry,
    Facts,
    Inline,
    KeyValues,
    Kind,
    Notice,
    Paragraph,
    Quantity,
    Section,
    SectionRole,
    Table,
    Tone,
    finite,
)
from schedplan.report.figures import counted
from schedplan.report.plan_facts import measure_facts
from schedplan.tables.artefact_simulation import SimulationRecord

ESTIMATES = "estimates"
"""Name of the setting that says what the policy takes for a job's run time; it stands in the head of the document."""

_KEY: tuple[tuple[str, str, Kind], ...] = (
    ("wait_s_mean", "Mean wait", Kind.DURATION),
    ("wait_s_p95", "Wait, 95 of 100 jobs below", Kind.DURATION),
    ("bounded_slowdown_mean", "Mean bounded slowdown", Kind.NUMBER),
    ("utilization", "Utilization", Kind.SHARE),
    ("allocation", "Allocation", Kind.SHARE),
    ("queue_length_mean", "Jobs waiting, mean over time", Kind.NUMBER),
    ("slo_attainment", "Requests within their SLO", Kind.SHARE),
    ("makespan_s", "First submission to last end", Kind.DURATION),
    ("unplaced", "Jobs never started", Kind.COUNT),
    ("cost", "Price of all nodes", Kind.MONEY),
)


def simulation_document(record: SimulationRecord, jobs: int, machine: str) -> Document:
    """Return the document of a replay of `jobs` jobs on `machine`, in words."""
    unplaced = _value(record, "unplaced") or 0
    badge, tone = ("All ran", Tone.GOOD) if not unplaced else (f"{counted(int(unplaced), 'job')} never ran", Tone.CAUTION)
    return Document(
        kind="simulation",
        title=f"Replay of {record.project or 'jobs'} under {record.policy}",
        timezone=record.timezone,
        badge=badge,
        badge_tone=tone,
        sections=(
            Section("answer", "The answer", _answer(record, jobs, machine), SectionRole.ANSWER),
            Section("measures-section", "Every measure", (_measures(record),)),
            Section("rules-section", "The rules that were followed", (_words("rules", "Rule", record.rules),)),
            Section("assumptions-section", "What was assumed", (_assumptions(record),), SectionRole.MORE),
        ),
        facts=_facts(record),
        main_table="measures",
    )


def _answer(record: SimulationRecord, jobs: int, machine: str) -> tuple[Block, ...]:
    wait_s, used = _value(record, "wait_s_mean"), _value(record, "utilization")
    headline: tuple[Inline, ...] = (f"{counted(jobs, 'job')} replayed under {record.policy} on {machine}.",)
    if wait_s is not None and used is not None:
        headline = (
            f"{counted(jobs, 'job')} under {record.policy} on {machine}: a mean wait of ",
            Quantity(wait_s, Kind.DURATION),
            " at a utilization of ",
            Quantity(used, Kind.SHARE),
            ".",
        )
    notices = tuple(Notice(Severity.WARNING, text) for text in record.warnings)
    estimates = tuple(Paragraph((f"Estimates are {words}.",)) for name, words in record.settings if name == ESTIMATES)
    return (Paragraph(headline, is_headline=True), *estimates, *notices, KeyValues("key", "", _entries(record), is_key=True))


def _entries(record: SimulationRecord) -> tuple[Entry, ...]:
    units = {"cost": record.currency}
    return tuple(
        Entry(label, Quantity(value, kind, units.get(name, "")))
        for name, label, kind in _KEY
        if (value := _value(record, name)) is not None
    )


def _measures(record: SimulationRecord) -> Table:
    columns = (
        Column("name", "Measure"),
        Column("labels", "Of"),
        Column("value", "Value", Kind.NUMBER, is_mixed=True),
        Column("unit", "Unit"),
    )
    rows = tuple((one.name, _labels(one), finite(one.value), one.unit) for one in record.measures)
    return Table("measures", "", columns, rows, "A dash: the measure has no value here.")


def _labels(measure: Measure) -> str:
    return ", ".join(f"{name} {value}" for name, value in measure.labels)


def _words(block_id: str, title: str, pairs: tuple[tuple[str, str], ...]) -> Table:
    return Table(block_id, "", (Column("name", title), Column("says", "What it says")), pairs)


def _assumptions(record: SimulationRecord) -> Table:
    dropped = tuple(("left out", f"{counted(number, 'job')}: {reason}") for reason, number in record.dropped)
    notes = tuple(("assumed", text) for text in record.notes)
    return _words("assumptions", "Kind", (*record.settings, *dropped, *notes))


def _facts(record: SimulationRecord) -> Facts:
    return Facts(
        (
            ("policy", record.policy),
            ("measures", tuple(measure_facts(measure) for measure in record.measures)),
            ("replications", record.replications),
            ("rules", Facts(record.rules)),
            ("settings", Facts(record.settings)),
            ("dropped", Facts(record.dropped)),
            ("assumptions", record.notes),
            ("warnings", record.warnings),
            ("counts", Facts(record.counts)),
            ("currency", record.currency),
            ("inputs", tuple(Facts((("path", one.path), ("sha256", one.sha256))) for one in record.inputs)),
            ("versions", Facts(record.versions)),
            ("seed", record.seed),
        )
    )


def _value(record: SimulationRecord, name: str) -> float | None:
    return next((finite(one.value) for one in record.measures if one.name == name and not one.labels), None)
