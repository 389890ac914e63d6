"""Schema: the columns of a table, as the dictionary has them."""

from __future__ import annotations

from schedplan.report.document import Column, Document, Section, SectionRole, Table
from schedplan.tables.catalog import ALL_TABLES, dictionary, schema_rows


def schema_document(name: str | None) -> Document:
    """Return the columns of a table, or all tables without a name; UsageError, with the nearest, for an unknown one."""
    if name is None:
        rows = tuple((table.name, table.title.removeprefix(f"{table.name}: ")) for table in ALL_TABLES)
        table = Table("tables", "", (Column("table", "Table"), Column("meaning", "Meaning")), rows)
        return Document(kind="tables", title="Tables", sections=(Section("answer", "The answer", (table,), SectionRole.ANSWER),))
    columns = (
        Column("column", "Column"),
        Column("type", "Type"),
        Column("unit", "Unit"),
        Column("default", "Default"),
        Column("meaning", "Meaning"),
    )
    rows5 = tuple(
        (
            row.name,
            row.type,
            row.unit,
            row.default,
            row.description if row.honoured else f"{row.description} (read, not acted on yet)",
        )
        for row in schema_rows(name)
    )
    section = Section("answer", "The answer", (Table("columns", "", columns, rows5),), SectionRole.ANSWER)
    return Document(kind="schema", title=f"Table {dictionary(name).name}", sections=(section,))
