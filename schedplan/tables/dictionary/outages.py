"""Table `outages`: when nodes are away."""

from schedplan.tables.column import Column, Dictionary, Kind

OUTAGES = Dictionary(
    name="outages",
    title="outages: when a node or a whole domain is away",
    either=("node", "domain"),
    columns=(
        Column("node", Kind.TEXT, "node or pool"),
        Column("domain", Kind.TEXT, "zone, rack or block instead of a node"),
        Column("start", Kind.TIMESTAMP, "begin", required=True),
        Column("end", Kind.TIMESTAMP, "end", required=True),
        Column("kind", Kind.CHOICE, "why", default="maintenance", choices=("maintenance", "failure", "reservation")),
        Column("note", Kind.TEXT, "remark"),
    ),
)
