"""Table `quotas`: what a tenant may use."""

from schedplan.tables.column import Column, Dictionary, Kind, Use

QUOTAS = Dictionary(
    name="quotas",
    title="quotas: what a tenant is promised, may borrow and lends",
    key=("tenant", "accelerator", "resource"),
    columns=(
        Column(
            "tenant",
            Kind.TEXT,
            "queue whose work it counts: jobs and replicas of this tenant, and of tenants below it",
            required=True,
        ),
        Column(
            "parent",
            Kind.TEXT,
            "queue above it; one that has no row of its own is a cohort, whose members share what they are promised together",
        ),
        Column("accelerator", Kind.TEXT, "device model; empty: all"),
        Column("resource", Kind.CHOICE, "what is counted", default="gpus", choices=("gpus", "cpus", "memory_gib")),
        Column("nominal", Kind.FLOAT, "what is promised", required=True, at_least=0),
        Column("max", Kind.FLOAT, "most with what is borrowed", default_rule="no cap but those above it", at_least=0),
        Column("lend", Kind.FLOAT, "most of it that other members of the cohort may use; empty: all of it", at_least=0),
        Column("weight", Kind.FLOAT, "share in what is left over", default=1.0, at_least=0, use=Use.NOT_YET),
        Column("borrow_price", Kind.FLOAT, "price of what is held above nominal", "currency/device-hour", 0.0, at_least=0),
        Column("source", Kind.TEXT, "where the row comes from", use=Use.DESCRIPTIVE),
    ),
)
