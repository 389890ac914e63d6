"""The settings in force, as a document."""

from __future__ import annotations

from schedplan.config.settings import Settings, Value
from schedplan.report.document import Column, Document, Facts, FactValue, Section, SectionRole, Table


def settings_document(settings: Settings, *, has_origins: bool) -> Document:
    """Return every key with its value and, where asked for, its origin; for machines in `settings` and `origins`."""
    columns = [Column("key", "key"), Column("value", "value")]
    rows: list[tuple[str, ...]] = [(origin.key, _text(origin.value)) for origin in settings.origins]
    facts: list[tuple[str, FactValue]] = [("settings", Facts(tuple((origin.key, origin.value) for origin in settings.origins)))]
    if has_origins:
        columns.append(Column("origin", "from"))
        rows = [(*row, origin.source) for row, origin in zip(rows, settings.origins, strict=True)]
        facts.append(("origins", Facts(tuple((origin.key, origin.source) for origin in settings.origins))))
    table = Table("settings", "", tuple(columns), tuple(rows))
    return Document(
        kind="settings",
        title=f"Settings of {settings.project.name}",
        sections=(Section("answer", "", (table,), SectionRole.ANSWER),),
        timezone=settings.project.timezone,
        facts=Facts((*facts, ("file", None if settings.file is None else settings.file.as_posix()))),
    )


def _text(value: Value) -> str:
    """Return a value as people read it; a key without one shows nothing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple):
        return f"[{', '.join(_text(item) for item in value)}]"
    return str(value)
