"""Table `pins`: what has been decided beforehand."""

from schedplan.tables.column import Column, Dictionary, Kind

PINS = Dictionary(
    name="pins",
    title="pins: decisions that a plan has to keep",
    either=("job", "service"),
    columns=(
        Column("job", Kind.TEXT, "job"),
        Column("service", Kind.TEXT, "service instead of a job"),
        Column("node", Kind.TEXT, "node or pool where it stands; empty for a job: anywhere"),
        Column("start", Kind.TIMESTAMP, "when it starts, rounded up to slots; of a service: since when it stands; empty: any time"),
        Column("replicas", Kind.INTEGER, "least replicas there in every slot; empty for a service: 1", "replicas", at_least=0),
    ),
)
