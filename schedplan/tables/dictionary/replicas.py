"""Table `replicas` of a plan: how many replicas stand where in each slot."""

from schedplan.tables.column import Column, Dictionary, Kind

REPLICAS = Dictionary(
    name="replicas",
    title="replicas (plan): how many replicas of a service stand on which node in each slot",
    key=("service", "ds", "node"),
    written=True,
    columns=(
        Column("service", Kind.TEXT, "service", required=True),
        Column("ds", Kind.TIMESTAMP, "begin of the slot", required=True),
        Column("slot_minutes", Kind.FLOAT, "length of the slot", "min", required=True, above=0),
        Column("node", Kind.TEXT, "single node", required=True),
        Column("replicas", Kind.INTEGER, "replicas there", "replicas", required=True, at_least=0),
        Column("requested_at", Kind.TIMESTAMP, "when they have to be asked for", required=True),
        Column("latency_ms", Kind.FLOAT, "latency at the target's quantile; empty: no steady state", "ms", at_least=0),
        Column("cost", Kind.FLOAT, "share of the node price", "currency", required=True),
    ),
)
