"""Table `pins`: what has been decided beforehand."""

from schedplan.tables.column import Column, Dictionary, Kind

PINS = Dictionary(
    name="pins",
    title="pins: decisions that a plan has to keep",
    either=("job", "service"),
    planned=False,
    columns=(
        Column("job", Kind.TEXT, "job"),
        Column("service", Kind.TEXT, "service instead of a job"),
        Column("node", Kind.TEXT, "node or pool where it stands", required=True),
        Column("start", Kind.TIMESTAMP, "when it starts; empty: any time"),
        Column("replicas", Kind.INTEGER, "replicas there", "replicas", at_least=0),
    ),
)
