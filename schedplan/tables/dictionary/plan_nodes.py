"""Table `plan_nodes` (file nodes.parquet of a plan): what each node does in each slot."""

from schedplan.tables.column import Column, Dictionary, Kind

PLAN_NODES = Dictionary(
    name="plan_nodes",
    title="plan_nodes (nodes.parquet of a plan): what each node does in each slot",
    key=("node", "ds"),
    written=True,
    columns=(
        Column("node", Kind.TEXT, "single node", required=True),
        Column("ds", Kind.TIMESTAMP, "begin of the slot", required=True),
        Column("slot_minutes", Kind.FLOAT, "length of the slot", "min", required=True, above=0),
        Column("on", Kind.BOOLEAN, "whether it is paid for", required=True),
        Column("devices_used", Kind.FLOAT, "devices held by work", "devices", required=True, at_least=0),
        Column(
            "busy_devices", Kind.FLOAT, "devices that jobs and the load of replicas keep busy", "devices", required=True, at_least=0
        ),
        Column("devices_stranded", Kind.FLOAT, "free devices that nothing waiting could use", "devices", required=True, at_least=0),
        Column("cost", Kind.FLOAT, "price of the slot", "currency", required=True),
        Column("energy_kwh", Kind.FLOAT, "energy; empty: power unknown", "kWh", at_least=0),
        Column("carbon_g", Kind.FLOAT, "emissions; empty: power or intensity unknown", "gCO2e", at_least=0),
    ),
)
