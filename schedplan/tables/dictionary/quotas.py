"""Table `quotas`: what a tenant may use."""

from schedplan.tables.column import Column, Dictionary, Kind

QUOTAS = Dictionary(
    name="quotas",
    title="quotas: what a tenant is promised, may borrow and lends",
    key=("tenant", "accelerator", "resource"),
    planned=False,
    columns=(
        Column("tenant", Kind.TEXT, "leaf queue", required=True),
        Column("parent", Kind.TEXT, "queue above it"),
        Column("accelerator", Kind.TEXT, "device model; empty: all"),
        Column("resource", Kind.CHOICE, "what is counted", default="gpus", choices=("gpus", "cpus", "memory_gib")),
        Column("nominal", Kind.FLOAT, "what is promised", required=True, at_least=0),
        Column("max", Kind.FLOAT, "most with what is borrowed", default_rule="that of parent", at_least=0),
        Column("lend", Kind.FLOAT, "most that others may borrow; empty: all of it", at_least=0),
        Column("weight", Kind.FLOAT, "share in what is left over", default=1.0, at_least=0),
        Column("borrow_price", Kind.FLOAT, "price of what is borrowed", "currency/device-hour", 0.0, at_least=0),
        Column("source", Kind.TEXT, "where the row comes from"),
    ),
)
