"""Explain: why a job or service stands as it does in a saved plan, why not elsewhere, or what a code means."""

from __future__ import annotations

import re
from pathlib import Path

from schedplan.errors import UsageError
from schedplan.explain.codes import CodeText, code_text
from schedplan.explain.explanation import Alternative, Explanation, Reason
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
    return Document(kind="code", title=f"{found.code}: {found.name}", sections=(section,), facts=facts)


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
    if found.alternatives:
        sections.append(Section("alternatives", "What else there was", (_alternatives(found.alternatives, currency),)))
    if found.next_step:
        sections.append(Section("next", "Next step", (Notice(Severity.NOTE, found.next_step),)))
    facts = Facts(
        (
            ("subject", found.subject),
            ("verdict", found.verdict),
            ("reasons", tuple(_reason_facts(reason) for reason in found.reasons)),
            ("next_step", found.next_step),
        )
    )
    return Document(kind="explanation", title=found.subject, sections=tuple(sections), timezone=timezone, facts=facts)


def _alternatives(alternatives: tuple[Alternative, ...], currency: str) -> Table:
    columns = (
        Column("place", "Place"),
        Column("outcome", "Outcome"),
        Column("start", "Earliest start", Kind.INSTANT),
        Column("cost_difference", "Cost against the plan", Kind.MONEY, unit=currency),
        Column("message", "Why"),
    )
    rows = tuple((one.place, one.outcome.value, one.start_s, one.cost_difference, one.message) for one in alternatives)
    return Table("alternatives-table", "", columns, rows)


def _reason_facts(reason: Reason) -> Facts:
    numbers = tuple(Facts((("name", number.name), ("value", number.value), ("unit", number.unit))) for number in reason.numbers)
    return Facts((("rule", reason.rule), ("message", reason.message), ("numbers", numbers)))


def _first_words(text: str) -> str:
    return text.split(".", maxsplit=1)[0]
