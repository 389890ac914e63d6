"""Explain: why a job or service stands as it does in a saved plan, why not elsewhere, or what a code means."""

from __future__ import annotations

import re
from pathlib import Path

from schedplan.errors import UsageError
from schedplan.explain.codes import CodeText, code_text
from schedplan.explain.explanation import Alternative, Explanation, Help, Reason
from schedplan.explain.why import explain
from schedplan.model.findings import Severity
from schedplan.report.document import (
    Block,
    Column,
    Document,
    Facts,
    Kind,
    Notice,
    Paragraph,
    Quantity,
    Section,
    SectionRole,
    Table,
)
from schedplan.tables.artefacts import read_plan
from schedplan.validate.registry import documented_codes, rule_text
from schedplan.workflows.plan import open_plan

NAMES_SHOWN = 20

_CODE = re.compile(r"[sS][pP]\d{4}", re.ASCII)


def is_code(text: str) -> bool:
    """Whether a text is the name of a code, such as SP1003."""
    return _CODE.fullmatch(text) is not None


def explain_code(code: str) -> Document:
    """Return what a code means and what to do about it; UsageError, with the nearest, for one that is not known."""
    others = tuple(CodeText(known, _first_words(rule_text(known)), rule_text(known)) for known in documented_codes())
    found = code_text(code, others)
    facts = Facts((("code", found.code), ("name", found.name), ("text", found.text)))
    section = Section("answer", "The answer", (Paragraph((found.text,)),), SectionRole.ANSWER)
    is_said_once = not found.text.startswith(found.name)
    title = f"{found.code}: {found.name}" if is_said_once else found.code
    return Document(kind="code", title=title, sections=(section,), facts=facts)


def nameless(folder: Path) -> UsageError:
    """Return the refusal of a plan without a name, with the names it can be asked for."""
    plan, _ = read_plan(folder)
    jobs = dict.fromkeys((*(row.job for row in plan.placements), *(row.name for row in plan.unplaced)))
    names = (*dict.fromkeys(row.service for row in plan.replicas), *jobs)
    more = len(names) - NAMES_SHOWN
    listed = ", ".join(names[:NAMES_SHOWN]) + (f" and {more:,} more" if more > 0 else "")
    return UsageError(f"{folder}: name a job or service of this plan", hint=f"It has {listed or 'none'}.")


def explain_plan(folder: Path, name: str, why_not: str | None = None, data: Path | None = None) -> Document:
    """Return why `name` stands as it does in a saved plan, or why not on a node or pool."""
    saved = open_plan(folder, data)
    found = explain(saved.problem, saved.plan, name, why_not=why_not)
    return explanation_document(found, saved.problem.currency, saved.problem.timezone)


def explanation_document(found: Explanation, currency: str, timezone: str) -> Document:
    """Return an explanation as a document."""
    blocks: list[Block] = [Paragraph((found.verdict,), is_headline=True)]
    if found.reasons:
        rows = tuple((reason.rule, reason.message) for reason in found.reasons)
        blocks.append(Table("reasons", "", (Column("rule", "Rule"), Column("message", "Why")), rows))
    sections = [Section("answer", "The answer", tuple(blocks), SectionRole.ANSWER)]
    if found.helps:
        sections.append(Section("helps", "What would help", (_helps(found.helps, currency),)))
    if found.alternatives:
        sections.append(Section("alternatives", "What else there was", (_alternatives(found.alternatives, currency),)))
    if found.next_step:
        sections.append(Section("next", "Next step", (Notice(Severity.NOTE, found.next_step),)))
    facts = Facts(
        (
            ("subject", found.subject),
            ("verdict", found.verdict),
            ("reasons", tuple(_reason_facts(reason) for reason in found.reasons)),
            ("helps", tuple(_help_facts(one) for one in found.helps)),
            ("alternatives", tuple(_alternative_facts(one) for one in found.alternatives)),
            ("next_step", found.next_step),
        )
    )
    return Document(kind="explanation", title=found.subject, sections=tuple(sections), timezone=timezone, facts=facts)


def _helps(helps: tuple[Help, ...], currency: str) -> Table:
    columns = (
        Column("change", "Change"),
        Column("cost", "Cost", Kind.MONEY, unit=currency),
        Column("moved_devices", "Devices moved", Kind.NUMBER, is_detail=True),
    )
    rows = tuple((one.words, one.cost, one.moved_devices) for one in helps)
    return Table("helps-table", "", columns, rows, "Each alone, with all other work where it is; priced exactly for that.")


def _alternatives(alternatives: tuple[Alternative, ...], currency: str) -> Table:
    columns = (
        Column("place", "Place"),
        Column("outcome", "Outcome"),
        Column("start", "Earliest start", Kind.INSTANT),
        Column("cost_difference", "Cost against the plan", Kind.MONEY, unit=currency),
        Column("objective_difference", "Objective against the plan", Kind.NUMBER, digits=4, is_detail=True),
        Column("message", "Why"),
    )
    rows = tuple(
        (one.place, one.outcome.value, one.start_s, one.cost_difference, one.objective_difference, one.message)
        for one in alternatives
    )
    caption = "With all other work where the plan has it: exact for that, and not solved anew."
    return Table("alternatives-table", "", columns, rows, caption)


def _help_facts(one: Help) -> Facts:
    return Facts((("change", one.words), ("cost", one.cost), ("moved_devices", one.moved_devices)))


def _alternative_facts(one: Alternative) -> Facts:
    return Facts(
        (
            ("place", one.place),
            ("outcome", one.outcome.value),
            ("rule", one.rule),
            ("start", Quantity(one.start_s, Kind.INSTANT)),
            ("cost_difference", one.cost_difference),
            ("bill_difference", one.bill_difference),
            ("objective_difference", one.objective_difference),
            ("message", one.message),
        )
    )


def _reason_facts(reason: Reason) -> Facts:
    numbers = tuple(Facts((("name", number.name), ("value", number.value), ("unit", number.unit))) for number in reason.numbers)
    return Facts((("rule", reason.rule), ("message", reason.message), ("numbers", numbers)))


def _first_words(text: str) -> str:
    return text.split(".", maxsplit=1)[0]
