"""What engines can do, as documents: a list of all, or one with every fact, its source and its day."""

from __future__ import annotations

from schedplan.engines.atom import ATOMS
from schedplan.engines.fact import Engine, Fact, Value
from schedplan.engines.stack import Stack
from schedplan.report.document import (
    Column,
    Document,
    Entry,
    Facts,
    KeyValues,
    Kind,
    Paragraph,
    Quantity,
    Section,
    SectionRole,
    Table,
)
from schedplan.report.figures import counted
from schedplan.report.stack_cards import cards_table, parameters_table

FACT_COLUMNS = (
    Column("dimension", "Dimension", is_detail=True),
    Column("atom", "Capability"),
    Column("value", "Answer"),
    Column("note", "What was read"),
    Column("version", "Version", is_detail=True),
    Column("source", "Source"),
    Column("checked_on", "Checked on"),
    Column("confidence", "Confidence", is_detail=True),
)
_DIMENSION_OF = {atom.name: atom.dimension.value for atom in ATOMS}
_CAPTION = (
    "Confidence: cited, the source itself says so; documented, the documentation as a whole was read for it; derived, it follows"
    " from other rows; unverified, it was not looked up. Not applicable: asked of the wrong kind of program, which is no zero."
)


def engines_document(engines: tuple[Engine, ...], stacks: tuple[Stack, ...]) -> Document:
    """Return the list of engines, and of the stacks that are compared."""
    columns = (
        Column("engine", "Engine"),
        Column("title", "What it is"),
        Column("role", "Role"),
        Column("licence", "Licence"),
        Column("version", "Facts for"),
        Column("stacks", "In the stacks"),
        Column("facts", "Facts", Kind.COUNT),
        Column("not_verified", "Not verified", Kind.COUNT),
    )
    rows = tuple(
        (
            engine.name,
            engine.title,
            engine.role.value,
            engine.licence,
            engine.version,
            ", ".join(one.name for one in stacks if engine.name in one.engines),
            len(engine.facts),
            sum(not fact.is_verified for fact in engine.facts),
        )
        for engine in engines
    )
    table = Table("engines", "", columns, rows, "`schedplan engines NAME` prints every fact of one with its source.")
    return Document(
        kind="engines",
        title="Scheduling engines",
        sections=(
            Section("answer", "", (table,), SectionRole.ANSWER),
            Section("models-section", "Stacks, and how near their replays come", (cards_table(stacks),)),
        ),
        facts=Facts(),
        main_table="engines",
    )


def engine_document(engine: Engine, stacks: tuple[Stack, ...]) -> Document:
    """Return everything that is known of one engine, with the cards of the stacks that it is a layer of."""
    yes, some, none = (sum(fact.value is value for fact in engine.facts) for value in (Value.YES, Value.PARTIAL, Value.NO))
    headline = Paragraph((f"{engine.summary} {yes} yes, {some} partial, {none} no.",), is_headline=True)
    identity = KeyValues(
        "identity",
        "",
        (
            _entry("Role", engine.role.value),
            _entry("Licence", engine.licence),
            _entry("Governance", engine.governance),
            _entry("Facts for", engine.version),
            _entry("API versions", ", ".join(engine.api_versions)),
            _entry("Source", engine.source, f"read on {engine.checked_on.isoformat()}"),
            *(
                _entry(f"Largest number of {one.measure}", f"{one.most:,}", f"{one.note} {one.source}")
                for one in engine.size_limits
            ),
        ),
    )
    facts = Table("facts", "", FACT_COLUMNS, tuple(fact_row(fact) for fact in engine.facts), _CAPTION)
    title = f"{counted(len(engine.facts), 'fact')}, {sum(fact.is_verified for fact in engine.facts)} verified"
    return Document(
        kind="engine",
        title=engine.title,
        sections=(
            Section("answer", "", (headline, identity), SectionRole.ANSWER),
            Section("models-section", "How near replays come", (cards_table(stacks), parameters_table(stacks))),
            Section("facts-section", title, (facts,)),
        ),
        facts=Facts((("engine", engine.name), ("role", engine.role.value), ("version", engine.version))),
        main_table="facts",
    )


def fact_row(fact: Fact) -> tuple[str, ...]:
    """Return a fact under FACT_COLUMNS."""
    return (
        _DIMENSION_OF[fact.atom],
        fact.atom,
        fact.value.value,
        fact.note,
        fact.version,
        fact.source,
        fact.checked_on.isoformat(),
        fact.confidence.value,
    )


def _entry(label: str, text: str, note: str = "") -> Entry:
    return Entry(label, Quantity(text), note)
