"""Table `prices`: prices that change with time."""

from schedplan.tables.column import Column, Dictionary, Kind

PRICES = Dictionary(
    name="prices",
    title="prices: what a node of a pool costs from an instant on, until the pool's next row",
    key=("node", "ds"),
    columns=(
        Column("node", Kind.TEXT, "pool, by its name in nodes", required=True),
        Column("ds", Kind.TIMESTAMP, "from when the price holds", required=True),
        Column("price_per_hour", Kind.FLOAT, "price of one node", "currency/node-hour", required=True, at_least=0),
    ),
)
