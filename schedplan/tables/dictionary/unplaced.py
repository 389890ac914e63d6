"""Table `unplaced` of a plan: what was left out and why."""

from schedplan.tables.column import Column, Dictionary, Kind

UNPLACED = Dictionary(
    name="unplaced",
    title="unplaced (plan): work that was left out, why, and what would let it in",
    key=("kind", "name"),
    written=True,
    columns=(
        Column("kind", Kind.TEXT, "job or service", required=True),
        Column("name", Kind.TEXT, "its name", required=True),
        Column("count", Kind.INTEGER, "how many of it", required=True, at_least=0),
        Column("rule", Kind.TEXT, "first rule that keeps it out", required=True),
        Column("evidence", Kind.TEXT, "the numbers that show it", required=True),
        Column("repair", Kind.TEXT, "a change that would let it in"),
        Column("repair_cost", Kind.FLOAT, "cost of that change; empty: it has no price", "currency"),
    ),
)
