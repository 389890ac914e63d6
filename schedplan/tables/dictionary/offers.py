"""Table `offers`: terms on which nodes may be had."""

from schedplan.tables.column import Column, Dictionary, Kind

OFFERS = Dictionary(
    name="offers",
    title="offers: terms on which the nodes of a pool may be had",
    key=("pool", "term_months"),
    planned=False,
    columns=(
        Column("pool", Kind.TEXT, "pool, by its name in nodes", required=True),
        Column("term_months", Kind.FLOAT, "length of the contract", "months", required=True, at_least=0),
        Column("price_per_hour", Kind.FLOAT, "price of one node", "currency/node-hour", required=True, at_least=0),
        Column("upfront", Kind.FLOAT, "paid once per node", "currency/node", 0.0, at_least=0),
    ),
)
