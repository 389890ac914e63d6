"""A comparison of engines as a document: the recommendation, the engines at the gates, facts and replays in tables of their own."""

from __future__ import annotations

from collections.abc import Sequence

from schedplan.compare_engines.comparison import Candidate, Comparison, Standing
from schedplan.compare_engines.gates import GateResult, Outcome
from schedplan.compare_engines.recommendation import Recommendation
from schedplan.compare_engines.replays import CHANGED, PLAN_POLICY, PLAN_ROW, ReplayRow
from schedplan.engines.atom import Dimension
from schedplan.engines.stack import Stack
from schedplan.model.findings import Measure, Severity
from schedplan.report.document import (
    Block,
    Cell,
    Column,
    Document,
    Entry,
    Facts,
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
from schedplan.report.engine_document import FACT_COLUMNS, fact_row
from schedplan.report.figures import counted
from schedplan.report.stack_cards import cards_table, parameters_table

_MEASURES = (
    ("wait_s_mean", "Mean wait", Kind.DURATION),
    ("wait_s_p95", "Wait, 95 %", Kind.DURATION),
    ("wait_largest_decile_s", "Wait, largest tenth", Kind.DURATION),
    ("bounded_slowdown_mean", "Slowdown", Kind.NUMBER),
    ("gang_start_rate", "Gangs started whole", Kind.SHARE),
    ("deadline_hits", "Deadlines kept", Kind.SHARE),
    ("utilization", "Utilization", Kind.SHARE),
    ("allocation", "Allocation", Kind.SHARE),
    ("fragmentation", "Fragmentation", Kind.SHARE),
    ("jain_tenants", "Fairness", Kind.SHARE),
    ("makespan_s", "Makespan", Kind.DURATION),
    ("lost_device_h", "Device-hours lost", Kind.NUMBER),
    ("phantom_admitted_device_h", "Admitted without nodes, device-hours", Kind.NUMBER),
    ("preemptions", "Preemptions", Kind.COUNT),
    ("decision_latency_s_mean", "Decision latency", Kind.DURATION),
    ("unplaced", "Never started", Kind.COUNT),
    ("cost", "Cost", Kind.MONEY),
)
_DETAIL_MEASURES = frozenset(
    (
        "allocation",
        "fragmentation",
        "jain_tenants",
        "bounded_slowdown_mean",
        "makespan_s",
        "lost_device_h",
        "preemptions",
        "phantom_admitted_device_h",
        "decision_latency_s_mean",
    )
)


def compare_engines_document(
    found: Comparison,
    recommended: Recommendation,
    stacks: tuple[Stack, ...],
    *,
    title: str = "Which engine fits",
    currency: str = "",
    timezone: str = "UTC",
    notes: tuple[str, ...] = (),
    warnings: tuple[str, ...] = (),
    inputs: tuple[tuple[str, str], ...] = (),
    versions: tuple[tuple[str, str], ...] = (),
) -> Document:
    """Return the document of a comparison. inputs: (path, hash); versions: (name, version).

    notes: what was assumed; warnings: what must be known before the comparison is trusted.
    """
    sections = (
        _answer(recommended, notes, warnings),
        Section(
            "engines-section",
            "Engines: gates and fit, by facts",
            (_engines_table(found), _conditions_table(found), _gates_table(found)),
        ),
        Section("replays-section", "Replays: these jobs under the rules of each stack", _replay_blocks(found, currency)),
        Section("models-section", "How near the replays come", (cards_table(stacks),), SectionRole.MORE),
        Section("profile-section", "What the workload asks for", (_profile_table(found), _size_entries(found)), SectionRole.MORE),
        Section("gate-results-section", "Every engine at every gate", (_results_table(found),), SectionRole.MORE),
        Section("parameters-section", "Presets", (parameters_table(stacks),), SectionRole.DETAIL),
        Section("weights-section", "Weights, and what moves the answer", _weight_blocks(found), SectionRole.DETAIL),
        Section("facts-section", "The facts behind the scores", (_facts_table(found),), SectionRole.DETAIL),
        Section("provenance", "Where this comes from", _provenance(notes, inputs, versions), SectionRole.DETAIL),
    )
    return Document(
        kind="compare-engines",
        title=title,
        sections=sections,
        badge="No engine passes" if recommended.engine is None else recommended.engine,
        badge_tone=Tone.BAD if recommended.engine is None else Tone.GOOD,
        timezone=timezone,
        facts=_facts(found, recommended, warnings),
        main_table="engines",
    )


def _answer(recommended: Recommendation, notes: tuple[str, ...], warnings: tuple[str, ...]) -> Section:
    blocks: list[Block] = [Paragraph((recommended.headline,), is_headline=True)]
    blocks += [Notice(Severity.WARNING, f"Condition at {one}") for one in recommended.conditions]
    blocks += [Notice(Severity.WARNING, words) for words in warnings]
    told = (
        ("for it", recommended.reasons),
        ("against it", recommended.lacks),
        ("replays", recommended.measured),
        ("would change it", recommended.changes),
    )
    rows = tuple((sign, one) for sign, sentences in told for one in sentences)
    if rows:
        blocks.append(Table("points", "", (Column("sign", "Speaks"), Column("statement", "What")), rows))
    if notes:
        words = f"{counted(len(notes), 'assumption')} {'is' if len(notes) == 1 else 'are'} listed under “Where this comes from”."
        blocks.append(Notice(Severity.NOTE, words))
    return Section("answer", "The answer", tuple(blocks), SectionRole.ANSWER)


def _engines_table(found: Comparison) -> Table:
    columns = (
        Column("engine", "Engine"),
        Column("standing", "At the gates"),
        Column("fit", "Fit", Kind.SHARE),
        *(Column(one.value, one.value, Kind.SHARE, is_detail=True) for one in Dimension),
        Column("verified", "Verified facts", Kind.SHARE, is_detail=True),
        Column("replayed_by", "Replayed as"),
    )
    caption = (
        "Fit is the weighted share of what the workload needs that the engine's facts give, no measurement. Best first among those"
        " that pass; what is no scheduler has no rank."
    )
    return Table("engines", "", columns, tuple(_engine_row(found, one) for one in found.candidates), caption)


def _engine_row(found: Comparison, one: Candidate) -> tuple[Cell, ...]:
    ranked = one.standing is not Standing.NO_SCHEDULER
    rows = found.replays_of(one.engine)
    facts = one.engine.facts
    return (
        one.engine.name,
        one.standing.value,
        finite(one.fit.score) if ranked else None,
        *(finite(one.fit.of(dimension).score) if ranked else None for dimension in Dimension),
        sum(fact.is_verified for fact in facts) / len(facts),
        ", ".join(row.case.preset for row in rows) or None,
    )


def _conditions_table(found: Comparison) -> Table:
    columns = (Column("engine", "Engine"), Column("why", "Conditions and failures"))
    rows = tuple((one.engine.name, _why(one)) for one in found.candidates if _why(one))
    return Table("conditions", "", columns, rows, "What stands between an engine and this workload.", "none")


def _why(one: Candidate) -> str:
    if one.standing is Standing.NO_SCHEDULER:
        return "decides on no pods; choose a scheduler for it"
    failed = [f"{result.gate.name}: {result.statement}" for result in one.results_with(Outcome.FAILED)]
    open_ones = [
        f"{result.gate.name} ({result.outcome.value}): {result.statement}"
        for result in one.results_with(Outcome.CONDITION, Outcome.UNKNOWN)
    ]
    return " ".join((*failed, *open_ones))


def _gates_table(found: Comparison) -> Table:
    columns = (
        Column("gate", "Gate"),
        Column("reason", "Asked for because"),
        Column("passed", "Passed", Kind.COUNT),
        Column("conditional", "Conditional", Kind.COUNT),
        Column("failed", "Failed", Kind.COUNT),
        Column("failing", "Kept out"),
    )
    rows = tuple(_gate_row(found, idx) for idx in range(len(found.gates)))
    return Table("gates", "", columns, rows, "A gate is held before any score counts.", "no gate")


def _gate_row(found: Comparison, idx: int) -> tuple[Cell, ...]:
    gate = found.gates[idx]
    results = [(one.engine.name, one.results[idx].outcome) for one in found.candidates]
    failing = [name for name, outcome in results if outcome is Outcome.FAILED]
    conditional = sum(outcome in (Outcome.CONDITION, Outcome.UNKNOWN) for _, outcome in results)
    passed = sum(outcome is Outcome.PASSED for _, outcome in results)
    return (gate.name, gate.reason, passed, conditional, len(failing), ", ".join(failing))


def _results_table(found: Comparison) -> Table:
    columns = (
        Column("engine", "Engine"),
        Column("gate", "Gate"),
        Column("outcome", "Outcome"),
        Column("statement", "Because"),
        Column("source", "Source"),
        Column("checked_on", "Checked on"),
    )
    rows = tuple(_result_row(one, result) for one in found.candidates for result in one.results)
    return Table("gate-results", "", columns, rows, "Each outcome with the fact it rests on.", "no gate")


def _result_row(one: Candidate, result: GateResult) -> tuple[Cell, ...]:
    deciding = next((fact for fact in result.facts if fact.note == result.statement), None)
    basis = deciding or result.size_limit
    source, day = (None, None) if basis is None else (basis.source, basis.checked_on.isoformat())
    return (one.engine.name, result.gate.name, result.outcome.value, result.statement, source, day)


def _replay_blocks(found: Comparison, currency: str) -> tuple[Block, ...]:
    if not found.replays and not found.plan_measures:
        return (Paragraph(("Nothing was replayed: there is no job with a run time, or no node to run it on.",)),)
    return (_replays_table(found, currency),)


def _replays_table(found: Comparison, currency: str) -> Table:
    names = [one for one in _MEASURES if _is_measured(found, one[0])]
    columns = (
        Column("basis", "Basis"),
        Column("stack", "Stack"),
        Column("preset", "Preset"),
        *(
            Column(name, title, kind, unit=currency if kind is Kind.MONEY else "", is_detail=name in _DETAIL_MEASURES)
            for name, title, kind in names
        ),
    )
    rows: list[tuple[Cell, ...]] = [
        ("replay", row.stack or row.policy, _preset_of(row), *(_cell(row.measures, name) for name, _, _ in names))
        for row in found.replays
    ]
    if found.plan_measures:
        rows.append(("plan", PLAN_ROW, "", *(_cell(found.plan_measures, name) for name, _, _ in names)))
    caption = (
        "Jobs alone, on all nodes, one replay without a band: small differences rank nothing. A model is no engine: its card"
        " says what"
        " it leaves out. Preset textbook: a rule that is no engine's own."
    )
    if found.plan_measures:
        caption += " The plan is not replayed: it also places services and pays only for nodes that are on."
    return Table("replays", "", columns, tuple(rows), caption)


def _is_measured(found: Comparison, name: str) -> bool:
    return any(row.value(name) is not None for row in found.replays) or _cell(found.plan_measures, name) is not None


def _cell(measures: Sequence[Measure], name: str) -> Cell:
    value = next((one.value for one in measures if one.name == name and not one.labels), None)
    return finite(value)


def _preset_of(row: ReplayRow) -> str:
    if row.case.preset == CHANGED:
        return row.policy.partition(" with ")[2]
    return row.case.preset or ("plan" if row.policy == PLAN_POLICY else "textbook")


def _profile_table(found: Comparison) -> Table:
    columns = (Column("feature", "Feature"), Column("value", "Value", Kind.SHARE), Column("evidence", "By these numbers"))
    rows = tuple((one.feature.value, one.value, one.evidence) for one in found.profile.features)
    return Table(
        "profile", "", columns, rows, "A feature at 100 % makes the capabilities that it asks for weigh five times as much."
    )


def _size_entries(found: Comparison) -> KeyValues:
    profile = found.profile
    return KeyValues(
        "sizes",
        "",
        (
            Entry("Jobs", Quantity(profile.n_jobs, Kind.COUNT)),
            Entry("Services", Quantity(profile.n_services, Kind.COUNT)),
            Entry("Tenants", Quantity(profile.n_tenants, Kind.COUNT)),
            Entry("Nodes", Quantity(profile.n_nodes, Kind.COUNT)),
            Entry("Length", Quantity(profile.hours * 3600.0, Kind.DURATION)),
            Entry("Offered load", Quantity(profile.offered_load, Kind.SHARE), "work asked for / what all nodes offer in that time"),
        ),
    )


def _weight_blocks(found: Comparison) -> tuple[Block, ...]:
    columns = (
        Column("dimension", "Dimension"),
        Column("dimension_weight", "Its weight", Kind.NUMBER, digits=2),
        Column("atom", "Capability"),
        Column("weight", "Weight in it", Kind.NUMBER, digits=2),
        Column("feature", "Asked for by"),
    )
    rows = tuple(
        (need.dimension.value, need.weight, one.atom.name, one.weight, None if one.feature is None else one.feature.value)
        for need in found.needs
        for one in need.needs
    )
    move_columns = (
        Column("dimension", "Dimension"),
        Column("from", "Weight now", Kind.NUMBER, digits=2),
        Column("to", "Draws level at", Kind.NUMBER, digits=2),
        Column("challenger", "With"),
    )
    moves = tuple((one.dimension.value, one.from_weight, one.to_weight, one.challenger) for one in found.moves)
    return (
        Table(
            "moves", "", move_columns, moves, "One weight at a time, smallest move first.", "no single weight changes the answer"
        ),
        Table("weights", "", columns, rows, "A dimension weighs the mean of its capabilities, times the factor given for it."),
    )


def _facts_table(found: Comparison) -> Table:
    columns = (Column("engine", "Engine"), *FACT_COLUMNS)
    rows = tuple((one.engine.name, *fact_row(fact)) for one in found.candidates for fact in one.engine.facts)
    return Table("facts", "", columns, rows, "`schedplan engines NAME` prints those of one engine.")


def _provenance(
    notes: tuple[str, ...], inputs: tuple[tuple[str, str], ...], versions: tuple[tuple[str, str], ...]
) -> tuple[Block, ...]:
    return (
        Table("assumptions", "Assumed", (Column("assumption", "Assumption"),), tuple((note,) for note in notes)),
        Table("inputs", "Inputs", (Column("path", "Path"), Column("sha256", "SHA-256")), inputs),
        Table("versions", "Versions", (Column("name", "Name"), Column("version", "Version")), versions),
    )


def _facts(found: Comparison, recommended: Recommendation, warnings: tuple[str, ...]) -> Facts:
    return Facts(
        (
            (
                "recommendation",
                Facts(
                    (
                        ("engine", recommended.engine),
                        ("headline", recommended.headline),
                        ("reasons", recommended.reasons),
                        ("lacks", recommended.lacks),
                        ("conditions", recommended.conditions),
                        ("measured", recommended.measured),
                        ("changes", recommended.changes),
                    )
                ),
            ),
            ("engines", tuple(_candidate_facts(one) for one in found.candidates)),
            ("profile", Facts(tuple((one.feature.name.lower(), one.value) for one in found.profile.features))),
            ("replays", tuple(_replay_facts(row) for row in found.replays)),
            ("warnings", warnings),
        )
    )


def _candidate_facts(one: Candidate) -> Facts:
    ranked = one.standing is not Standing.NO_SCHEDULER
    dimensions = tuple((each.dimension.value, finite(each.score)) for each in one.fit.dimensions)
    return Facts(
        (
            ("engine", one.engine.name),
            ("standing", one.standing.value),
            ("fit", finite(one.fit.score) if ranked else None),
            ("dimensions", Facts(dimensions if ranked else ())),
            ("gates", Facts(tuple((result.gate.name, result.outcome.value) for result in one.results))),
        )
    )


def _replay_facts(row: ReplayRow) -> Facts:
    whole = tuple((one.name, finite(one.value)) for one in row.measures if not one.labels)
    return Facts(
        (
            ("policy", row.policy),
            ("stack", row.stack),
            ("preset", _preset_of(row)),
            ("measures", Facts(tuple(dict(whole).items()))),
        )
    )
