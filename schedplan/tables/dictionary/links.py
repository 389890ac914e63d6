"""Table `links`: ways between regions."""

from schedplan.tables.column import Column, Dictionary, Kind

LINKS = Dictionary(
    name="links",
    title="links: price and delay between two regions",
    key=("from_region", "to_region"),
    planned=False,
    columns=(
        Column("from_region", Kind.TEXT, "region at one end", required=True),
        Column("to_region", Kind.TEXT, "region at the other end", required=True),
        Column("price_per_gb", Kind.FLOAT, "price of moving data", "currency/GB", 0.0, at_least=0),
        Column("latency_ms", Kind.FLOAT, "delay; empty: unknown", "ms", at_least=0),
    ),
)
