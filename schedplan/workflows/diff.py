"""Diff: what is different in a second plan, and which inputs changed between the two."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from schedplan.measures.comparison import ComparedPlan, JobChange, MeasureChange, PlanDiff, compare
from schedplan.model.findings import Severity
from schedplan.model.plan import Plan
from schedplan.report.diff_sections import risk_section, worth, worth_facts
from schedplan.report.document import Block, Column, Document, Facts, Kind, Notice, Paragraph, Section, SectionRole, Table
from schedplan.report.figures import counted
from schedplan.tables.artefact_context import PlanContext
from schedplan.tables.artefacts import read_plan
from schedplan.workflows.attribution import Attribution, Effect, attribution

NO_CAUSES = Attribution()


@dataclass(frozen=True)
class Difference:
    """What two plans differ in, and which changed inputs that comes from."""

    diff: PlanDiff
    attribution: Attribution
    document: Document

    @property
    def is_empty(self) -> bool:
        """Whether work, nodes and measures are the same in both."""
        return not self.diff.decisions_differ and not self.diff.measures


def diff_plans(before: Path, after: Path, before_data: Path | None = None, after_data: Path | None = None) -> Difference:
    """Return the differences of two saved plans; they may be of different projects. Neither is checked against its inputs.

    Where both projects still hold what the plans were made from (they are looked for above the plans, or at the data folders),
    the changed inputs are put into the first one by one, to tell how much each explains.
    """
    first, second = read_plan(before), read_plan(after)
    found = compare(_compared(*first), _compared(*second))
    causes = attribution(before, after, before_data, after_data)
    return Difference(found, causes, diff_document(found, second[1], causes))


def diff_document(found: PlanDiff, context: PlanContext, causes: Attribution = NO_CAUSES) -> Document:
    """Return the differences as a document, in the currency and time zone of the second plan."""
    headline = Paragraph((_headline(found, context.currency),), is_headline=True)
    is_same = not found.decisions_differ and not found.measures
    answer = (headline,) if is_same else (headline, worth(found, context.currency))
    sections = [Section("answer", "", answer, SectionRole.ANSWER)]
    risk = risk_section(found)
    sections += [risk] if risk.blocks else []
    if found.inputs or causes.inputs:
        sections.append(Section("inputs", "Inputs", tuple(_input_blocks(found, causes))))
    if causes.effects:
        rows = tuple((one.input, one.objective, one.cost, one.wait_h, one.moved, one.note) for one in causes.effects)
        table = Table("effects-table", "", _effect_columns(context.currency), rows, EFFECTS_CAPTION)
        sections.append(Section("effects", "What each changed input does alone", (table,)))
    if found.jobs:
        sections.append(_section("jobs", "Jobs", _JOB_COLUMNS, tuple(_job_row(change) for change in found.jobs)))
    if found.replicas:
        spans = tuple((one.service, one.start_s, one.end_s, one.before, one.after) for one in found.replicas)
        sections.append(_section("replicas", "Replicas", _REPLICA_COLUMNS, spans))
    if found.node_hours:
        hours = tuple((one.pool, one.before_h, one.after_h) for one in found.node_hours)
        sections.append(_section("node-hours", "Node-hours", _HOUR_COLUMNS, hours))
    if found.measures:
        sections.append(_section("measures", "Measures", _MEASURE_COLUMNS, tuple(_measure_row(one) for one in found.measures)))
    facts = Facts(
        (
            ("cost_delta", found.cost_delta),
            ("objective_delta", found.objective_delta),
            ("differs", bool(found.decisions_differ)),
            ("changed_inputs", tuple(Facts((("input", one.name), ("changes", one.what))) for one in causes.inputs)),
            ("effects", tuple(_effect_facts(one) for one in causes.effects)),
            *worth_facts(found).items,
        )
    )
    return Document(kind="diff", title="Difference of two plans", sections=tuple(sections), timezone=context.timezone, facts=facts)


EFFECTS_CAPTION = (
    "Each input of the second plan alone put into the first project, and solved; the objective by the scales of the first."
    " Jobs moved: elsewhere, at another time, or in one plan only."
)


def _input_blocks(found: PlanDiff, causes: Attribution) -> list[Block]:
    blocks: list[Block] = []
    if found.inputs:
        rows = tuple((change.path, change.kind.value) for change in found.inputs)
        columns = (Column("input", "Input"), Column("change", "Change"))
        blocks.append(Table("inputs-table", "", columns, rows, "By the hash of their content."))
    if causes.inputs:
        changes = tuple((one.name, what) for one in causes.inputs for what in one.what)
        blocks.append(Table("changes-table", "", (Column("input", "Input"), Column("what", "What changed")), changes))
    if causes.reason:
        hint = "Name the folders that hold the inputs as they were with --before-data and --after-data."
        blocks.append(Notice(Severity.NOTE, f"How much each input explains is not known: {causes.reason}", hint=hint))
    return blocks


def _effect_columns(currency: str) -> tuple[Column, ...]:
    return (
        Column("input", "Input"),
        Column("objective", "Objective", Kind.NUMBER, digits=6),
        Column("cost", "Cost", Kind.MONEY, unit=currency),
        Column("wait", "Mean wait (h)", Kind.NUMBER, digits=2),
        Column("moved", "Jobs moved", Kind.COUNT),
        Column("note", "Note"),
    )


def _effect_facts(one: Effect) -> Facts:
    return Facts(
        (
            ("input", one.input),
            ("objective", one.objective),
            ("cost", one.cost),
            ("wait_h", one.wait_h),
            ("moved", one.moved),
            ("note", one.note),
        )
    )


_JOB_COLUMNS = (
    Column("job", "Job"),
    Column("change", "Change"),
    Column("before_start", "Start before", Kind.INSTANT),
    Column("after_start", "Start after", Kind.INSTANT),
    Column("before_nodes", "Nodes before"),
    Column("after_nodes", "Nodes after"),
)
_REPLICA_COLUMNS = (
    Column("service", "Service"),
    Column("from", "From", Kind.INSTANT),
    Column("to", "To", Kind.INSTANT),
    Column("before", "Before", Kind.COUNT),
    Column("after", "After", Kind.COUNT),
)
_HOUR_COLUMNS = (
    Column("pool", "Pool"),
    Column("before", "Before (h)", Kind.NUMBER),
    Column("after", "After (h)", Kind.NUMBER),
)
_MEASURE_COLUMNS = (
    Column("measure", "Measure"),
    Column("labels", "Labels"),
    Column("before", "Before", Kind.NUMBER, is_mixed=True),
    Column("after", "After", Kind.NUMBER, is_mixed=True),
    Column("unit", "Unit"),
)


def _section(name: str, title: str, columns: tuple[Column, ...], rows: tuple[tuple[str | int | float | None, ...], ...]) -> Section:
    return Section(name, title, (Table(f"{name}-table", "", columns, rows),))


def _headline(found: PlanDiff, currency: str) -> str:
    if not found.decisions_differ and not found.measures:
        return "The two plans are the same."
    parts = [f"{counted(len(found.jobs), 'job')} changed"] if found.jobs else []
    if found.cost_delta is not None:
        parts.append(f"cost {found.cost_delta:+,.2f} {currency}")
    return f"{'; '.join(parts) or 'Numbers differ'}."


def _job_row(change: JobChange) -> tuple[str | int | None, ...]:
    kinds = ", ".join(kind.value for kind in change.kinds)
    return (change.job, kinds, change.before_start_s, change.after_start_s, _nodes(change.before_nodes), _nodes(change.after_nodes))


def _nodes(nodes: tuple[tuple[str, int], ...]) -> str:
    shown = ", ".join(f"{node} x{workers}" if workers > 1 else node for node, workers in nodes[:4])
    return f"{shown} and {len(nodes) - 4} more" if len(nodes) > 4 else shown


def _measure_row(change: MeasureChange) -> tuple[str | float | None, ...]:
    labels = ", ".join(f"{key}={value}" for key, value in change.labels)
    return (change.name, labels, change.before, change.after, change.unit)


def _compared(plan: Plan, context: PlanContext) -> ComparedPlan:
    return ComparedPlan(plan, context.grid, tuple((record.path, record.sha256) for record in context.inputs))
