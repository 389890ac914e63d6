"""What a replay says: how long work waited and how full the machine was, then every measure, the rules, and what was assumed."""

from __future__ import annotations

from schedplan.model.band import Band, PairedDifference
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

HINDSIGHT = (("bound", "hindsight"),)
ESTIMATES = "estimates"
"""Name of the setting that says what the policy takes for a job's run time; it stands in the head of the document."""

MACHINE = "machine"
"""Name of the setting that says on what jobs were replayed."""

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


def simulation_document(record: SimulationRecord, jobs: int, machine: str, over_time: Section | None = None) -> Document:
    """Return the document of a replay of `jobs` jobs on `machine`, in words; over_time: its charts."""
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
            *((over_time,) if over_time is not None and over_time.blocks else ()),
            *_hindsight(record),
            *_replications(record),
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


def _hindsight(record: SimulationRecord) -> tuple[Section, ...]:
    """Return the policy beside what no policy could do better, where that is known."""
    bound_of = {one.name: one.value for one in record.measures if one.labels == HINDSIGHT}
    rows = tuple(
        (name, value, bound, one.unit)
        for one in record.measures
        if not one.labels and (name := one.name) in bound_of
        if (value := finite(one.value)) is not None and (bound := finite(bound_of[name])) is not None
    )
    if not rows:
        return ()
    columns = (
        Column("name", "Measure"),
        Column("value", record.policy, Kind.NUMBER, is_mixed=True),
        Column("bound", "Bound", Kind.NUMBER, is_mixed=True),
        Column("unit", "Unit"),
    )
    caption = "No policy passes the bound, had it known all jobs and run times beforehand; one that reaches it may not exist."
    return (Section("hindsight-section", "With perfect hindsight", (Table("hindsight", "", columns, rows, caption),)),)


def _replications(record: SimulationRecord) -> tuple[Section, ...]:
    if not record.bands:
        return ()
    numbers = tuple(
        Column(name, title, Kind.NUMBER, is_mixed=True) for name, title in (("mean", "Mean"), ("low", "From"), ("high", "To"))
    )
    rows = tuple((one.name, one.mean, one.low, one.high, one.unit) for one in record.bands if not one.labels)
    caption = f"Mean over {record.replications} replications, and the 95 % band of that mean by bootstrap."
    tables: tuple[Block, ...] = (Table("bands", "", (Column("name", "Measure"), *numbers, Column("unit", "Unit")), rows, caption),)
    if record.differences:
        compared = tuple(
            (one.policy, one.name, one.mean, one.low, one.high, one.unit, "tie" if one.is_tie else _verdict(one.mean))
            for one in record.differences
        )
        columns = (
            Column("policy", "Policy"),
            Column("name", "Measure"),
            *numbers,
            Column("unit", "Unit"),
            Column("verdict", f"Against {record.policy}"),
        )
        said = "Differences on the same replications, paired. A band that holds 0 is a tie: these replications tell nothing apart."
        tables = (*tables, Table("differences", "", columns, compared, said))
    return (Section("replications-section", "Over all replications", tables),)


def _verdict(difference: float) -> str:
    return "more" if difference > 0 else "less"


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
            ("bands", tuple(_band_facts(one) for one in record.bands)),
            ("differences", tuple(_difference_facts(one) for one in record.differences)),
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


def _band_facts(one: Band) -> Facts:
    return Facts(
        (
            ("name", one.name),
            ("labels", Facts(one.labels)),
            ("unit", one.unit),
            ("mean", one.mean),
            ("low", one.low),
            ("high", one.high),
            ("replications", one.replications),
        )
    )


def _difference_facts(one: PairedDifference) -> Facts:
    return Facts(
        (
            ("policy", one.policy),
            ("base", one.base),
            ("name", one.name),
            ("unit", one.unit),
            ("mean", one.mean),
            ("low", one.low),
            ("high", one.high),
            ("is_tie", one.is_tie),
        )
    )


def _value(record: SimulationRecord, name: str) -> float | None:
    return next((finite(one.value) for one in record.measures if one.name == name and not one.labels), None)
