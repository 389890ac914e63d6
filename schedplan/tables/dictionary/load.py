"""Table `load`: demand over time, seen or given."""

from schedplan.tables.column import Column, Dictionary, Kind

LOAD = Dictionary(
    name="load",
    title="load: demand over time, one row per series and interval",
    key=("unique_id", "ds"),
    columns=(
        Column("unique_id", Kind.TEXT, "name of the series", required=True),
        Column("ds", Kind.TIMESTAMP, "begin of the interval", required=True),
        Column(
            "y",
            Kind.FLOAT,
            "mean rate within the interval: requests per second of a service, devices or cores in use of other work; empty: a gap",
            required=True,
            null_ok=True,
            at_least=0,
        ),
        Column("unit", Kind.TEXT, "unit of y, one per series"),
    ),
)
