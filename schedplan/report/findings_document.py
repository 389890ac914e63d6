"""What findings say: how many of each severity, then every one with its place and next step."""

from __future__ import annotations

from dataclasses import replace

from schedplan.model.findings import Finding, Severity
from schedplan.report.document import Column, Document, Facts, Kind, Paragraph, Section, SectionRole, Table, Tone
from schedplan.report.figures import counted

_ORDER = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
_COLUMNS = (
    Column("severity", "Severity"),
    Column("code", "Code"),
    Column("subject", "About"),
    Column("message", "What was found"),
    Column("hint", "Next step"),
    Column("file", "File"),
    Column("row", "Row", Kind.COUNT),
    Column("column", "Column"),
)


def findings_document(
    findings: tuple[Finding, ...], *, kind: str = "findings", title: str = "Findings", all_clear: str = "Nothing was found."
) -> Document:
    """Return the document of findings, errors first, each severity in the order given; `all_clear` stands where there are none."""
    ordered = tuple(finding for severity in _ORDER for finding in findings if finding.severity is severity)
    counts = [(severity, sum(finding.severity is severity for finding in findings)) for severity in _ORDER]
    words = ", ".join(counted(number, severity.value) for severity, number in counts if number)
    headline = Paragraph((f"{words}." if words else all_clear,), is_headline=True)
    rows = tuple(_row(finding) for finding in ordered)
    columns = tuple(replace(column, is_detail=all(row[idx] is None for row in rows)) for idx, column in enumerate(_COLUMNS))
    table = Table("findings", "", columns, rows)
    sections = [Section("answer", "The answer", (headline,), SectionRole.ANSWER)]
    if ordered:
        sections.append(Section("findings-section", "Every finding", (table,)))
    badge, tone = _badge(counts)
    return Document(
        kind=kind,
        title=title,
        badge=badge,
        badge_tone=tone,
        sections=tuple(sections),
        facts=Facts(
            (
                ("counts", Facts(tuple((severity.value, number) for severity, number in counts))),
                ("findings", tuple(_facts(finding) for finding in ordered)),
            )
        ),
        main_table="findings" if ordered else None,
        spare_table=table,
    )


def _badge(counts: list[tuple[Severity, int]]) -> tuple[str, Tone]:
    worst = next((severity for severity, number in counts if number), Severity.NOTE)
    return {
        Severity.ERROR: ("Errors", Tone.BAD),
        Severity.WARNING: ("Warnings", Tone.CAUTION),
        Severity.NOTE: ("Clean", Tone.GOOD),
    }[worst]


def _row(finding: Finding) -> tuple[str | int | None, ...]:
    return (
        finding.severity.value,
        finding.code,
        finding.subject,
        finding.message,
        finding.hint,
        finding.file,
        finding.row,
        finding.column,
    )


def _facts(finding: Finding) -> Facts:
    return Facts(tuple((column.key, cell) for column, cell in zip(_COLUMNS, _row(finding), strict=True)))
