"""What a verdict says: the gate in a sentence, then every rule with its value, limit and margin."""

from __future__ import annotations

from schedplan.check.rules import Level
from schedplan.check.verdict import Verdict, VerdictItem
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
    Tone,
    finite,
)
from schedplan.report.figures import counted

_COLUMNS = (
    Column("rule", "Rule"),
    Column("result", "Result"),
    Column("value", "Value", Kind.NUMBER, is_mixed=True),
    Column("limit", "Limit", Kind.NUMBER, is_mixed=True),
    Column("upper", "to", Kind.NUMBER, is_mixed=True),
    Column("margin", "Margin", Kind.NUMBER, is_mixed=True),
    Column("unit", "Unit"),
    Column("message", "What was found"),
    Column("hint", "Next step", is_detail=True),
    Column("code", "Code", is_detail=True),
)


def verdict_document(verdict: Verdict, *, title: str = "Check", timezone: str = "UTC", notes: tuple[str, ...] = ()) -> Document:
    """Return the document of a verdict; notes: what to do about it."""
    badge, tone = ("Passed", Tone.GOOD) if verdict.passed else ("Failed", Tone.BAD)
    blocks: list[Block] = [Paragraph((_headline(verdict),), is_headline=True)]
    blocks += [_notice(item, Severity.ERROR) for item in verdict.denials]
    blocks += [_notice(item, Severity.WARNING) for item in verdict.warnings]
    blocks += [Notice(Severity.NOTE, note) for note in notes]
    shown = [idx for idx, column in enumerate(_COLUMNS) if column.key != "hint" or any(item.hint for item in verdict.items)]
    rows = tuple(tuple(_row(item)[idx] for idx in shown) for item in verdict.items)
    caption = "Margin: how far inside its limit a value is."
    table = Table("rules", "", tuple(_COLUMNS[idx] for idx in shown), rows, caption)
    return Document(
        kind="verdict",
        title=title,
        timezone=timezone,
        badge=badge,
        badge_tone=tone,
        sections=(
            Section("answer", "The answer", tuple(blocks), SectionRole.ANSWER),
            Section("rules-section", "Every rule", (table,)),
        ),
        facts=Facts((("passed", verdict.passed), ("items", tuple(_facts(item) for item in verdict.items)))),
        main_table="rules",
    )


def result_word(item: VerdictItem) -> str:
    """Return `passed`, `warning` or `failed`."""
    if item.passed:
        return "passed"
    return "warning" if item.level is Level.WARN else "failed"


def _notice(item: VerdictItem, severity: Severity) -> Notice:
    end = "." if item.hint else ""
    return Notice(severity, f"{item.rule}: {item.message}{end}", item.code, item.hint or None)


def _headline(verdict: Verdict) -> str:
    if not verdict.items:
        return "There is no rule to hold the plan against."
    broken, warned = len(verdict.denials), len(verdict.warnings)
    warnings = f", {counted(warned, 'warning')}" if warned else ""
    if broken:
        return f"{broken:,} of {counted(len(verdict.items), 'rule')} {'is' if broken == 1 else 'are'} broken{warnings}."
    return f"The gate is passed: {counted(len(verdict.items) - warned, 'rule')} of {len(verdict.items):,} met{warnings}."


def _row(item: VerdictItem) -> tuple[str | float | None, ...]:
    return (
        item.rule,
        result_word(item),
        finite(item.value),
        item.limit,
        item.upper,
        finite(item.margin),
        item.unit,
        item.message,
        item.hint or None,
        item.code,
    )


def _facts(item: VerdictItem) -> Facts:
    return Facts(
        (
            ("rule", item.rule),
            ("level", item.level.value),
            ("passed", item.passed),
            ("measure", item.measure),
            ("labels", Facts(item.labels)),
            ("value", finite(item.value)),
            ("limit", item.limit),
            ("upper", item.upper),
            ("unit", item.unit),
            ("margin", finite(item.margin)),
            ("message", item.message),
            ("code", item.code),
            ("hint", item.hint or None),
        )
    )
